#include "print_score.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/journal/score_json.hpp"
#include "metrics/time_bins.hpp"

namespace ventral::jobs {
namespace {

void print_number(double value, const std::optional<double>& error) {
    std::cout << core::number_text(value);
    if (error) std::cout << " ± " << core::number_text(*error);
    std::cout << '\n';
}

/// Of a score that is a vector, whose mean stands above: a line for each time bin.
void print_time_bins(const core::Score& score) {
    if (!score.value_array) return;
    const auto values = core::as_float64(score.value_array->values);
    const auto errors =
        score.error_array ? core::as_float64(score.error_array->values) : std::vector<double>();
    const auto names = metrics::time_bin_names(score.value_array->coordinates, values.size());
    for (std::size_t bin = 0; bin < values.size(); ++bin) {
        std::cout << names[bin] << ' ';
        print_number(values[bin], errors.empty() ? std::nullopt : std::optional(errors[bin]));
    }
}

}  // namespace

void print_score(const core::Score& score, Format format) {
    for (const auto& warning : score.warnings) core::log_warning(warning);
    if (format == Format::json) {
        std::cout << io::to_json(score) << '\n';
        return;
    }
    print_number(score.value, score.error);
    print_time_bins(score);
    for (const auto& [name, value] : score.further)
        std::cout << name << ' ' << core::number_text(value) << '\n';
}

}  // namespace ventral::jobs
