#pragma once
/// @file
/// C = Xᵀ Y of the deflated X and Y, which is all that a pass of PLS on the features needs: its
/// weights are w ∝ C b, b ∝ Cᵀ w. For few targets it is formed from both for every component; where
/// they outnumber the features or the rows it is L (p × p) with L Lᵀ = C Cᵀ, whatever their number.

#include <memory>
#include <optional>

#include "stats/pls/pls_targets.hpp"

namespace ventral::stats {

/// Of one fold. `x` is always the deflated X: train rows × p.
class PlsCrossProducts {
public:
    virtual ~PlsCrossProducts() = default;

    /// Sets columns of Y that have vanished to zero, brings `matrix` up to date, and gives Xᵀu /
    /// uᵀu of the reference's start u; nothing if Y is used up.
    virtual std::optional<Vector> start(const Matrix& x) = 0;

    /// C, or L.
    virtual const Matrix& matrix() const = 0;

    /// Takes the component with weights `w`, scores `t` and loadings `p` of X out of Y.
    virtual void take_out(const Vector& w, const Vector& t, const Vector& p) = 0;

    /// Yᵀt / tᵀt of the components (m × components).
    virtual Matrix loadings() const = 0;
};

/// Of X with that many columns. Keeps references to both.
std::unique_ptr<PlsCrossProducts> make_cross_products(Eigen::Index features, const Matrix& targets,
                                                      const FoldRows& fold);

}  // namespace ventral::stats
