#include "io/netcdf/netcdf_part.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <netcdf.h>

#include "io/netcdf/netcdf_assembly.hpp"
#include "io/netcdf/netcdf_block.hpp"
#include "io/netcdf/netcdf_packing.hpp"

namespace ventral::io {
namespace {

/// The wanted entries of a dim, and the range of it that has them all.
struct Wanted {
    explicit Wanted(std::vector<std::size_t> wanted)
        : positions(std::move(wanted)),
          first(positions.front()),
          count(positions.back() + 1 - first) {}

    std::vector<std::size_t> positions;
    std::size_t first, count;
};

std::vector<Wanted> wanted_of(const NetcdfVariable& variable, const core::Positions& positions) {
    std::vector<Wanted> wanted;
    for (const auto& dim : variable.dims) {
        std::vector<std::size_t> all(dim.size);
        std::iota(all.begin(), all.end(), std::size_t{0});
        const auto chosen = positions.find(dim.name);
        wanted.emplace_back(chosen == positions.end() ? all : chosen->second);
    }
    return wanted;
}

/// Where the wanted entries of a row lie in what is read of it.
std::vector<std::size_t> places_in_row(std::span<const Wanted> dims) {
    std::vector<std::size_t> places{0};
    for (const auto& dim : dims) {
        std::vector<std::size_t> finer;
        finer.reserve(places.size() * dim.positions.size());
        for (const auto place : places)
            for (const auto position : dim.positions)
                finer.push_back(place * dim.count + position - dim.first);
        places = std::move(finer);
    }
    return places;
}

/// As many as are read at once, whole chunks.
std::size_t rows_at_once(const NetcdfNumbers& numbers, std::size_t row_bytes) {
    const auto chunk = chunk_shape(numbers);
    const std::size_t least = chunk.empty() ? 1 : chunk.front();
    return least * std::max<std::size_t>(1, most_read_at_once / (least * row_bytes));
}

/// What lies along the first dim is a row.
template <typename T>
std::vector<T> read_rows(const NetcdfNumbers& numbers, const std::vector<Wanted>& dims) {
    const auto& rows = dims.front().positions;
    const auto places = places_in_row(std::span(dims).subspan(1));
    Block block;
    for (const auto& dim : dims) {
        block.start.push_back(dim.first);
        block.count.push_back(dim.count);
    }
    const auto row_values = std::accumulate(block.count.begin() + 1, block.count.end(),
                                            std::size_t{1}, std::multiplies<>());
    const auto at_once = rows_at_once(numbers, row_values * sizeof(T));
    std::vector<T> values;
    values.reserve(rows.size() * places.size());
    std::vector<T> read;
    for (auto row = rows.begin(); row != rows.end();) {
        const auto end = std::lower_bound(row, rows.end(), (*row / at_once + 1) * at_once);
        block.start[0] = *row;
        block.count[0] = *(end - 1) + 1 - *row;
        read.resize(block.count[0] * row_values);
        read_block(numbers, block, std::span(read));
        for (; row != end; ++row)
            for (const auto place : places)
                values.push_back(read[(*row - block.start[0]) * row_values + place]);
    }
    return values;
}

}  // namespace

bool is_readable_in_parts(const NetcdfVariable& variable) {
    return !variable.dims.empty() && (variable.type == NC_FLOAT || variable.type == NC_DOUBLE);
}

core::Values read_part(const AssemblyGroup& group, const NetcdfVariable& variable,
                       const core::Positions& positions) {
    const NetcdfNumbers numbers{group.file, group.id, variable,
                                read_packing(group.file, group.id, variable)};
    if (entry_count(group.file, variable) == 0) return no_values(numbers);
    const auto dims = wanted_of(variable, positions);
    if (variable.type == NC_FLOAT) return read_rows<float>(numbers, dims);
    return read_rows<double>(numbers, dims);
}

}  // namespace ventral::io
