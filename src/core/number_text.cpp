#include "core/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/trimmed.hpp"

namespace ventral::core {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

/// Names in lower case.
constexpr std::array byte_units{Unit{"", 1},         Unit{"b", 1},        Unit{"kib", 0x1p10},
                                Unit{"mib", 0x1p20}, Unit{"gib", 0x1p30}, Unit{"tib", 0x1p40},
                                Unit{"kb", 1e3},     Unit{"mb", 1e6},     Unit{"gb", 1e9},
                                Unit{"tb", 1e12},    Unit{"k", 0x1p10},   Unit{"m", 0x1p20},
                                Unit{"g", 0x1p30},   Unit{"t", 0x1p40}};

constexpr std::array time_units{Unit{"d", 86400}, Unit{"h", 3600}, Unit{"m", 60}, Unit{"s", 1}};

template <typename T>
std::string shortest(T value) {
    if (std::isnan(value)) return "nan";  // whatever its sign
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

template <typename T>
std::optional<T> parsed(std::string_view text) {
    T value{};
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Removes the number at the front of `text` and returns it.
std::optional<double> leading_number(std::string_view& text) {
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
    return value;
}

template <std::size_t N>
const Unit* find_unit(const std::array<Unit, N>& units, std::string_view name) {
    for (const auto& unit : units) {
        if (unit.name == name) return &unit;
    }
    return nullptr;
}

}  // namespace

std::string number_text(double value) { return shortest(value); }
std::string number_text(float value) { return shortest(value); }

std::string fixed_text(double value, int decimals) {
    std::array<char, 512> digits{};  // the largest double has 309 before the point
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                   std::chars_format::fixed, decimals);
    return {digits.data(), end.ptr};
}

std::string rounded_text(double value) {
    if (std::abs(value) >= 999.5) return fixed_text(value, 0);
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                   std::chars_format::general, 3);
    return {digits.data(), end.ptr};
}

std::optional<double> parse_number(std::string_view text) { return parsed<double>(text); }

std::optional<std::int64_t> parse_integer(std::string_view text) {
    return parsed<std::int64_t>(text);
}

std::uint64_t parse_bytes(std::string_view text) {
    auto rest = trimmed(text);
    const auto number = leading_number(rest);
    const auto* unit = number ? find_unit(byte_units, lower_case(trimmed(rest))) : nullptr;
    const double bytes = unit ? *number * unit->factor : 0x1p64;
    if (bytes >= 0x1p64) {
        throw InputError("'" + std::string(text) +
                         "': not a size in bytes (a number and a unit are expected) write for "
                         "example 8GiB, 512 MiB or 600MB");
    }
    return static_cast<std::uint64_t>(bytes);
}

std::string bytes_text(double bytes) {
    constexpr std::array names{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    while (std::abs(bytes) >= 1024 && unit + 1 < names.size()) {
        bytes /= 1024;
        ++unit;
    }
    return number_text(std::round(bytes * 10) / 10) + " " + names[unit];
}

std::string memory_setting(double bytes) {
    constexpr double mebibyte = 1 << 20;
    return std::to_string(static_cast<std::uint64_t>(std::ceil(bytes / mebibyte))) + "MiB";
}

double parse_duration(std::string_view text) {
    auto rest = trimmed(text);
    double seconds = 0;
    double smallest = std::numeric_limits<double>::infinity();
    while (!rest.empty()) {
        const auto number = leading_number(rest);
        const auto letters = rest.substr(0, rest.find_first_of("0123456789."));
        // Only a lone number may go without a unit, and units must get smaller: "50m3h" is a slip.
        const auto name = letters.empty() && std::isinf(smallest) ? "s" : trimmed(letters);
        const auto* unit = find_unit(time_units, name);
        if (!number || !unit || unit->factor >= smallest) {
            smallest = std::numeric_limits<double>::infinity();
            break;
        }
        smallest = unit->factor;
        seconds += *number * unit->factor;
        rest.remove_prefix(letters.size());
    }
    if (std::isinf(smallest)) {
        throw InputError("'" + std::string(text) +
                         "': not a duration (numbers with the units d, h, m, s are expected) "
                         "write for example 3h50m or 90s");
    }
    return seconds;
}

std::string duration_text(double seconds) {
    constexpr double minute = 60;
    constexpr double hour = 3600;
    if (seconds < 2 * minute) return rounded_text(seconds) + " s";
    if (seconds < 2 * hour) return rounded_text(seconds / minute) + " min";
    return rounded_text(seconds / hour) + " h";
}

}  // namespace ventral::core
