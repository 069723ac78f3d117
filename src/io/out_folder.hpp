#pragma once
/// @file
/// Where below its --out a run keeps what.

#include <array>
#include <filesystem>
#include <string>

namespace ventral::io {

inline constexpr auto journal_part = "journal";
inline constexpr auto activations_part = "activations";
inline constexpr auto grams_part = "grams";
inline constexpr auto ceilings_part = "ceilings";
inline constexpr std::array out_parts = {journal_part, activations_part, grams_part, ceilings_part};

inline std::string part_of_out(const std::string& out, const char* part) {
    return (std::filesystem::path(out) / part).string();
}

inline std::string journal_folder(const std::string& out) { return part_of_out(out, journal_part); }
inline std::string activations_folder(const std::string& out) {
    return part_of_out(out, activations_part);
}
inline std::string grams_folder(const std::string& out) { return part_of_out(out, grams_part); }
inline std::string ceilings_folder(const std::string& out) {
    return part_of_out(out, ceilings_part);
}

}  // namespace ventral::io
