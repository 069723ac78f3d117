#pragma once
/// @file
/// Partial least squares as a textbook states it, to compare with.

#include <cstddef>
#include <vector>

#include <Eigen/LU>

#include "stats/folds/folds.hpp"

namespace ventral::test {

/// NIPALS as a textbook (Wold 1984) and scikit-learn state it, X and Y in every pass.
struct Textbook {
    stats::Matrix prediction;
    std::vector<std::size_t> passes;
};

inline Textbook textbook(const stats::Matrix& features, const stats::Matrix& targets,
                         const stats::FoldRows& fold, std::size_t components) {
    using stats::Matrix;
    using stats::Vector;
    Matrix x = features(fold.train, Eigen::all);
    Matrix y = targets(fold.train, Eigen::all);
    const Eigen::RowVectorXd x_mean = x.colwise().mean();
    const Eigen::RowVectorXd y_mean = y.colwise().mean();
    x.rowwise() -= x_mean;
    y.rowwise() -= y_mean;
    const auto count = static_cast<Eigen::Index>(components);
    Matrix weights(x.cols(), count);
    Matrix x_loadings(x.cols(), count);
    Matrix y_loadings(y.cols(), count);
    Textbook result;
    for (Eigen::Index k = 0; k < count; ++k) {
        Vector u = y.col(0);
        Vector old = Vector::Constant(x.cols(), 100);
        Vector w;
        std::size_t pass = 0;
        do {
            if (pass > 0) old = w;
            w = x.transpose() * u / u.squaredNorm();
            w /= w.norm() + 0x1p-52;
            const Vector t = x * w;
            const Vector c = y.transpose() * t / t.squaredNorm();
            u = y * c / (c.squaredNorm() + 0x1p-52);
            ++pass;
        } while ((w - old).squaredNorm() >= 1e-6 && y.cols() > 1 && pass < 500);
        result.passes.push_back(pass);
        const Vector t = x * w;
        weights.col(k) = w;
        x_loadings.col(k) = x.transpose() * t / t.squaredNorm();
        y_loadings.col(k) = y.transpose() * t / t.squaredNorm();
        x -= t * x_loadings.col(k).transpose();
        y -= t * y_loadings.col(k).transpose();
    }
    const Matrix inner = x_loadings.transpose() * weights;
    const Matrix coefficients = weights * inner.inverse() * y_loadings.transpose();
    Matrix test = features(fold.test, Eigen::all);
    test.rowwise() -= x_mean;
    result.prediction = (test * coefficients).rowwise() + y_mean;
    return result;
}

}  // namespace ventral::test
