#pragma once
/// @file
/// Where below its --out a run keeps what.

#include <array>
#include <filesystem>
#include <string>

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

}  // namespace ventral::io
