#include "core/average_repetition.hpp"

#include <utility>

#include "core/group_means.hpp"
#include "core/repetition_groups.hpp"

namespace ventral::core {

Assembly average_repetition(const Assembly& assembly) {
    const auto row_dimension = dimension_index(assembly, "presentation");
    const auto groups = repetition_groups(assembly);

    Assembly result{assembly.name, assembly.dims, {}, {}, assembly.attributes};
    result.dims[row_dimension].size = groups.count();
    result.values = group_means(assembly, "presentation", groups);

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
