#pragma once
/// @file
/// Columns as the reference of `neuron_to_neuron.hpp` correlates them (its `pearsonr`): minus their
/// mean, of unit length, then multiplied and added up, each sum in NumPy's own order. That decides
/// between equal correlations, and what becomes of a constant column: NaN, or where its mean is not
/// exact equal numbers that correlate with rounding.

#include <cstddef>
#include <span>
#include <vector>

namespace ventral::stats {

/// How NumPy adds up a column of a table.
enum class ColumnSum {
    in_turn,  ///< row after row, if the table has several columns
    pairwise  ///< if the column is all there is; see `pairwise_sum.hpp`
};

ColumnSum column_sum_of(std::size_t columns);

double add_up(std::span<const double> values, ColumnSum order);

/// All NaN if the values are their own mean.
std::vector<double> normalised_column(std::vector<double> values, ColumnSum order);

/// Each product rounded, then added up in `order`: the correlation of two normalised columns.
double dot_as_numpy(std::span<const double> a, std::span<const double> b, ColumnSum order);

/// True if so many equal values have exactly that value as their mean.
bool has_exact_mean(double value, std::size_t count, ColumnSum order);

}  // namespace ventral::stats
