#pragma once
/// @file
/// Partial least squares by NIPALS, iterating exactly as scikit-learn does, without the features.
///
/// scikit-learn's `PLSRegression(scale=False)` (Wold 1984; NUMERICS 6.1) works on X (n × p). Every
/// vector of it lies in the row space of X: the weight of component k is w = Xᵀ Y b with b in R^m.
/// So it can run on K = X Xᵀ alone (kernel PLS: Rännar et al. 1994, Rosipal & Trejo 2001), here
/// with G = Yᵀ K Y: the power iteration touches only G (m × m), and its stopping test is the
/// reference's own, since |w − w_old|² = (b − b_old)ᵀ G (b − b_old). The scores are t = K Y b,
/// deflated. K is never deflated and serves all folds, and so does Yᵀ K Y, of which a fold takes
/// away what the rows that it leaves out have in it (the idea of Engstrøm & Jensen 2024, arXiv
/// 2401.13185). Where these have nearly all of it, the fold is fitted alone, as if there were no
/// other rows, which takes as long as K Y does: their targets must cost the fit no digits.
///
/// Where targets outnumber train rows, Y enters the iteration only by Y Yᵀ. There Z with
/// Z Zᵀ = Y Yᵀ (n × n, by LQ, so that nothing is squared) takes its place: Y = Z Qᵀ with QᵀQ = I,
/// hence the same weights w in every pass, and G is n × n. Memory is O(n²) for each fold beside the
/// targets and the predictions, whatever m is.
///
/// What is exact: the iteration, its start, its stopping test and the number of passes. What is
/// bounded: working on X Xᵀ squares the features, so that a component of small variance loses
/// digits, about eps · tr(K) / min_k t_kᵀt_k, K as it is given, so that a test row that dwarfs the
/// train rows counts if K is centred on all rows; and G carries the rounding of Yᵀ K Y on, so
/// that a weight loses digits once little is left to predict (one neuroid, or few, and nearly as
/// many components as features): about eps · |Xᵀ Y| / min_k |X_kᵀ Y_k b_k| / |b_k|. The larger one
/// is returned as `guard`.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::stats {

inline constexpr std::size_t pls_max_passes = 500;
inline constexpr double pls_tolerance = 1e-6;

struct PlsFold {
    Matrix prediction;                ///< n_test × m
    std::vector<std::size_t> passes;  ///< power iterations of each component
    double guard = 0;  ///< error bound of the squared form; infinite if it broke down
    /// Smallest |d − tolerance| / tolerance over all stopping tests: how near a test came to going
    /// the other way.
    double stop_margin = std::numeric_limits<double>::infinity();
};

/// What stands for the targets in the power iteration.
enum class PlsTargetForm {
    columns,  ///< themselves: G is m × m
    rows      ///< Z, which has at most as many columns as rows
};

/// Rows if targets outnumber the train rows. The choice for all forms of PLS.
PlsTargetForm pls_target_form(std::size_t train_rows, std::size_t targets);

/// True if the features are less than half of the targets and of the train rows of every fold, so
/// that `pls_predict_features`, which then iterates in their space, does less than this form: few
/// features, and the reverse metrics.
bool pls_prefers_features(std::span<const FoldRows> folds, std::size_t features,
                          std::size_t targets);

/// Fits and predicts several folds of one problem. They advance together, so that K is read twice
/// per component for all of them; the bits of a fold follow from `problem.all_folds`, not from
/// those that it is fitted with. Throws `core::InputError` if `n_components` exceeds the number of
/// features or the features are constant over the train rows of a fold.
std::vector<PlsFold> pls_predict(const Problem& problem, std::span<const FoldRows> folds,
                                 std::size_t n_components, core::Workers& workers);

/// The same with a form of the targets of the caller's choice.
std::vector<PlsFold> pls_predict_as(PlsTargetForm form, const Problem& problem,
                                    std::span<const FoldRows> folds, std::size_t n_components,
                                    core::Workers& workers);

/// As many as centred train rows can have. Then targets of usual size are used up, where the
/// reference stops; of larger ones the rounding is left, of which it makes components that mean
/// nothing.
std::size_t most_components(const FoldRows& fold);

/// Throws `core::InputError` if the fold cannot have that many components of so many features.
void check_pls(std::size_t features, const FoldRows& fold, std::size_t n_components);

}  // namespace ventral::stats
