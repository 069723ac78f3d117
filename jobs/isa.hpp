#pragma once
/// @file
/// `--isa`, or VENTRAL_ISA: the instruction set that all numerics of this process use, for nodes of
/// several kinds.

#include <string>

#include <CLI/CLI.hpp>

namespace ventral::jobs {

void add_isa_option(CLI::App& app);

/// Sets the variables by which OpenBLAS, libtorch and oneDNN, when they load, are told what --isa
/// says among the arguments of the program, or else VENTRAL_ISA. True if a variable changed: the
/// program must start again then. A value that is none is left for the options to refuse.
bool pin_isa(char** arguments);

/// Throws `core::InputError` if the kernels in use are not those of the set that is pinned or not
/// for this processor, or if what --isa asks for, unless that is empty, is not pinned.
void require_pinned_isa(const std::string& asked);

}  // namespace ventral::jobs
