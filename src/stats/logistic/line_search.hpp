#pragma once
/// @file
/// Steps along a line of a smooth function that satisfy the strong Wolfe conditions: the value is
/// at most value(0) + 1e-4 · step · slope(0), and |slope| at most 0.9 |slope(0)|. The searches are
/// those of SciPy's optimisers, step by step, so that the iterates are theirs.

#include <functional>
#include <optional>

namespace ventral::stats {

/// A function along the line.
struct LinePoint {
    double value = 0;
    double slope = 0;
};

struct LineSearch {
    LinePoint start;                       ///< at step 0; a search needs a negative slope
    std::optional<double> previous_value;  ///< of the point before: guesses the first step
    std::function<LinePoint(double step)> at;
};

/// A step that a search has tried.
struct LineTrial {
    double step = 0;
    double value = 0;
    double slope = 0;
};

struct LineStep {
    double step = 0;
    double value = 0;
};

inline constexpr double sufficient_decrease = 1e-4;
inline constexpr double flat_enough = 0.9;

/// Where both searches begin: at most 1, less if the value fell by little from the point before.
double first_step(const LineSearch& search);

/// J. Moré, D. Thuente, ACM Trans. Math. Softw. 20 (1994), with the safeguards of MINPACK-2's
/// dcsrch and dcstep: steps in [1e-8, 50], at most 99 of them. Nothing if rounding leaves none.
std::optional<LineStep> more_thuente_step(const LineSearch& search);

/// J. Nocedal, S. Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6 with the limits of
/// SciPy's `line_search_wolfe2`: ten doublings, after which the last step is taken as it is, and
/// eleven interpolations, after which there is none.
std::optional<LineStep> zoom_step(const LineSearch& search);

/// Whichever is found first, in this order.
std::optional<LineStep> wolfe_step(const LineSearch& search);

}  // namespace ventral::stats
