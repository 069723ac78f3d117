#include "stats/gram/reduced_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/make_once.hpp"
#include "stats/gram/centred_features.hpp"
#include "stats/linear_algebra/aligned_numbers.hpp"
#include "stats/linear_algebra/triangle_update.hpp"

namespace ventral::stats {
namespace {

using MatrixPlace = Eigen::Map<Matrix>;

/// The centred features, features × rows.
void centre_slab(const FeatureMatrix& source, std::span<double> to, std::span<double> means,
                 core::Workers& workers) {
    const std::size_t count = source.features;
    const CentredSlab slab{to.first(count * source.rows), count, means.first(count)};
    workers.parallel_for(centred_blocks(count),
                         [&](std::size_t block) { centre_block(source, block, slab); });
}

void check_finite(const MatrixPlace& reduced) {
    for (Eigen::Index j = 0; j < reduced.cols(); ++j)
        for (Eigen::Index i = 0; i < reduced.rows(); ++i)
            if (!std::isfinite(reduced(i, j)))
                throw core::InputError("the features of row " + std::to_string(i) +
                                       " (or a feature's mean over all rows) are NaN or infinite");
}

}  // namespace

std::size_t reducing_scratch(std::size_t rows, std::size_t features) {
    const std::size_t widest = std::min(features, slab_features);
    return whole_lines(widest * rows) + whole_lines(widest) + absorbing_scratch;
}

void reduce_features(const StreamedFeatures& from, std::span<double> reduced,
                     std::span<double> scratch, core::Workers& workers, const TeamShare& team) {
    const auto& [rows, features, read] = from;
    const bool factorise = features > rows;
    const std::size_t widest = std::min(features, slab_features);
    const auto slab_buffer = scratch.first(widest * rows);
    const auto means = scratch.subspan(whole_lines(widest * rows), widest);
    const auto factor =
        scratch.subspan(whole_lines(widest * rows) + whole_lines(widest), absorbing_scratch);
    const auto n = static_cast<Eigen::Index>(rows);
    MatrixPlace to(reduced.data(), n, factorise ? n : static_cast<Eigen::Index>(features));
    for (std::size_t first = 0; first < features; first += slab_features) {
        const std::size_t width = std::min(slab_features, features - first);
        const auto source = read(first, width);
        MatrixPlace slab(slab_buffer.data(), static_cast<Eigen::Index>(width), n);
        if (team.rank == 0) centre_slab(source, slab_buffer, means, workers);
        team.barrier();
        if (factorise)
            absorb_rows(to, slab, factor, workers, team);
        else if (team.rank == 0)
            to.middleCols(static_cast<Eigen::Index>(first), slab.rows()) = slab.transpose();
    }
    if (factorise && team.rank == 0) to.transposeInPlace();
    team.barrier();
    check_finite(to);
}

Matrix reduce_features(const StreamedFeatures& from, core::Workers& workers) {
    Matrix reduced = Matrix::Zero(static_cast<Eigen::Index>(from.rows),
                                  static_cast<Eigen::Index>(std::min(from.rows, from.features)));
    const auto size = reducing_scratch(from.rows, from.features);
    Vector scratch(static_cast<Eigen::Index>(size));
    reduce_features(from, {reduced.data(), static_cast<std::size_t>(reduced.size())},
                    {scratch.data(), size}, workers, {});
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
