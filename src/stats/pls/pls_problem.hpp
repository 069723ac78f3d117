#pragma once
/// @file
/// What the folds of a call of PLS share; `pls.hpp` explains the method.

#include "stats/pls/pls.hpp"

namespace ventral::stats {

/// Columns of a G that are formed together, from the diagonal on.
inline constexpr Eigen::Index pls_gram_block = 64;

struct PlsProblem {
    const Problem& problem;
    std::size_t n_components;
    PlsTargetForm form;
    Vector in_use;          ///< 1 in rows that some fold trains on, 0 in the others
    Matrix targets;         ///< n × q, zero in rows not in use: the targets, centred, or Z
    Matrix kernel_targets;  ///< K · `targets`
    Vector kernel_sums;     ///< K · `in_use`
    Vector kernel_diagonal;
    /// (`targets`, `in_use`)ᵀ K (`targets`, `in_use`), q + 1 in number, of which the lower triangle
    /// counts.
    Matrix products;
};

/// That of all rows, from what else is in `shared`, by the workers.
Matrix products_of_targets(const PlsProblem& shared, core::Workers& workers);

}  // namespace ventral::stats
