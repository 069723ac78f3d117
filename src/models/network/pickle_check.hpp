#pragma once
/// @file
/// Whether libtorch can follow a pickle of a TorchScript file. Its unpickler (1.13) takes values
/// from its stack, marks and storages without looking whether they are there.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ventral::models {

/// What is wrong with `pickle` (protocol 2), or nothing. It is followed as libtorch does, but makes
/// nothing: each instruction must find what it takes, and a storage of tensors must not claim more
/// bytes than `storage_bytes` says of its key (a key that is not there is left to libtorch, like
/// instructions that neither knows and a pickle that breaks off).
std::optional<std::string> pickle_fault(std::string_view pickle,
                                        const std::map<std::string, std::uint64_t>& storage_bytes);

}  // namespace ventral::models
