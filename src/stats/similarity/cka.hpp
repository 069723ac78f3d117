#pragma once
/// @file
/// Centred kernel alignment of features and targets with linear kernels (Kornblith et al. 2019),
/// as Brain-Score's `CKA` (unbiased, after Song et al. 2012) and `CKA_BIASED` compute it.
///
/// Neither form knows the offset of its kernels. X Xᵀ of features as they are differs from K by
/// r 1ᵀ + 1 rᵀ, r = Xc μ + μᵀμ / 2, which H K H takes out; and so does the unbiased form: with a
/// zero diagonal HSIC is Σ Ãᵢⱼ B̃ᵢⱼ / (n (n - 3)) of the U-centred Ãᵢⱼ = Aᵢⱼ - tᵢ - tⱼ, i ≠ j,
/// tᵢ = Σₗ Aᵢₗ / (n - 2) - Σ A / (2 (n - 1) (n - 2)) (Székely & Rizzo 2014), and of Aᵢⱼ = rᵢ + rⱼ
/// that is tᵢ = rᵢ, Ã = 0. So the Gram of centred features serves as it is, and both matrices are
/// centred on the fold's rows before they are multiplied: nothing large is added and taken away.
///
/// Of few features (2 p ≤ n) that with the targets are fewer than the rows no kernel is made: with
/// X and Y centred on the rows Σ HKH ∘ HLH = |Xᵀ Y|², and the unbiased form takes from it what the
/// diagonals have, which follows from the rows' squares. Where that is nearly all (one stimulus
/// dwarfs the others), the kernels are made.

#include <cstddef>
#include <span>

#include "core/workers.hpp"
#include "stats/gram/kernel.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

enum class CkaForm { unbiased, biased };

/// Kernel of the targets (n × n), of any offset. Rows with a NaN or an infinite entry are NaN
/// throughout.
Matrix target_kernel(const Matrix& targets, core::Workers& workers);

/// True if it takes less to multiply targets out again, some columns at a time, than to keep their
/// kernel: there are at most as many of them as rows.
bool cka_prefers_targets(const Matrix& targets);

/// True if products of features and targets take less than kernels of so many compared rows.
bool cka_prefers_factors(std::size_t rows, std::size_t features, std::size_t targets);

/// CKA over `rows` of two kernels of one size, of any offset.
/// Unbiased: HSIC(K, L) / (√(HSIC(K, K) HSIC(L, L)) + 1e-12), and 0 if the product is not positive;
/// throws `core::InputError` for fewer than four rows. Biased: Σ HKH ∘ HLH over the root of the
/// same sums of each with itself; NaN if one of them is constant.
double cka(const Kernel& k, const MatrixView& l, std::span<const Eigen::Index> rows, CkaForm form,
           core::Workers& workers);

/// The same of a kernel and the targets (n × m) themselves, whose kernel is never held; NaN if one
/// of these rows has a NaN or an infinite entry.
double cka_with_targets(const Kernel& k, const Matrix& targets, std::span<const Eigen::Index> rows,
                        CkaForm form, core::Workers& workers);

}  // namespace ventral::stats
