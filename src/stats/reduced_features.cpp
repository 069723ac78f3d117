#include "stats/reduced_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/make_once.hpp"
#include "stats/centred_features.hpp"
#include "stats/triangle_update.hpp"

namespace ventral::stats {
namespace {

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
            absorb_rows(reduced, slab, workers);
        else
            reduced.middleCols(static_cast<Eigen::Index>(first), slab.rows()) = slab.transpose();
    }
    if (factorise) reduced.transposeInPlace();
    check_finite(reduced);
    return reduced;
}

struct ReducedFeatures::State {
    Make make;
    core::Workers* workers = nullptr;
    core::MakeOnce<Matrix> made;
};

ReducedFeatures::ReducedFeatures(Make make) : state_(std::make_shared<State>()) {
    state_->make = std::move(make);
}

ReducedFeatures::ReducedFeatures(Make make, core::Workers& workers)
    : ReducedFeatures(std::move(make)) {
    state_->workers = &workers;
}

const Matrix& ReducedFeatures::matrix() const {
    return state_->made.get(state_->make, state_->workers);
}

}  // namespace ventral::stats
