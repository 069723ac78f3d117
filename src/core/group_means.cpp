#include "core/group_means.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/along_dimension.hpp"
#include "core/errors.hpp"

namespace ventral::core {
namespace {

/// Adds a row to the sums of its group; what is NaN does not count.
template <typename T>
void add_row(const T* row, double* sums, std::vector<double>& counts) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
        const auto value = static_cast<double>(row[j]);
        const bool missing = std::isnan(value);
        sums[j] += missing ? 0.0 : value;
        counts[j] += missing ? 0.0 : 1.0;
    }
}

template <typename T>
std::vector<double> means(const std::vector<T>& values, const AlongDimension& layout,
                          const RowGroups& groups) {
    std::vector<double> result(layout.outer * groups.count() * layout.inner, 0.0);
    std::vector<double> counts(layout.inner);
    for (std::size_t block = 0; block < layout.outer; ++block) {
        for (std::size_t group = 0; group < groups.count(); ++group) {
            double* mean = result.data() + (block * groups.count() + group) * layout.inner;
            std::fill(counts.begin(), counts.end(), 0.0);
            for (auto i = groups.starts[group]; i < groups.starts[group + 1]; ++i)
                add_row(values.data() + (block * layout.size + groups.order[i]) * layout.inner,
                        mean, counts);
            for (std::size_t j = 0; j < layout.inner; ++j) mean[j] /= counts[j];  // 0 / 0 is NaN
        }
    }
    return result;
}

}  // namespace

std::vector<double> group_means(const Assembly& assembly, const std::string& dim,
                                const RowGroups& groups) {
    const auto layout = along_dimension(assembly.dims, dimension_index(assembly, dim));
    return std::visit(
        [&](const auto& values) -> std::vector<double> {
            using Entry = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>)
                throw InputError(assembly.name + ": cannot be averaged along '" + dim +
                                 "' (the values are strings) use an assembly of numbers");
            else
                return means(values, layout, groups);
        },
        assembly.values);
}

}  // namespace ventral::core
