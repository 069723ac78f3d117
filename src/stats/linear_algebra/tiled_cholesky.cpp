#include "stats/linear_algebra/tiled_cholesky.hpp"

#include <atomic>
#include <utility>
#include <vector>

#include <cblas.h>
#include <lapacke.h>

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index tile_edge = 256;
constexpr Eigen::Index column_block = 96;

/// The steps of the right-looking algorithm on the tiles of one matrix: those of the symmetric
/// part, then those of the rows below it.
class Tiles {
public:
    explicit Tiles(Matrix& matrix)
        : matrix_(matrix),
          blocks_(even_blocks(matrix.cols(), tile_edge)),
          columns_(blocks_.size()) {
        for (auto below : even_blocks(matrix.rows() - matrix.cols(), tile_edge)) {
            below.first += matrix.cols();
            blocks_.push_back(below);
        }
    }

    std::size_t columns() const { return columns_; }
    std::size_t rows() const { return blocks_.size(); }

    bool factorise(std::size_t k) {
        return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', edge(k), at(k, k), leading()) == 0;
    }

    /// Tile (i, k) of the factor, from the diagonal tile's.
    void solve(std::size_t i, std::size_t k) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, edge(i),
                    edge(k), 1.0, at(k, k), leading(), at(i, k), leading());
    }

    /// What the factor's column k takes from tile (i, j).
    void update(std::size_t i, std::size_t j, std::size_t k) {
        if (i == j)
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, edge(i), edge(k), -1.0, at(i, k),
                        leading(), 1.0, at(i, i), leading());
        else
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, edge(i), edge(j), edge(k), -1.0,
                        at(i, k), leading(), at(j, k), leading(), 1.0, at(i, j), leading());
    }

private:
    int edge(std::size_t i) const { return blas_size(blocks_[i].count); }
    int leading() const { return blas_size(matrix_.rows()); }
    double* at(std::size_t i, std::size_t j) {
        return matrix_.col(blocks_[j].first).data() + blocks_[i].first;
    }

    Matrix& matrix_;
    std::vector<Block> blocks_;
    std::size_t columns_;
};

}  // namespace

bool factorise_in_tiles(Matrix& a, core::Workers& workers) {
    Tiles tiles(a);
    if (tiles.columns() == 0) return true;
    std::atomic<bool> definite = tiles.factorise(0);
    for (std::size_t k = 0; k < tiles.columns() && definite; ++k) {
        workers.parallel_for(tiles.rows() - k - 1,
                             [&](std::size_t i) { tiles.solve(k + 1 + i, k); });
        std::vector<std::pair<std::size_t, std::size_t>> rest;
        for (std::size_t j = k + 1; j < tiles.columns(); ++j)
            for (std::size_t i = j; i < tiles.rows(); ++i) rest.emplace_back(i, j);
        workers.parallel_for(rest.size(), [&](std::size_t t) {
            tiles.update(rest[t].first, rest[t].second, k);
            // The next diagonal tile is ready now; others are updated meanwhile.
            if (t == 0 && !tiles.factorise(k + 1)) definite = false;
        });
    }
    return definite;
}

void solve_factorised(const Matrix& factor, Matrix& b, core::Workers& workers) {
    for_blocks(b.cols(), column_block, workers, [&](const Block& block) {
        solve_with_cholesky(factor, b.middleCols(block.first, block.count));
    });
}

}  // namespace ventral::stats
