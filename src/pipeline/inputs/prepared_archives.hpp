#pragma once
/// @file
/// How what a benchmark asks of features travels between ranks (`comm/records.hpp`), but for the
/// values of its matrices, which travel apart.

#include <boost/serialization/array.hpp>

#include "pipeline/inputs/record_archives.hpp"
#include "pipeline/inputs/recordings.hpp"

namespace ventral::core {

template <typename Archive>
void serialize(Archive& archive, Coordinate& coordinate, unsigned) {
    auto& [name, dim, values] = coordinate;
    archive& name& dim;
    archive_values(archive, values);
}

}  // namespace ventral::core

namespace ventral::stats {

template <typename Archive>
void serialize(Archive& archive, FoldRows& fold, unsigned) {
    auto& [train, test] = fold;
    archive& train& test;
}

/// A matrix that is loaded has this size, and zeros.
template <typename Archive>
void archive_size(Archive& archive, Matrix& matrix) {
    Eigen::Index rows = matrix.rows();
    Eigen::Index columns = matrix.cols();
    archive& rows& columns;
    if constexpr (Archive::is_loading::value) matrix.setZero(rows, columns);
}

}  // namespace ventral::stats

namespace ventral::metrics {

template <typename Archive>
void serialize(Archive& archive, MissingResponse& missing, unsigned) {
    auto& [row, column] = missing;
    archive& row& column;
}

template <typename Archive>
void serialize(Archive& archive, ResultShape& shape, unsigned) {
    auto& [neuroid_order, neuroid_coordinates, single_split, whole, time_bins, time_coordinates] =
        shape;
    archive& neuroid_order& neuroid_coordinates& single_split& whole& time_bins& time_coordinates;
}

template <typename Archive>
void serialize(Archive& archive, RegressionPlan& plan, unsigned) {
    archive& static_cast<ResultShape&>(plan) &
        plan.stimulus_ids& plan.folds& plan.missing& plan.time_layout;
    stats::archive_size(archive, plan.targets);
    stats::archive_size(archive, plan.averages);
}

}  // namespace ventral::metrics

namespace ventral::pipeline {

template <typename Archive>
void serialize(Archive& archive, PreparedBenchmark& prepared, unsigned) {
    auto& [plan, time_bins, split_labels, part_of_stimuli, read_bytes, beside_bytes, target_bytes] =
        prepared;
    archive& plan& time_bins& split_labels& part_of_stimuli& read_bytes& beside_bytes& target_bytes;
}

}  // namespace ventral::pipeline
