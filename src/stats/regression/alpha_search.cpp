#include "stats/regression/alpha_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "stats/regression/leave_one_out.hpp"

namespace ventral::stats {
namespace {

constexpr std::size_t few = 8;                          // alphas that need no search
constexpr std::array search_ratios = {10.0, 3.0, 1.5};  // of neighbouring alphas, pass by pass

using Numbers = std::vector<std::size_t>;

/// Of numbers of ascending alphas the first, the last, and between them as few as leave no ratio
/// above `ratio` that need not be; all of them if that leaves fewer than are interpolated from.
Numbers thinned(const Numbers& numbers, const std::vector<double>& alphas, double ratio) {
    if (numbers.size() <= few) return numbers;
    Numbers kept = {numbers.front()};
    for (std::size_t i = 1; i + 1 < numbers.size(); ++i)
        if (alphas[numbers[i + 1]] > ratio * alphas[kept.back()]) kept.push_back(numbers[i]);
    kept.push_back(numbers.back());
    return kept.size() < LeaveOneOut::neighbours ? numbers : kept;
}

/// The errors that are known, of ascending alphas; NaN of the others.
using KnownErrors = std::vector<double>;

double next_best(const KnownErrors& errors) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double best = infinity;
    double second = infinity;
    for (const double error : errors) {
        if (error < best)
            second = std::exchange(best, error);
        else if (error < second)
            second = error;
    }
    return second;
}

Numbers all_numbers(std::size_t count) {
    Numbers numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = i;
    return numbers;
}

std::vector<double> ascending(std::span<const double> alphas) {
    std::vector<double> sorted(alphas.begin(), alphas.end());
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
}

std::size_t number_of(double alpha, const std::vector<double>& sorted) {
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), alpha) -
                                    sorted.begin());
}

/// The two of the least estimates: against their errors most others can be told to be worse.
Numbers two_likeliest(const LeaveOneOut& leave_one_out) {
    auto numbers = all_numbers(leave_one_out.alphas().size());
    std::vector<double> estimates;
    for (const auto number : numbers) {
        const double estimate = leave_one_out.estimate(number);
        estimates.push_back(std::isnan(estimate) ? std::numeric_limits<double>::infinity()
                                                 : estimate);
    }
    std::partial_sort(numbers.begin(), numbers.begin() + 2, numbers.end(),
                      [&](auto a, auto b) { return estimates[a] < estimates[b]; });
    numbers.resize(2);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

/// The errors of all alphas that can be best or next best.
KnownErrors search(LeaveOneOut& leave_one_out) {
    const auto& alphas = leave_one_out.alphas();
    KnownErrors errors(alphas.size(), std::numeric_limits<double>::quiet_NaN());
    Numbers open = all_numbers(alphas.size());
    const auto compute = [&](const Numbers& chosen) {
        auto sweep = leave_one_out.sweep(chosen);
        for (std::size_t k = 0; k < chosen.size(); ++k) errors[chosen[k]] = sweep.errors[k];
        std::erase_if(open, [&](auto number) {
            return std::binary_search(chosen.begin(), chosen.end(), number);
        });
        return sweep;
    };
    if (open.size() > few) {
        leave_one_out.compute_norms();
        compute(two_likeliest(leave_one_out));
    }
    for (std::size_t pass = 0; !open.empty(); ++pass) {
        const auto sweep = compute(
            pass < search_ratios.size() ? thinned(open, alphas, search_ratios[pass]) : open);
        const double limit = next_best(errors);
        std::erase_if(
            open, [&](auto number) { return leave_one_out.least_error(sweep, number) > limit; });
    }
    return errors;
}

}  // namespace

AlphaChoice choose_alpha(const RidgeSpectrum& spectrum, const Matrix& targets,
                         std::span<const double> alphas, core::Workers& workers) {
    LeaveOneOut leave_one_out(spectrum, targets, ascending(alphas), workers);
    const auto errors = search(leave_one_out);
    double best = std::numeric_limits<double>::infinity();
    AlphaChoice choice{alphas.front(), best};
    for (const double alpha : alphas) {
        const double error = errors[number_of(alpha, leave_one_out.alphas())];
        if (!(error < best)) continue;
        best = error;
        choice.alpha = alpha;
    }
    if (errors.size() > 1)
        choice.gap = best > 0 && std::isfinite(best) ? (next_best(errors) - best) / best : 0.0;
    return choice;
}

}  // namespace ventral::stats
