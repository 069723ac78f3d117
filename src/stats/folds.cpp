#include "stats/folds.hpp"

#include "stats/alike_rows.hpp"

namespace ventral::stats {
Matrix rows_of(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows) {
    Matrix part(static_cast<Eigen::Index>(rows.size()), matrix.cols());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        for (Eigen::Index i = 0; i < part.rows(); ++i)
            part(i, j) = matrix(rows[static_cast<std::size_t>(i)], j);
    return part;
}

Matrix centred_rows(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows,
                    const Vector& means) {
    Matrix part = rows_of(matrix, rows);
    for (Eigen::Index j = 0; j < part.cols(); ++j) part.col(j).array() -= means(j);
    return part;
}

void unite_equal_rows(const Kernel& kernel, const std::vector<Eigen::Index>& test,
                      Matrix& prediction) {
    for (std::size_t i = 1; i < test.size(); ++i)
        for (std::size_t first = 0; first < i; ++first)
            if (are_equal_rows(kernel, test[first], test[i])) {
                prediction.row(static_cast<Eigen::Index>(i)) =
                    prediction.row(static_cast<Eigen::Index>(first));
                break;
            }
}

Vector column_means(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows) {
    Vector means(matrix.cols());
    std::vector<double> values(rows.size());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        for (std::size_t i = 0; i < rows.size(); ++i) values[i] = matrix(rows[i], j);
        means(j) = sum(values) / static_cast<double>(rows.size());
    }
    return means;
}

}  // namespace ventral::stats
