#include "stats/gram/centred_kernel.hpp"

#include "stats/linear_algebra/blocks.hpp"

namespace ventral::stats {
namespace {

using Rows = std::vector<Eigen::Index>;

/// The kernel over rows × columns, and the mean of each of these columns.
Matrix gather(const Kernel& kernel, const Rows& rows, const Rows& columns, Vector& means,
              core::Workers& workers) {
    Matrix block = kernel.part(rows, columns, workers);
    means.resize(block.cols());
    for_columns(block.cols(), workers, [&](Eigen::Index j) {
        means(j) = sum(column(block, j)) / static_cast<double>(block.rows());
    });
    return block;
}

/// block(i, j) → block(i, j) − row(i) − mean(j) + grand.
void centre(Matrix& block, const Vector& row, const Vector& mean, double grand,
            core::Workers& workers) {
    for_columns(block.cols(), workers, [&](Eigen::Index j) {
        const double shift = grand - mean(j);
        double* to = block.col(j).data();
        for (Eigen::Index i = 0; i < block.rows(); ++i) to[i] = (to[i] - row(i)) + shift;
    });
}

}  // namespace

CentredKernel centred_kernel(const Kernel& kernel, const FoldRows& fold, core::Workers& workers) {
    CentredKernel centred;
    Vector mean;  // of each train row with all train rows: the kernel is symmetric
    Vector test_mean;
    centred.train = gather(kernel, fold.train, fold.train, mean, workers);
    centred.test = gather(kernel, fold.train, fold.test, test_mean, workers);
    const double grand = sum(as_span(mean)) / static_cast<double>(mean.size());
    centre(centred.train, mean, mean, grand, workers);
    centre(centred.test, mean, test_mean, grand, workers);
    return centred;
}

}  // namespace ventral::stats
