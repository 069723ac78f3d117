#include "stats/linear_algebra/band_factor.hpp"

#include <algorithm>

#include "stats/linear_algebra/band_form.hpp"
#include "stats/linear_algebra/blocks.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

constexpr Index window = 64;  // columns of solved rows that a quadratic form keeps at a time
using Lanes = Eigen::Array<double, band_lanes, 1>;
using Rows = Eigen::Matrix<double, band_lanes, Eigen::Dynamic>;
using RowsView = Eigen::Ref<const Rows, 0, Eigen::OuterStride<>>;

/// x less what the columns j × `step` from its own have in it, j from the width to 1.
template <typename Factor>
void take(Lanes& x, const double* column, Index step, Index width, const Factor& factor) {
    const auto take_column = [&](Index j) {
        x -= factor(j) * Eigen::Map<const Lanes>(column + j * step * band_lanes);
    };
    if (width == band_width)  // a number that the compiler knows: it unrolls the loop
        for (Index j = band_width; j > 0; --j) take_column(j);
    else
        for (Index j = width; j > 0; --j) take_column(j);
}

/// Some columns of rows · L⁻ᵀ, of which those before, or zeros, lie before `solved`; `use(k, x)` of
/// each.
template <typename Use>
void solve_forward(const BandFactor& factor, const RowsView& rows, const Block& columns,
                   double* solved, const Use& use) {
    const Index width = factor.left.rows();
    for (Index k = columns.first; k < columns.first + columns.count; ++k, solved += band_lanes) {
        Lanes x = rows.col(k).array();
        const double* left = factor.left.data() + k * width;
        take(x, solved, -1, width, [&](Index j) { return left[j - 1]; });
        Eigen::Map<Lanes> kept(solved);
        kept = x;
        use(k, x);
    }
}

/// `use(first, count, part)` of some rows at a time, with zeros in place of those that are missing.
template <typename Use>
void for_parts(const Eigen::Ref<const Matrix>& rows, const Use& use) {
    Index first = 0;
    for (; first + band_lanes <= rows.rows(); first += band_lanes)
        use(first, band_lanes, rows.middleRows<band_lanes>(first));
    const Index count = rows.rows() - first;
    if (count == 0) return;
    Rows part = Rows::Zero(band_lanes, rows.cols());
    part.topRows(count) = rows.bottomRows(count);
    use(first, count, part);
}

}  // namespace

BandFactor factorise_band(const Matrix& band, double shift) {
    const Index width = band.rows() - 1;
    BandFactor factor{Matrix::Zero(width, band.cols() + width), Vector(band.cols())};
    Vector scaled(width);  // of row k of L D, as `left` has it
    for (Index k = 0; k < band.cols(); ++k) {
        double d = band(0, k) + shift;
        for (Index j = std::min(width, k); j > 0; --j) {
            const Index column = k - j;
            double entry = band(j, column);
            for (Index i = j + 1; i <= std::min(width, k); ++i)
                entry -= scaled(i - 1) * factor.left(i - j - 1, column);
            scaled(j - 1) = entry;
            factor.left(j - 1, k) = entry * factor.inverse_d(column);
            d -= entry * factor.left(j - 1, k);
        }
        factor.inverse_d(k) = 1 / d;
    }
    return factor;
}

void solve_rows(const BandFactor& factor, Matrix& rows) {
    const Index width = factor.left.rows();
    const Index size = rows.cols();
    Rows solved = Rows::Zero(band_lanes, size + 2 * width);  // with zeros on both sides
    for_parts(rows, [&](Index first, Index count, const RowsView& part) {
        solve_forward(factor, part, {0, size}, solved.col(width).data(),
                      [](Index, const Lanes&) {});
        for (Index k = size; k-- > 0;) {
            auto column = solved.col(width + k);
            Lanes x = column.array() * factor.inverse_d(k);
            take(x, column.data(), 1, width, [&](Index j) { return factor.left(j - 1, k + j); });
            column = x;
        }
        rows.middleRows(first, count) = solved.block(0, width, count, size);
    });
}

Vector quadratic_forms(const BandFactor& factor, const Eigen::Ref<const Matrix>& rows) {
    const Index width = factor.left.rows();
    const Index size = rows.cols();
    Vector forms(rows.rows());
    Rows solved(band_lanes, width + window);
    for_parts(rows, [&](Index first, Index count, const RowsView& part) {
        Lanes form = Lanes::Zero();
        solved.leftCols(width).setZero();
        for (Index begin = 0; begin < size; begin += window) {
            const Block columns{begin, std::min(window, size - begin)};
            solve_forward(factor, part, columns, solved.col(width).data(),
                          [&](Index k, const Lanes& x) { form += x * x * factor.inverse_d(k); });
            solved.leftCols(width) = solved.middleCols(columns.count, width);
        }
        forms.segment(first, count) = form.head(count);
    });
    return forms;
}

}  // namespace ventral::stats
