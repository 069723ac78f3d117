#pragma once
/// @file
/// Features in memory as the readers of slabs see them.

#include "stats/gram/gram.hpp"
#include "stats/small_problems.hpp"

namespace ventral::test {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Reads slabs of `x`, which must outlive it.
inline stats::ReadSlab slabs_of(const RowMajorMatrix& x) {
    const auto features = static_cast<std::size_t>(x.cols());
    const stats::FeatureMatrix all = {
        std::span<const double>(x.data(), static_cast<std::size_t>(x.size())),
        static_cast<std::size_t>(x.rows()), features, features};
    return [all](std::size_t first, std::size_t count) {
        return stats::columns_of(all, first, count);
    };
}

}  // namespace ventral::test
