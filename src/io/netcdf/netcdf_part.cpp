#include "io/netcdf/netcdf_part.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <netcdf.h>

#include "core/ceil_divide.hpp"
#include "io/input_file.hpp"
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

/// Where wanted entries lie in what is read of these dims.
std::vector<std::size_t> places_in(std::span<const Wanted> dims) {
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

/// How much of the first two dims is read at once, whole chunks of them and all of the others.
struct Tile {
    std::size_t rows = 1, columns = 1;
};

Tile chunk_of(const NetcdfNumbers& numbers) {
    const auto shape = chunk_shape(numbers);
    if (shape.empty()) return {};
    return {shape[0], shape.size() > 1 ? shape[1] : 1};
}

Tile tile_of(const Tile& chunk, std::size_t columns, std::size_t bytes) {
    const auto chunks_of = [](std::size_t chunk_bytes) {
        return std::max<std::size_t>(1, most_part_bytes / std::max<std::size_t>(1, chunk_bytes));
    };
    Tile tile;
    tile.columns = chunk.columns * chunks_of(chunk.rows * chunk.columns * bytes);
    tile.rows = chunk.rows * chunks_of(chunk.rows * std::min(tile.columns, columns) * bytes);
    return tile;
}

/// Bytes of a chunk as the file has it, of the dims after the first two of all chunks.
std::size_t chunk_bytes(const NetcdfNumbers& numbers) {
    const auto& dims = numbers.variable.dims;
    std::size_t value_bytes = 0;
    check_netcdf(nc_inq_type(numbers.group, numbers.variable.type, nullptr, &value_bytes),
                 numbers.file.path(), "read the type of '" + numbers.variable.name + "'");
    const auto chunk = chunk_of(numbers);
    std::size_t bytes = value_bytes * chunk.rows * chunk.columns;
    const auto shape = chunk_shape(numbers);
    for (std::size_t d = 2; d < dims.size(); ++d)
        bytes *=
            shape.empty() ? dims[d].size : core::ceil_divide(dims[d].size, shape[d]) * shape[d];
    return bytes;
}

/// Calls `use` with the first and the last + 1 of positions that lie in one of the ranges of
/// `length`.
template <typename Use>
void for_each_range(const std::vector<std::size_t>& positions, std::size_t length, const Use& use) {
    for (auto first = positions.begin(); first != positions.end();) {
        const auto last = std::lower_bound(first, positions.end(), (*first / length + 1) * length);
        use(static_cast<std::size_t>(first - positions.begin()),
            static_cast<std::size_t>(last - positions.begin()));
        first = last;
    }
}

/// What is wanted of a variable, its first dims as rows and columns.
template <typename T>
class PartReader {
public:
    PartReader(const NetcdfNumbers& numbers, std::vector<Wanted> dims)
        : numbers_(numbers), dims_(std::move(dims)) {
        for (const auto& dim : dims_) {
            block_.start.push_back(dim.first);
            block_.count.push_back(dim.count);
        }
        if (dims_.size() == 1) dims_.emplace_back(std::vector<std::size_t>{0});
        const auto others = std::span(dims_).subspan(2);
        places_ = places_in(others);
        for (const auto& dim : others) depth_ *= dim.count;
    }

    std::vector<T> read() {
        const auto& rows = dims_[0].positions;
        const auto& columns = dims_[1].positions;
        const auto tile = tile_of(chunk_of(numbers_), dims_[1].count, depth_ * sizeof(T));
        const auto chunk = chunk_bytes(numbers_);
        if (has_filters(numbers_) && chunk > most_part_bytes)  // it is read in slices
            cache_chunks(numbers_, chunk, 0);
        values_.resize(rows.size() * columns.size() * places_.size());
        for_each_range(rows, tile.rows, [&](std::size_t row, std::size_t end_row) {
            for_each_range(columns, tile.columns, [&](std::size_t column, std::size_t end_column) {
                read_tile({row, end_row}, {column, end_column});
            });
        });
        return std::move(values_);
    }

private:
    /// Of wanted positions along a dim.
    struct Range {
        std::size_t first, last;
    };

    /// What of a dim is read for the range of its wanted positions.
    void set_block(std::size_t dim, const Range& range) {
        if (dim >= block_.start.size()) return;
        const auto& positions = dims_[dim].positions;
        block_.start[dim] = positions[range.first];
        block_.count[dim] = positions[range.last - 1] + 1 - positions[range.first];
    }

    /// In slices of rows.
    void read_tile(const Range& row_range, const Range& column_range) {
        set_block(1, column_range);
        const std::size_t width = dims_.size() == block_.count.size() ? block_.count[1] : 1;
        const auto most_rows =
            std::max<std::size_t>(1, most_part_bytes / (width * depth_ * sizeof(T)));
        const auto& rows = dims_[0].positions;
        for (Range slice{row_range.first, row_range.first}; slice.first < row_range.last;
             slice.first = slice.last) {
            while (slice.last < row_range.last && rows[slice.last] - rows[slice.first] < most_rows)
                ++slice.last;
            read_slice(slice, column_range, width);
        }
    }

    void read_slice(const Range& row_range, const Range& column_range, std::size_t width) {
        const auto& rows = dims_[0].positions;
        const auto& columns = dims_[1].positions;
        set_block(0, row_range);
        read_.resize(block_.count[0] * width * depth_);
        read_block(numbers_, block_, std::span(read_));
        for (auto i = row_range.first; i < row_range.last; ++i)
            for (auto j = column_range.first; j < column_range.last; ++j) {
                const auto from = ((rows[i] - rows[row_range.first]) * width + columns[j] -
                                   columns[column_range.first]) *
                                  depth_;
                auto to = values_.begin() +
                          static_cast<std::ptrdiff_t>((i * columns.size() + j) * places_.size());
                for (const auto place : places_) *to++ = read_[from + place];
            }
    }

    const NetcdfNumbers& numbers_;
    std::vector<Wanted> dims_;
    Block block_;
    std::vector<std::size_t> places_;  ///< in an entry of row and column
    std::size_t depth_ = 1;            ///< values of such an entry that are read
    std::vector<T> values_, read_;
};

}  // namespace

bool is_readable_in_parts(const NetcdfVariable& variable) {
    return !variable.dims.empty() && !is_text(variable);
}

core::Values read_part(const AssemblyGroup& group, const NetcdfVariable& variable,
                       const core::Positions& positions) {
    const NetcdfNumbers numbers{group.file, group.id, variable,
                                read_packing(group.file, group.id, variable)};
    if (entry_count(group.file, variable) == 0) return no_values(numbers);
    auto dims = wanted_of(variable, positions);
    if (variable.type == NC_FLOAT) return PartReader<float>(numbers, std::move(dims)).read();
    if (variable.type == NC_DOUBLE || !numbers.packing.keeps_integers())
        return PartReader<double>(numbers, std::move(dims)).read();
    return PartReader<std::int64_t>(numbers, std::move(dims)).read();
}

std::size_t part_bytes_at_once(const AssemblyGroup& group, const NetcdfVariable& variable) {
    const NetcdfNumbers numbers{group.file, group.id, variable, {}};
    constexpr std::size_t slice = 2 * most_part_bytes;  // and what it is converted from
    const auto chunk = chunk_bytes(numbers);
    if (!has_filters(numbers)) return slice + chunk;
    // A filter makes a chunk of a chunk.
    return slice + std::min<std::size_t>(chunk, file_bytes(group.file.path())) + 2 * chunk;
}

}  // namespace ventral::io
