#include "stats/intercept.hpp"

namespace ventral::stats {

Vector products_with_mean(const MatrixView& kernel, const GramSums& sums, const FoldRows& fold) {
    if (sums.centred_times_mean.empty() || kernel.rows() == 0) return {};
    // With μ the mean over all rows and δ that of the train rows minus μ, x̄ = μ + δ; what is the
    // same for all train rows goes with their mean.
    const auto count = static_cast<double>(fold.train.size());
    Vector products(static_cast<Eigen::Index>(fold.train.size()));
    for (Eigen::Index i = 0; i < products.size(); ++i) {
        const auto row = fold.train[static_cast<std::size_t>(i)];
        double with_train = 0;
        for (const auto other : fold.train) with_train += kernel(other, row);
        products(i) = sums.centred_times_mean[static_cast<std::size_t>(row)] + with_train / count;
    }
    double sum = 0;
    for (Eigen::Index i = 0; i < products.size(); ++i) sum += products(i);
    products.array() -= sum / count;
    return products;
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
