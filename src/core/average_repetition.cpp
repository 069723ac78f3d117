#include "core/average_repetition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/along_dimension.hpp"
#include "core/errors.hpp"
#include "core/repetition_groups.hpp"

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
                          const RepetitionGroups& groups) {
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

std::vector<double> means_of(const Assembly& assembly, const AlongDimension& layout,
                             const RepetitionGroups& groups) {
    return std::visit(
        [&](const auto& values) -> std::vector<double> {
            using Entry = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>) {
                throw InputError(assembly.name +
                                 ": repetitions cannot be averaged (the values are strings) use an "
                                 "assembly of numbers");
            } else {
                return means(values, layout, groups);
            }
        },
        assembly.values);
}

}  // namespace

Assembly average_repetition(const Assembly& assembly) {
    const auto row_dimension = dimension_index(assembly, "presentation");
    const auto groups = repetition_groups(assembly);
    const auto layout = along_dimension(assembly.dims, row_dimension);

    Assembly result{assembly.name, assembly.dims, {}, {}, assembly.attributes};
    result.dims[row_dimension].size = groups.count();
    result.values = means_of(assembly, layout, groups);

    std::vector<std::size_t> first_rows;
    for (std::size_t group = 0; group < groups.count(); ++group)
        first_rows.push_back(groups.order[groups.starts[group]]);
    for (const auto& entry : assembly.coordinates) {
        if (entry.name == "repetition") continue;
        auto labels = entry.dim == "presentation" ? take(entry.values, first_rows) : entry.values;
        result.coordinates.push_back({entry.name, entry.dim, std::move(labels)});
    }
    return result;
}

}  // namespace ventral::core
