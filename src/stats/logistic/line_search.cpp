#include "stats/logistic/line_search.hpp"

#include <algorithm>
#include <cmath>

namespace ventral::stats {
namespace {

bool fell_enough(const LineTrial& trial, const LineSearch& search) {
    return trial.value <=
           search.start.value + sufficient_decrease * trial.step * search.start.slope;
}

bool is_flat(const LineTrial& trial, const LineSearch& search) {
    return std::abs(trial.slope) <= -flat_enough * search.start.slope;
}

LineTrial trial_at(const LineSearch& search, double step) {
    const auto point = search.at(step);
    return {step, point.value, point.slope};
}

/// The minimum of the cubic through three values and the slope of the first; NaN if it has none.
double cubic_minimum(const LineTrial& a, const LineTrial& b, const LineTrial& c) {
    const double ab = b.step - a.step;
    const double ac = c.step - a.step;
    const double denominator = (ab * ac) * (ab * ac) * (ab - ac);
    const double rise_b = b.value - a.value - a.slope * ab;
    const double rise_c = c.value - a.value - a.slope * ac;
    const double cubed = (ac * ac * rise_b - ab * ab * rise_c) / denominator;
    const double squared = (-(ac * ac * ac) * rise_b + ab * ab * ab * rise_c) / denominator;
    return a.step + (-squared + std::sqrt(squared * squared - 3 * cubed * a.slope)) / (3 * cubed);
}

/// The same of the parabola through two values and the slope of the first.
double quadratic_minimum(const LineTrial& a, const LineTrial& b) {
    const double ab = b.step - a.step;
    const double squared = (b.value - a.value - a.slope * ab) / (ab * ab);
    return a.step - a.slope / (2 * squared);
}

/// Inside the interval, and farther from both ends than `share` of its width. With the ends turned
/// round the margin is negative, as in SciPy.
bool is_inside(double step, const LineTrial& low, const LineTrial& high, double share) {
    const double margin = share * (high.step - low.step);
    const double first = std::min(low.step, high.step);
    const double last = std::max(low.step, high.step);
    return std::isfinite(step) && step <= last - margin && step >= first + margin;
}

/// Algorithm 3.6: a minimum lies between `low`, the lower of the two, and `high`.
std::optional<LineStep> zoom(const LineSearch& search, LineTrial low, LineTrial high) {
    constexpr int most_steps = 11;
    LineTrial replaced = {0, search.start.value, search.start.slope};
    for (int i = 0; i < most_steps; ++i) {
        double step = i > 0 ? cubic_minimum(low, high, replaced) : std::nan("");
        if (!is_inside(step, low, high, 0.2)) step = quadratic_minimum(low, high);
        if (!is_inside(step, low, high, 0.1)) step = low.step + 0.5 * (high.step - low.step);
        const auto trial = trial_at(search, step);
        if (!fell_enough(trial, search) || trial.value >= low.value) {
            replaced = high;
            high = trial;
            continue;
        }
        if (is_flat(trial, search)) return LineStep{trial.step, trial.value};
        const bool past = trial.slope * (high.step - low.step) >= 0;
        replaced = past ? high : low;
        if (past) high = low;
        low = trial;
    }
    return std::nullopt;
}

}  // namespace

double first_step(const LineSearch& search) {
    if (!search.previous_value || search.start.slope == 0) return 1;
    const double fall = search.start.value - *search.previous_value;
    const double step = 1.01 * 2 * fall / search.start.slope;
    if (step < 0) return 1;
    return step < 1 ? step : 1;
}

std::optional<LineStep> zoom_step(const LineSearch& search) {
    constexpr int most_doublings = 10;
    LineTrial before = {0, search.start.value, search.start.slope};
    LineTrial trial = trial_at(search, first_step(search));
    for (int i = 0; i < most_doublings; ++i) {
        if (trial.step == 0) return std::nullopt;
        if (!fell_enough(trial, search) || (i > 0 && trial.value >= before.value))
            return zoom(search, before, trial);
        if (is_flat(trial, search)) return LineStep{trial.step, trial.value};
        if (trial.slope >= 0) return zoom(search, trial, before);
        before = trial;
        trial = trial_at(search, 2 * trial.step);
    }
    return LineStep{trial.step, trial.value};
}

std::optional<LineStep> wolfe_step(const LineSearch& search) {
    if (const auto step = more_thuente_step(search)) return step;
    return zoom_step(search);
}

}  // namespace ventral::stats
