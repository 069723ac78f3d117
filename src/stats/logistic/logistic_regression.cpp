#include "stats/logistic/logistic_regression.hpp"

#include <cmath>
#include <optional>

#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/pairwise_sum.hpp"
#include "stats/logistic/float_exp.hpp"
#include "stats/logistic/line_search.hpp"
#include "stats/logistic/logistic_loss.hpp"

namespace ventral::stats {
namespace {

template <typename Real>
Real inner(const RowTable<Real>& a, const RowTable<Real>& b) {
    return inner_product(entries(a), entries(b));
}

template <typename Real>
Real absolute_sum(const RowTable<Real>& table) {
    const RowTable<Real> absolute = table.cwiseAbs();
    return pairwise_sum(entries(absolute));
}

/// The direction d with H d ≈ −gradient, H at these probabilities.
template <typename Real>
RowTable<Real> newton_direction(const LogisticLoss<Real>& loss, const RowTable<Real>& probabilities,
                                const RowTable<Real>& gradient, double tolerance) {
    constexpr int most_steps = 201;
    constexpr double no_curvature = 3 * eps;
    RowTable<Real> direction = loss.zero_parameters();
    RowTable<Real> residual = gradient;
    RowTable<Real> search = -residual;
    Real square = inner(residual, residual);
    for (int i = 0; i < most_steps; ++i) {
        if (static_cast<double>(absolute_sum(residual)) <= tolerance) break;
        const auto curved = loss.times_hessian(probabilities, search);
        const Real curvature = inner(search, curved);
        if (static_cast<double>(curvature) <= no_curvature) {
            if (curvature < 0 && i == 0) direction += (square / curvature) * search;
            break;
        }
        const Real step = square / curvature;
        direction += step * search;
        residual += step * curved;
        const Real next_square = inner(residual, residual);
        search = (next_square / square) * search - residual;
        square = next_square;
    }
    return direction;
}

template <typename Real>
double forcing_tolerance(const RowTable<Real>& gradient) {
    const Real size = absolute_sum(gradient);
    const Real root = std::sqrt(size);
    if (root < Real(0.5)) return static_cast<double>(root * size);
    return 0.5 * static_cast<double>(size);
}

template <typename Real>
std::optional<LineStep> step_along(const LogisticLoss<Real>& loss, const RowTable<Real>& parameters,
                                   const RowTable<Real>& direction, const LineSearch& start) {
    LineSearch search = start;
    search.at = [&](double step) -> LinePoint {
        const RowTable<Real> there = parameters + static_cast<Real>(step) * direction;
        return {loss.value(there), static_cast<double>(inner(loss.gradient(there), direction))};
    };
    return wolfe_step(search);
}

template <typename Real>
struct Minimum {
    RowTable<Real> parameters;
    std::size_t iterations = 0;
    LogisticEnd end = LogisticEnd::out_of_iterations;
};

template <typename Real>
Minimum<Real> minimise(const LogisticLoss<Real>& loss, const LogisticOptions& options) {
    Minimum<Real> result{loss.zero_parameters()};
    double value = loss.value(result.parameters);
    std::optional<double> previous_value;
    while (result.iterations < options.most_iterations) {
        const auto gradient = loss.gradient(result.parameters);
        if (static_cast<double>(gradient.cwiseAbs().maxCoeff()) <= options.tolerance) {
            result.end = LogisticEnd::converged;
            break;
        }
        const auto direction = newton_direction(loss, loss.probabilities(result.parameters),
                                                gradient, forcing_tolerance(gradient));
        const double slope = static_cast<double>(inner(gradient, direction));
        const auto step =
            step_along(loss, result.parameters, direction, {{value, slope}, previous_value, {}});
        if (!step) {
            result.end = LogisticEnd::no_step;
            break;
        }
        result.parameters += static_cast<Real>(step->step) * direction;
        previous_value = value;
        value = step->value;
        ++result.iterations;
    }
    return result;
}

template <typename Real>
RowTable<Real> decisions(const LogisticFit<Real>& fit, const RowTable<Real>& features) {
    const Eigen::Index p = features.cols();
    const RowTable<Real> weights = fit.coefficients.leftCols(p);
    RowTable<Real> table = weights.rows() == 1 ? product_with_vector(features, entries(weights))
                                               : product_with_transposed(features, weights);
    table.rowwise() += fit.coefficients.col(p).transpose();
    return table;
}

template <typename Real>
void softmax_rows(RowTable<Real>& table) {
    for (Eigen::Index i = 0; i < table.rows(); ++i) {
        const Real largest = table.row(i).maxCoeff();
        for (Eigen::Index k = 0; k < table.cols(); ++k)
            table(i, k) = exponential(table(i, k) - largest);
        table.row(i) /= pairwise_sum(row_entries(table, i));
    }
}

}  // namespace

template <typename Real>
LogisticFit<Real> fit_logistic_regression(const RowTable<Real>& features,
                                          const std::vector<std::size_t>& classes_of_rows,
                                          std::size_t classes, const LogisticOptions& options) {
    const LogisticLoss<Real> loss(features, classes_of_rows, classes, 1 / options.c);
    const auto minimum = minimise(loss, options);
    LogisticFit<Real> fit{minimum.parameters.transpose(), minimum.iterations, minimum.end};
    if (classes == 2) fit.coefficients = RowTable<Real>(fit.coefficients.row(1));
    return fit;
}

template <typename Real>
RowTable<Real> predict_probabilities(const LogisticFit<Real>& fit, const RowTable<Real>& features) {
    auto table = decisions(fit, features);
    if (table.cols() == 1) {
        RowTable<Real> both(table.rows(), 2);
        both << -table, table;
        table = both;
    }
    softmax_rows(table);
    return table;
}

template LogisticFit<float> fit_logistic_regression(const RowTable<float>&,
                                                    const std::vector<std::size_t>&, std::size_t,
                                                    const LogisticOptions&);
template LogisticFit<double> fit_logistic_regression(const RowTable<double>&,
                                                     const std::vector<std::size_t>&, std::size_t,
                                                     const LogisticOptions&);
template RowTable<float> predict_probabilities(const LogisticFit<float>&, const RowTable<float>&);
template RowTable<double> predict_probabilities(const LogisticFit<double>&,
                                                const RowTable<double>&);

}  // namespace ventral::stats
