#include "stats/ridge_cv.hpp"

#include <cmath>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "stats/centred_kernel.hpp"
#include "stats/intercept.hpp"
#include "stats/leave_one_out.hpp"
#include "stats/linear_algebra.hpp"

namespace ventral::stats {
namespace {

void check(std::span<const double> alphas) {
    if (alphas.empty()) throw core::InputError("ridgecv: there is no alpha to choose from");
    for (const double alpha : alphas)
        if (!(alpha > 0) || !std::isfinite(alpha))
            throw core::InputError("ridgecv: alpha " + core::number_text(alpha) +
                                   " is not positive and finite");
}

/// `cross`: products of train with test rows, train × test. `of_mean`: see `products_with_mean`.
RidgeCvFit fit(const RidgeSpectrum& spectrum, Matrix cross, Matrix of_mean, const Matrix& targets,
               const FoldRows& fold, std::span<const double> alphas, core::Workers& workers) {
    const Vector y_mean = column_means(targets, fold.train);
    Matrix y = centred_rows(targets, fold.train, y_mean);
    const auto choice = choose_alpha(spectrum, y, alphas, workers);
    const bool solves_test = cross.cols() < y.cols();
    Matrix& fewer = solves_test ? cross : y;
    fewer = solve_in_span(spectrum, choice.alpha, fewer, workers);
    RidgeCvFit result{multiply_transposed(cross, y), choice.alpha, choice.gap};
    Vector mean_prediction;
    if (of_mean.size() > 0) {
        if (solves_test) of_mean = solve_in_span(spectrum, choice.alpha, of_mean, workers);
        mean_prediction = multiply_transposed(y, of_mean);
    }
    add_intercept(result.prediction, y_mean, mean_prediction);
    return result;
}

}  // namespace

const std::vector<double>& alpha_list() {
    static const std::vector<double> list = [] {
        std::vector<double> alphas = {0.01, 0.1, 0.5, 1.0};
        const auto add = [&](double first, double step, int count) {
            for (int i = 0; i < count; ++i) alphas.push_back(first + step * i);
        };
        add(10, 22.5, 4);
        for (const double decade : {1e2, 1e3, 1e4, 1e5}) add(decade, decade / 2, 18);
        add(1e6, 5e5, 19);
        return alphas;
    }();
    return list;
}

RidgeCvFit ridge_cv_predict(const Problem& problem, const FoldRows& fold,
                            std::span<const double> alphas, core::Workers& workers) {
    check(alphas);
    CentredKernel kernel = centred_kernel(problem.kernel, fold, workers);
    const auto spectrum = spectrum_of_kernel(std::move(kernel.train), workers);
    return fit(spectrum, std::move(kernel.test),
               products_with_mean(problem.kernel, problem.sums, fold), problem.targets, fold,
               alphas, workers);
}

RidgeCvFit ridge_cv_predict_features(const Matrix& reduced, const Matrix& targets,
                                     const FoldRows& fold, std::span<const double> alphas,
                                     core::Workers& workers, const GramSums& sums) {
    check(alphas);
    const Vector x_mean = column_means(reduced, fold.train);
    const Matrix x = centred_rows(reduced, fold.train, x_mean);
    const Matrix test = centred_rows(reduced, fold.test, x_mean);
    return fit(spectrum_of_features(x), multiply(x, test.transpose()),
               products_with_mean(x, x_mean, sums, fold), targets, fold, alphas, workers);
}

}  // namespace ventral::stats
