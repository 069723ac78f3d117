#pragma once
/// @file
/// Where below its --out a run keeps what.

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

namespace ventral::io {

inline constexpr std::array out_parts = {"journal", "activations", "grams", "ceilings"};

inline std::string part_of_out(const std::string& out, const char* part) {
    return (std::filesystem::path(out) / part).string();
}

inline std::string journal_folder(const std::string& out) { return part_of_out(out, "journal"); }
inline std::string activations_folder(const std::string& out) {
    return part_of_out(out, "activations");
}
inline std::string grams_folder(const std::string& out) { return part_of_out(out, "grams"); }
inline std::string ceilings_folder(const std::string& out) { return part_of_out(out, "ceilings"); }

/// Whether something is there that may be of use; false also where that cannot be told.
inline bool is_there(const std::string& path) {
    std::error_code unknown;
    return std::filesystem::exists(path, unknown);
}

}  // namespace ventral::io
