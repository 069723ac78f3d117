#include "stats/logistic/logistic_loss.hpp"

#include <algorithm>
#include <cmath>

#include "stats/linear_algebra/pairwise_sum.hpp"

namespace ventral::stats {
namespace {

/// exp(x − largest) of a row, and what goes with them.
template <typename Real>
struct Exponentials {
    std::vector<Real> values;
    double largest = 0;
    Real total = 0;
};

template <typename Real>
Exponentials<Real> exponentials(std::span<const Real> row) {
    Exponentials<Real> result;
    result.largest = static_cast<double>(*std::max_element(row.begin(), row.end()));
    double total = 0;
    for (const Real x : row) {
        result.values.push_back(
            static_cast<Real>(std::exp(static_cast<double>(x) - result.largest)));
        total += static_cast<double>(result.values.back());
    }
    result.total = static_cast<Real>(total);
    return result;
}

}  // namespace

template <typename Real>
LogisticLoss<Real>::LogisticLoss(const RowTable<Real>& features,
                                 std::vector<std::size_t> classes_of_rows, std::size_t classes,
                                 double penalty)
    : features_(features),
      classes_of_rows_(std::move(classes_of_rows)),
      classes_(static_cast<Eigen::Index>(classes)),
      penalty_(penalty) {}

template <typename Real>
RowTable<Real> LogisticLoss<Real>::zero_parameters() const {
    return RowTable<Real>::Zero(features_.cols() + 1, classes_);
}

template <typename Real>
RowTable<Real> LogisticLoss<Real>::decisions(const RowTable<Real>& parameters) const {
    const Eigen::Index p = features_.cols();
    RowTable<Real> result = product<Real>(features_, parameters.topRows(p));
    result.rowwise() += parameters.row(p);
    return result;
}

template <typename Real>
double LogisticLoss<Real>::value(const RowTable<Real>& parameters) const {
    const auto table = decisions(parameters);
    std::vector<Real> losses;
    for (Eigen::Index i = 0; i < table.rows(); ++i) {
        const auto terms = exponentials(row_entries(table, i));
        const auto log_total =
            static_cast<Real>(std::log(static_cast<double>(terms.total)) + terms.largest);
        const auto wanted = classes_of_rows_[static_cast<std::size_t>(i)];
        losses.push_back(log_total - table(i, static_cast<Eigen::Index>(wanted)));
    }
    const auto weights =
        entries(parameters).first(static_cast<std::size_t>(features_.cols() * classes_));
    return static_cast<double>(pairwise_sum(std::span<const Real>(losses))) +
           0.5 * penalty_ * static_cast<double>(inner_product(weights, weights));
}

/// Xᵀ · of_rows with the penalty's part, over the sums of the columns.
template <typename Real>
RowTable<Real> LogisticLoss<Real>::back_to_parameters(const RowTable<Real>& of_rows,
                                                      const RowTable<Real>& parameters) const {
    const Eigen::Index p = features_.cols();
    RowTable<Real> result = zero_parameters();
    result.topRows(p) = product_of_transposed<Real>(of_rows, features_).transpose() +
                        static_cast<Real>(penalty_) * parameters.topRows(p);
    for (Eigen::Index i = 0; i < of_rows.rows(); ++i) result.row(p) += of_rows.row(i);
    return result;
}

template <typename Real>
RowTable<Real> LogisticLoss<Real>::probabilities(const RowTable<Real>& parameters) const {
    auto table = decisions(parameters);
    for (Eigen::Index i = 0; i < table.rows(); ++i) {
        const auto terms = exponentials(row_entries(table, i));
        for (Eigen::Index k = 0; k < classes_; ++k)
            table(i, k) = terms.values[static_cast<std::size_t>(k)] / terms.total;
    }
    return table;
}

template <typename Real>
RowTable<Real> LogisticLoss<Real>::gradient(const RowTable<Real>& parameters) const {
    auto residuals = probabilities(parameters);
    for (Eigen::Index i = 0; i < residuals.rows(); ++i)
        residuals(i, static_cast<Eigen::Index>(classes_of_rows_[static_cast<std::size_t>(i)])) -= 1;
    return back_to_parameters(residuals, parameters);
}

template <typename Real>
RowTable<Real> LogisticLoss<Real>::times_hessian(const RowTable<Real>& probabilities,
                                                 const RowTable<Real>& direction) const {
    RowTable<Real> table = decisions(direction);
    const RowTable<Real> weighted = -probabilities.cwiseProduct(table);
    for (Eigen::Index i = 0; i < table.rows(); ++i)
        table.row(i).array() += pairwise_sum(row_entries(weighted, i));
    return back_to_parameters(table.cwiseProduct(probabilities), direction);
}

template class LogisticLoss<float>;
template class LogisticLoss<double>;

}  // namespace ventral::stats
