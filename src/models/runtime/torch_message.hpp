#pragma once
/// @file
/// libtorch's errors as one line: its own texts are pages of C++ and TorchScript stack traces.

#include <string>

namespace ventral::models {

/// What went wrong, out of the text of a libtorch exception: the line after the last
/// "SomethingError: " that begins a line (the interpreter's traces), else the first line.
/// Bytes of a damaged file that libtorch quotes are shown as "?", and long texts are cut.
std::string torch_message(const std::string& text);

/// Throws "PROBLEM (REASON)ADVICE", of a `torch_message`: `core::TransientError` where a GPU or its
/// driver has failed ("CUDA error: …") and not the network, else `core::InputError`.
[[noreturn]] void throw_torch_failure(const std::string& problem, const std::string& reason,
                                      const std::string& advice = "");

}  // namespace ventral::models
