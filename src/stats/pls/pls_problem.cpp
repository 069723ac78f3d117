#include "stats/pls/pls_problem.hpp"

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {

Matrix products_of_targets(const PlsProblem& shared, core::Workers& workers) {
    const Eigen::Index q = shared.targets.cols();
    Matrix products(q + 1, q + 1);
    for_blocks(q, pls_gram_block, workers, [&](const Block& block) {
        const auto [first, count] = block;
        products.block(first, first, q - first, count) = multiply_transposed(
            shared.targets.rightCols(q - first), shared.kernel_targets.middleCols(first, count));
    });
    products.row(q).head(q) = transposed_times(shared.targets, shared.kernel_sums).transpose();
    products(q, q) = dot(shared.in_use, shared.kernel_sums);
    return products;
}

}  // namespace ventral::stats
