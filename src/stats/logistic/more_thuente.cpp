#include <algorithm>
#include <cmath>

#include "stats/logistic/line_search.hpp"

namespace ventral::stats {
namespace {

/// The root of the discriminant of the cubic through two points with these slopes.
double cubic_root(double theta, double a, double b) {
    const double scale = std::max({std::abs(theta), std::abs(a), std::abs(b)});
    const double square = (theta / scale) * (theta / scale) - (a / scale) * (b / scale);
    return scale * std::sqrt(square);
}

double cubic_theta(const LineTrial& a, const LineTrial& b) {
    return 3 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope;
}

double secant_step(const LineTrial& from, const LineTrial& to) {
    return from.step + (from.slope / (from.slope - to.slope)) * (to.step - from.step);
}

double farther(double from, double a, double b) {
    return std::abs(a - from) > std::abs(b - from) ? a : b;
}

double nearer(double from, double a, double b) {
    return std::abs(a - from) < std::abs(b - from) ? a : b;
}

/// The interval of uncertainty of Moré and Thuente.
struct Interval {
    LineTrial best, other;
    bool bracketed = false;
    double least = 0;  ///< bounds of the next step
    double most = 0;
};

/// Case 1: the value is higher than the best.
double step_after_rise(const Interval& interval, const LineTrial& trial) {
    const auto& best = interval.best;
    const double theta = cubic_theta(best, trial);
    double root = cubic_root(theta, best.slope, trial.slope);
    if (trial.step < best.step) root = -root;
    const double ratio =
        ((root - best.slope) + theta) / (((root - best.slope) + root) + trial.slope);
    const double distance = trial.step - best.step;
    const double cubic = best.step + ratio * distance;
    const double secant_slope = (best.value - trial.value) / distance + best.slope;
    const double quadratic = best.step + ((best.slope / secant_slope) / 2) * distance;
    if (std::abs(cubic - best.step) < std::abs(quadratic - best.step)) return cubic;
    return cubic + (quadratic - cubic) / 2;
}

/// Case 2: a lower value, slopes of opposite sign.
double step_after_turn(const Interval& interval, const LineTrial& trial) {
    const auto& best = interval.best;
    const double theta = cubic_theta(best, trial);
    double root = cubic_root(theta, best.slope, trial.slope);
    if (trial.step > best.step) root = -root;
    const double ratio =
        ((root - trial.slope) + theta) / (((root - trial.slope) + root) + best.slope);
    const double cubic = trial.step + ratio * (best.step - trial.step);
    return farther(trial.step, cubic, secant_step(trial, best));
}

/// Case 3: a lower value, slopes of one sign, the new one smaller.
double step_while_flattening(const Interval& interval, const LineTrial& trial) {
    const auto& best = interval.best;
    const double theta = cubic_theta(best, trial);
    const double scale = std::max({std::abs(theta), std::abs(best.slope), std::abs(trial.slope)});
    const double square =
        (theta / scale) * (theta / scale) - (best.slope / scale) * (trial.slope / scale);
    double root = scale * std::sqrt(std::max(0.0, square));
    const bool beyond = trial.step > best.step;
    if (beyond) root = -root;
    const double ratio =
        ((root - trial.slope) + theta) / ((root + (best.slope - trial.slope)) + root);
    double cubic = beyond ? interval.most : interval.least;
    if (ratio < 0 && root != 0) cubic = trial.step + ratio * (best.step - trial.step);
    const double secant = secant_step(trial, best);
    if (!interval.bracketed)
        return std::max(interval.least,
                        std::min(interval.most, farther(trial.step, cubic, secant)));
    const double step = nearer(trial.step, cubic, secant);
    const double limit = trial.step + 0.66 * (interval.other.step - trial.step);
    return beyond ? std::min(limit, step) : std::max(limit, step);
}

/// Case 4: a lower value, slopes of one sign, the new one no smaller.
double step_while_steepening(const Interval& interval, const LineTrial& trial) {
    if (!interval.bracketed)
        return trial.step > interval.best.step ? interval.most : interval.least;
    const auto& other = interval.other;
    const double theta =
        3 * (trial.value - other.value) / (other.step - trial.step) + other.slope + trial.slope;
    double root = cubic_root(theta, other.slope, trial.slope);
    if (trial.step > other.step) root = -root;
    const double ratio =
        ((root - trial.slope) + theta) / (((root - trial.slope) + root) + other.slope);
    return trial.step + ratio * (other.step - trial.step);
}

/// Takes the trial into the interval and returns the next step (dcstep).
double take_in(Interval& interval, const LineTrial& trial) {
    const bool turned = trial.slope * (interval.best.slope / std::abs(interval.best.slope)) < 0;
    if (trial.value > interval.best.value) {
        const double next = step_after_rise(interval, trial);
        interval.bracketed = true;
        interval.other = trial;
        return next;
    }
    double next = 0;
    if (turned)
        next = step_after_turn(interval, trial);
    else if (std::abs(trial.slope) < std::abs(interval.best.slope))
        next = step_while_flattening(interval, trial);
    else
        next = step_while_steepening(interval, trial);
    if (turned) {
        interval.bracketed = true;
        interval.other = interval.best;
    }
    interval.best = trial;
    return next;
}

LineTrial less_line(const LineTrial& trial, double slope) {
    return {trial.step, trial.value - trial.step * slope, trial.slope - slope};
}

LineTrial plus_line(const LineTrial& trial, double slope) {
    return {trial.step, trial.value + trial.step * slope, trial.slope + slope};
}

class MoreThuente {
public:
    MoreThuente(const LinePoint& start, double step)
        : start_(start), wanted_slope_(sufficient_decrease * start.slope) {
        interval_.best = interval_.other = {0, start.value, start.slope};
        interval_.most = step + 4 * step;
    }

