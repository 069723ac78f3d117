#include "stats/regression/normalised_column.hpp"

#include <cmath>
#include <limits>

#include "stats/linear_algebra/pairwise_sum.hpp"

namespace ventral::stats {

ColumnSum column_sum_of(std::size_t columns) {
    return columns == 1 ? ColumnSum::pairwise : ColumnSum::in_turn;
}

double add_up(std::span<const double> values, ColumnSum order) {
    if (order == ColumnSum::pairwise) return pairwise_sum(values);
    double total = 0;
    for (const double value : values) total += value;
    return total;
}

std::vector<double> normalised_column(std::vector<double> values, ColumnSum order) {
    const double mean = add_up(values, order) / static_cast<double>(values.size());
    for (double& value : values) value -= mean;
    const double length = std::sqrt(dot_as_numpy(values, values, order));
    for (double& value : values)
        value = length > 0 ? value / length : std::numeric_limits<double>::quiet_NaN();
    return values;
}

double dot_as_numpy(std::span<const double> a, std::span<const double> b, ColumnSum order) {
    std::vector<double> products(a.size());  // rounded each for itself, as NumPy's are
    for (std::size_t i = 0; i < a.size(); ++i) products[i] = a[i] * b[i];
    return add_up(products, order);
}

bool has_exact_mean(double value, std::size_t count, ColumnSum order) {
    if (value == 0) return true;
    const std::vector<double> equal(count, value);
    return add_up(equal, order) / static_cast<double>(count) == value;
}

}  // namespace ventral::stats
