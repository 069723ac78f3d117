#pragma once
/// @file
/// What follows the names of files and folders of which there are to be no two alike.

#include <string>

namespace ventral::io {

/// 16 hexadecimal digits that no other call, process or host will give.
std::string unique_suffix();

/// What follows the name of a file or folder that only its writer needs:
/// "0123456789abcdef.9e107d9d-4711", `unique_suffix`, `this_machine`, the process.
std::string writer_suffix();

/// Eight hexadecimal digits that processes have in common which see each other: on the same host,
/// since it was last started, and not in different containers. `unknown_machine` where that cannot
/// be told.
std::string this_machine();
inline constexpr const char* unknown_machine = "00000000";

}  // namespace ventral::io