    static constexpr double least_step = 1e-8;
    static constexpr double most_step = 50;

    bool satisfied_by(const LineTrial& trial) const {
        return trial.value <= wanted_value(trial) &&
               std::abs(trial.slope) <= flat_enough * -start_.slope;
    }

    bool is_stuck_at(const LineTrial& trial) const {
        if (interval_.bracketed && leaves_no_room(trial.step)) return true;
        const double wanted = wanted_value(trial);
        if (trial.step == most_step && trial.value <= wanted && trial.slope <= wanted_slope_)
            return true;
        return trial.step == least_step && (trial.value > wanted || trial.slope >= wanted_slope_);
    }

    double step_after(const LineTrial& trial) {
        const double wanted = wanted_value(trial);
        if (trial.value <= wanted && trial.slope >= 0) decreased_ = true;
        double step = 0;
        if (!decreased_ && trial.value <= interval_.best.value && trial.value > wanted) {
            interval_.best = less_line(interval_.best, wanted_slope_);
            interval_.other = less_line(interval_.other, wanted_slope_);
            step = take_in(interval_, less_line(trial, wanted_slope_));
            interval_.best = plus_line(interval_.best, wanted_slope_);
            interval_.other = plus_line(interval_.other, wanted_slope_);
        } else {
            step = take_in(interval_, trial);
        }
        return within_bounds(step);
    }

private:
    double wanted_value(const LineTrial& trial) const {
        return start_.value + trial.step * wanted_slope_;
    }

    bool leaves_no_room(double step) const {
        constexpr double relative_width = 1e-14;
        return step <= interval_.least || step >= interval_.most ||
               interval_.most - interval_.least <= relative_width * interval_.most;
    }

    /// Halves an interval that shrinks too slowly, and moves the bounds along.
    double within_bounds(double step) {
        const double best = interval_.best.step;
        const double other = interval_.other.step;
        if (interval_.bracketed) {
            if (std::abs(other - best) >= 0.66 * width_before_) step = best + 0.5 * (other - best);
            width_before_ = width_;
            width_ = std::abs(other - best);
            interval_.least = std::min(best, other);
            interval_.most = std::max(best, other);
        } else {
            interval_.least = step + 1.1 * (step - best);
            interval_.most = step + 4 * (step - best);
        }
        step = std::min(std::max(step, least_step), most_step);
        return interval_.bracketed && leaves_no_room(step) ? best : step;
    }

    LinePoint start_;
    double wanted_slope_;
    Interval interval_;
    bool decreased_ = false;
    double width_ = most_step - least_step;
    double width_before_ = 2 * (most_step - least_step);
};

}  // namespace

std::optional<LineStep> more_thuente_step(const LineSearch& search) {
    double step = first_step(search);
    if (step < MoreThuente::least_step || search.start.slope >= 0) return std::nullopt;
    MoreThuente state(search.start, step);
    constexpr int most_trials = 99;
    for (int i = 0; i < most_trials; ++i) {
        const auto point = search.at(step);
        const LineTrial trial = {step, point.value, point.slope};
        if (state.satisfied_by(trial)) return LineStep{step, point.value};
        if (state.is_stuck_at(trial)) return std::nullopt;
        step = state.step_after(trial);
    }
    return std::nullopt;
}

}  // namespace ventral::stats
