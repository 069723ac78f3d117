#include "stats/reduced_features.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include <lapacke.h>

#include "core/errors.hpp"
#include "stats/centred_features.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel = 128;         // columns eliminated before the others are updated
constexpr Eigen::Index inner_block = 32;    // columns of one compact reflector
constexpr Eigen::Index update_block = 256;  // columns that one task updates

int lapack_size(Eigen::Index n) { return static_cast<int>(n); }

/// A slab of centred features, features × rows.
class SlabBuffer {
public:
    SlabBuffer(std::size_t rows, std::size_t features)
        : values_(static_cast<Eigen::Index>(std::min(features, slab_features)),
                  static_cast<Eigen::Index>(rows)),
          means_(values_.rows()) {}

    /// The centred slab; it may be narrower than the buffer.
    Eigen::Map<Matrix> fill(const FeatureMatrix& source, core::Workers& workers) {
        const std::size_t count = source.features;
        const CentredSlab to{{values_.data(), count * source.rows}, count, {means_.data(), count}};
        workers.parallel_for(centred_blocks(count),
                             [&](std::size_t block) { centre_block(source, block, to); });
        return {values_.data(), static_cast<Eigen::Index>(count), values_.cols()};
    }

private:
    Matrix values_;
    Vector means_;
};

/// upper ← the triangle of the QR factorisation of [upper; slab]; `slab` is used up.
void absorb(Matrix& upper, Eigen::Map<Matrix>& slab, core::Workers& workers) {
    const Eigen::Index n = upper.rows();
    const int rows = lapack_size(slab.rows());
    for (Eigen::Index first = 0; first < n; first += panel) {
        const Eigen::Index width = std::min(panel, n - first);
        const Eigen::Index inner = std::min(inner_block, width);
        Matrix factor(inner, width);
        Vector work(inner * width);
        double* reflectors = slab.col(first).data();
        LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, rows, lapack_size(width), 0, lapack_size(inner),
                            upper.col(first).data() + first, lapack_size(n), reflectors, rows,
                            factor.data(), lapack_size(inner), work.data());
        const Eigen::Index rest = first + width;
        const auto blocks = static_cast<std::size_t>((n - rest + update_block - 1) / update_block);
        workers.parallel_for(blocks, [&](std::size_t block) {
            const Eigen::Index column = rest + static_cast<Eigen::Index>(block) * update_block;
            const Eigen::Index columns = std::min(update_block, n - column);
            Vector space(columns * inner);
            LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', 'T', rows, lapack_size(columns),
                                 lapack_size(width), 0, lapack_size(inner), reflectors, rows,
                                 factor.data(), lapack_size(inner),
                                 upper.col(column).data() + first, lapack_size(n),
                                 slab.col(column).data(), rows, space.data());
        });
    }
}

void check_finite(const Matrix& reduced) {
    for (Eigen::Index j = 0; j < reduced.cols(); ++j)
        for (Eigen::Index i = 0; i < reduced.rows(); ++i)
            if (!std::isfinite(reduced(i, j)))
                throw core::InputError("the features of row " + std::to_string(i) +
                                       " (or a feature's mean over all rows) are NaN or infinite");
}

}  // namespace

Matrix reduce_features(std::size_t rows, std::size_t features, const ReadSlab& read,
                       core::Workers& workers) {
    const auto n = static_cast<Eigen::Index>(rows);
    const bool factorise = features > rows;
    Matrix reduced = Matrix::Zero(n, factorise ? n : static_cast<Eigen::Index>(features));
    SlabBuffer buffer(rows, features);
    for (std::size_t first = 0; first < features; first += slab_features) {
        const std::size_t width = std::min(slab_features, features - first);
        auto slab = buffer.fill(read(first, width), workers);
        if (factorise)
            absorb(reduced, slab, workers);
        else
            reduced.middleCols(static_cast<Eigen::Index>(first), slab.rows()) = slab.transpose();
    }
    if (factorise) reduced.transposeInPlace();
    check_finite(reduced);
    return reduced;
}

struct ReducedFeatures::State {
    std::once_flag made;
    Make make;
    Matrix matrix;
};

ReducedFeatures::ReducedFeatures(Make make) : state_(std::make_shared<State>()) {
    state_->make = std::move(make);
}

const Matrix& ReducedFeatures::matrix() const {
    std::call_once(state_->made, [&] { state_->matrix = state_->make(); });
    return state_->matrix;
}

}  // namespace ventral::stats
