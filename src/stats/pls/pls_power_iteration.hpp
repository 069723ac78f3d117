#pragma once
/// @file
/// The power iteration that finds the weights w = Xᵀ Y b of a component of PLS, on G = Yᵀ K Y of
/// the deflated Y alone; its passes and its stopping test are scikit-learn's.

#include "stats/linear_algebra/packed_symmetric.hpp"
#include "stats/pls/pls.hpp"

namespace ventral::stats {

/// Its memory serves one component after the other. `g` is always G, q × q.
class PlsPowerIteration {
public:
    explicit PlsPowerIteration(const PackedSymmetric& g);

    /// The first pass from column `target` of Y, where w is divided by the sum of its
    /// norm and `beside_norm`. False if it breaks down.
    bool start_with_target(const PackedSymmetric& g, Eigen::Index target, double beside_norm);

    /// The first pass where b is not known: from Yᵀ X w and wᵀw.
    void start_with_product(const Vector& product, double square);

    /// The passes after the first, until the weight changes by less than the tolerance. Notes their
    /// number and the margin of the stopping test in `fit`. False if they break down.
    bool converge(const PackedSymmetric& g, PlsFold& fit);

    /// Of the last pass.
    Vector b() const { return Eigen::Map<const Vector>(pass_.b.data(), size_); }

private:
    /// b of a pass, w = Xᵀ Y b, and G b.
    struct Pass {
        AlignedNumbers b;
        AlignedNumbers g_b;
        double square = 1;  ///< wᵀw
        bool knows_b = false;
    };

    bool normalise(double beside_norm = 0);
    bool advance(const PackedSymmetric& g);
    double change();

    Eigen::Index size_;
    Pass pass_;
    Pass last_pass_;
};

}  // namespace ventral::stats
