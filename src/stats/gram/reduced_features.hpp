#pragma once
/// @file
/// The features of a problem in a small matrix that nothing was squared for: R (n × min(n, p)) with
/// R Rᵀ = Xc Xcᵀ up to rounding in the features themselves, Xc being the features minus their means
/// over all rows. What a Gram loses of components of tiny variance, R still has.
///
/// For p ≤ n R is Xc itself. For p > n it is L of Xc = L Qᵀ, made slab by slab by QR of [Lᵀ; slabᵀ]
/// in a fixed order (Demmel et al. 2012, sequential TSQR), so that only one slab is in memory. Two
/// to three times the arithmetic of the Gram. The shapes of all calls follow from n and p alone.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "core/workers.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/team_share.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// R of the features, column-major, rows × min(rows, features). Throws `core::InputError` if a
/// feature is NaN or infinite.
Matrix reduce_features(const StreamedFeatures& from, core::Workers& workers);

/// Doubles that ranks share, beside R, while they make it together.
std::size_t reducing_scratch(std::size_t rows, std::size_t features);

/// The same by all ranks of a team, with the bits of one. `reduced`, for R, and `scratch` lie in
/// memory that they see, zero at the start. Every rank calls `from.read`; what it gives on the
/// first one counts. What throws on one rank must throw on all. Collective.
void reduce_features(const StreamedFeatures& from, std::span<double> reduced,
                     std::span<double> scratch, core::Workers& workers, const TeamShare& team);

/// R of a problem if it can be had, made when it is first asked for and then kept. Copies share it.
class ReducedFeatures {
public:
    using Make = std::function<Matrix()>;

    /// R cannot be had: the features are no longer at hand.
    ReducedFeatures() = default;
    /// `make` uses no workers.
    explicit ReducedFeatures(Make make);
    /// `make` uses `workers`, which must outlive all copies. Its tasks must not ask for R.
    ReducedFeatures(Make make, core::Workers& workers);

    bool available() const { return state_ != nullptr; }

    /// May be called by several threads at once, tasks of any workers included: one makes R, and
    /// the others wait, those of its own workers by helping. If `make` throws, so does the call
    /// that made R, and the next one makes it anew. Needs `available()`.
    const Matrix& matrix() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ventral::stats
