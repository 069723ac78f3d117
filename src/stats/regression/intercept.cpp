#include "stats/regression/intercept.hpp"

#include <utility>

#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {

namespace {

/// Xcμ of the train rows, with μ the mean over all rows.
Vector train_times_mean(const GramSums& sums, const FoldRows& fold) {
    Vector products(static_cast<Eigen::Index>(fold.train.size()));
    for (std::size_t i = 0; i < fold.train.size(); ++i)
        products(static_cast<Eigen::Index>(i)) =
            sums.centred_times_mean[static_cast<std::size_t>(fold.train[i])];
    return products;
}

/// Of each of the rows, its products with all of them.
Vector sums_over(const Kernel& kernel, const std::vector<Eigen::Index>& rows) {
    if (!kernel.is_held()) {
        const Matrix features = rows_of(kernel.features(), rows);
        return times(features, transposed_times(features, Vector::Ones(features.rows())));
    }
    Vector sums = Vector::Zero(static_cast<Eigen::Index>(rows.size()));
    for (Eigen::Index i = 0; i < sums.size(); ++i)
        for (const auto other : rows)
            sums(i) += kernel.entries()(other, rows[static_cast<std::size_t>(i)]);
    return sums;
}

/// What is the same for all train rows goes with their mean.
Vector minus_mean(Vector products) {
    double sum = 0;
    for (Eigen::Index i = 0; i < products.size(); ++i) sum += products(i);
    products.array() -= sum / static_cast<double>(products.size());
    return products;
}

}  // namespace

// With δ the mean of the train rows minus μ, x̄ = μ + δ.

Vector products_with_mean(const Kernel& kernel, const GramSums& sums, const FoldRows& fold) {
    if (sums.centred_times_mean.empty() || kernel.rows() == 0) return {};
    Vector products = train_times_mean(sums, fold);
    const Vector with_train = sums_over(kernel, fold.train);
    for (Eigen::Index i = 0; i < products.size(); ++i)
        products(i) += with_train(i) / static_cast<double>(products.size());
    return minus_mean(std::move(products));
}

Vector products_with_mean(const Matrix& centred, const Vector& mean, const GramSums& sums,
                          const FoldRows& fold) {
    if (sums.centred_times_mean.empty()) return {};
    const Matrix of_mean = mean;
    return minus_mean(train_times_mean(sums, fold)) + Vector(multiply(centred, of_mean));
}

void add_intercept(Matrix& prediction, const Vector& y_mean, const Vector& mean_prediction) {
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) {
        const double of_mean = mean_prediction.size() > 0 ? mean_prediction(j) : 0;
        const double intercept = y_mean(j) - of_mean;
        for (Eigen::Index i = 0; i < prediction.rows(); ++i)
            prediction(i, j) = (prediction(i, j) + of_mean) + intercept;
    }
}

}  // namespace ventral::stats
