#include "stats/regression/ridge_cv.hpp"

#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "stats/gram/centred_kernel.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/regression/alpha_search.hpp"
#include "stats/regression/intercept.hpp"
#include "stats/regression/ridge.hpp"

namespace ventral::stats {
namespace {

void check(std::span<const double> alphas) {
    if (alphas.empty()) throw core::InputError("ridgecv: there is no alpha to choose from");
    for (const double alpha : alphas)
        if (!(alpha > 0) || !std::isfinite(alpha))
            throw core::InputError("ridgecv: alpha " + core::number_text(alpha) +
                                   " is not positive and finite");
}

/// What a fit with some alpha predicts, before the intercept.
struct Predicted {
    Matrix of_test;  ///< n_test × m
    Vector of_mean;  ///< see `add_intercept`
};

/// In the basis of the thin form: `test` is r × n_test, `of_mean` as of `products_with_mean`.
Predicted predict_in_basis(const RidgeSpectrum& spectrum, double alpha, const Matrix& test,
                           const Matrix& of_mean, const Matrix& y, core::Workers& workers) {
    const bool solves_test = test.cols() < y.cols();
    Predicted predicted;
    Matrix solved;  // n_train × n_test, or r × m
    if (solves_test) {
        solved = solve_from_basis(spectrum, alpha, test, workers);
        predicted.of_test = multiply_transposed(solved, y);
    } else {
        solved = solve_to_basis(spectrum, alpha, y, workers);
        predicted.of_test = multiply_transposed(test, solved);
    }
    if (of_mean.size() > 0)
        predicted.of_mean =
            solves_test ? multiply_transposed(y, solve_in_span(spectrum, alpha, of_mean, workers))
                        : multiply_transposed(solved, multiply_transposed(spectrum.basis, of_mean));
    return predicted;
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
    AlphaChoice choice;
    {
        const auto spectrum =
            spectrum_of_kernel(centred_kernel(problem.kernel, fold, workers).train, workers);
        const Matrix y =
            centred_rows(problem.targets, fold.train, column_means(problem.targets, fold.train));
        choice = choose_alpha(spectrum, y, alphas, workers);
    }
    // Cholesky's rounding is of each row's own size (Demmel 1989), the spectrum's of the largest.
    auto fit = ridge_predict_guarded(problem, fold, choice.alpha, workers);
    return {std::move(fit.prediction), choice.alpha, choice.gap, fit.guard};
}

RidgeCvFit ridge_cv_predict_features(const Matrix& reduced, const Matrix& targets,
                                     const FoldRows& fold, std::span<const double> alphas,
                                     core::Workers& workers, const GramSums& sums) {
    check(alphas);
    const Vector x_mean = column_means(reduced, fold.train);
    const Matrix x = centred_rows(reduced, fold.train, x_mean);
    const auto spectrum = spectrum_of_features(x);
    const Vector y_mean = column_means(targets, fold.train);
    const Matrix y = centred_rows(targets, fold.train, y_mean);
    const auto choice = choose_alpha(spectrum, y, alphas, workers);
    const Matrix test =
        multiply(spectrum.in_basis, centred_rows(reduced, fold.test, x_mean).transpose());
    Predicted predicted = predict_in_basis(spectrum, choice.alpha, test,
                                           products_with_mean(x, x_mean, sums, fold), y, workers);
    add_intercept(predicted.of_test, y_mean, predicted.of_mean);
    return {std::move(predicted.of_test), choice.alpha, choice.gap};
}

}  // namespace ventral::stats
