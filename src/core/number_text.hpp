#pragma once
/// @file
/// Numbers as text and back, never by the locale: shortest form that reads back to the same bits.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ventral::core {

/// "0.1", "1e-300", "nan", "inf", "-inf".
std::string number_text(double value);
std::string number_text(float value);
/// With so many decimals, up to 100: "0.10".
std::string fixed_text(double value, int decimals);
/// With three digits, or all of its whole ones: "0.0123", "4.57", "1035".
std::string rounded_text(double value);

/// The whole text as a number, or nothing.
std::optional<double> parse_number(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

/// "8GiB", "512 MiB", "2G" (as Slurm: powers of 1024), "1.5e9", "600MB" (powers of 1000) → bytes;
/// units in any case. Throws `InputError` otherwise.
std::uint64_t parse_bytes(std::string_view text);
/// Bytes for people: "1.5 GiB".
std::string bytes_text(double bytes);
/// What `parse_bytes` reads as these bytes or little more: "395MiB".
std::string memory_setting(double bytes);
/// "3h50m", "90s", "45" (seconds) → seconds. Throws `InputError` otherwise.
double parse_duration(std::string_view text);
/// Seconds for people: "99.5 s", "17 min", "1035 h".
std::string duration_text(double seconds);

}  // namespace ventral::core
