#include "leaderboard/cell_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/number_text.hpp"

namespace ventral::leaderboard {

std::string rounded(const std::optional<double>& number) {
    if (!number) return "-";
    const double size = std::abs(*number);
    const bool is_plain = size == 0 || (size >= 5e-5 && size < 1e6);
    if (!std::isfinite(*number)) return core::number_text(*number);
    if (is_plain) return core::fixed_text(*number, 4);
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *number,
                                   std::chars_format::scientific, 1);
    return {digits.data(), end.ptr};
}

std::string rounded(const std::optional<double>& value, const std::optional<double>& error) {
    return rounded(value) + (error ? " ± " + rounded(error) : "");
}

std::string score_text(const core::ScoreRecord& record) {
    if (!record.value || record.status != core::ScoreStatus::scored)
        return core::name_of(record.status);
    return rounded(record.value, record.error);
}

std::string ceiling_text(const core::ScoreRecord& record) {
    return record.ceiling ? rounded(record.ceiling->value, record.ceiling->error) : "-";
}

std::string benchmark_text(const core::ScoreRecord& record) {
    return record.benchmark + (record.version == 1 ? "" : " v" + std::to_string(record.version));
}

}  // namespace ventral::leaderboard
