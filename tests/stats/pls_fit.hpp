#pragma once
/// @file
/// PLS of one fold.

#include <cstddef>

#include "core/workers.hpp"
#include "stats/pls/pls.hpp"
#include "stats/small_problems.hpp"

namespace ventral::test {

inline stats::PlsFold fit_of(std::size_t features, const stats::Matrix& kernel,
                             const stats::Matrix& targets, const stats::FoldRows& fold,
                             std::size_t components) {
    core::Workers workers(1);
    return stats::pls_predict({view(kernel), targets, features}, {&fold, 1}, components, workers)
        .front();
}

/// Of seven features.
inline stats::PlsFold fit(const stats::Matrix& kernel, const stats::Matrix& targets,
                          const stats::FoldRows& fold, std::size_t components) {
    return fit_of(7, kernel, targets, fold, components);
}

inline const stats::FoldRows six_and_two = {rows_from(0, 6), {6, 7}};

}  // namespace ventral::test
