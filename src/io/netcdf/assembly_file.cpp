#include "io/netcdf/assembly_file.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "core/byte_count.hpp"
#include "core/errors.hpp"
#include "io/hdf5/fixed_strings.hpp"
#include "io/hdf5/survivable.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/assembly_group.hpp"
#include "io/netcdf/netcdf_block.hpp"
#include "io/netcdf/netcdf_packing.hpp"

namespace ventral::io {
namespace {

constexpr auto presentation = "presentation";
constexpr auto neuroid = "neuroid";
constexpr auto time_bin = "time_bin";

/// Columns of a turned table that are read and turned at a time, if chunks do not ask for more.
constexpr std::size_t turned_columns = 64;

/// The same without values and the time bin. Throws `InputError` if it is no table.
core::Assembly as_table(const std::string& path, core::Assembly labels) {
    labels.name = path + ": '" + labels.name + "'";
    core::require_presentations_by_neuroids(labels);
    if (core::has_dimension(labels, time_bin)) {
        const auto bins = core::dimension_size(labels, time_bin);
        if (bins != 1)
            throw core::InputError(labels.name + " has " + std::to_string(bins) +
                                   " time bins (one is needed) choose one");
        std::erase_if(labels.dims, [](const auto& dim) { return dim.name == time_bin; });
        std::erase_if(labels.coordinates, [](const auto& each) { return each.dim == time_bin; });
    }
    const auto rows = core::dimension_size(labels, presentation);
    const auto columns = core::dimension_size(labels, neuroid);
    labels.dims = {{presentation, rows}, {neuroid, columns}};
    return labels;
}

std::size_t axis_of(const NetcdfVariable& variable, const std::string& dim) {
    const auto found = std::find_if(variable.dims.begin(), variable.dims.end(),
                                    [&](const auto& each) { return each.name == dim; });
    return static_cast<std::size_t>(found - variable.dims.begin());
}

std::size_t rounded_up(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

struct AssemblyFile::State {
    State(const std::string& path, const AssemblyRequest& request)
        : State(path, request, read_fixed_strings(path, request.layer.value_or("/"))) {}

    State(const std::string& path, const AssemblyRequest& request, FixedStrings fixed_strings)
        : file(NetcdfFile::open(path)),
          group(open_group(file, request, std::move(fixed_strings))),
          numbers{file, group.id, data_variable(group, request), {}},
          labels(
              as_table(path, labels_of(group, numbers.variable, neuroid, request.neuroid_labels))),
          rows(labels.dims[0].size),
          row_axis(axis_of(numbers.variable, presentation)),
          column_axis(axis_of(numbers.variable, neuroid)) {
        entry_count(file, numbers.variable);
        numbers.packing = read_packing(file, group.id, numbers.variable);
        numbers.deflated = find_deflated(numbers, request.layer);
        labels.values = no_values(numbers);
        const auto shape = chunk_shape(numbers);
        if (shape.empty()) return;
        chunk_rows = shape[row_axis];
        chunk_columns = shape[column_axis];
    }

    bool is_turned() const { return column_axis < row_axis; }
    std::size_t turned_width() const { return std::max(turned_columns, chunk_columns); }
    std::size_t value_bytes() const { return core::value_bytes(labels.values); }

    Block columns(std::size_t first, std::size_t count) const {
        Block block;
        for (const auto& dim : numbers.variable.dims) {
            block.start.push_back(0);
            block.count.push_back(dim.size);
        }
        block.start[column_axis] = first;
        block.count[column_axis] = count;
        return block;
    }

    template <typename T>
    void read(std::size_t first, std::size_t count, std::span<T> out) const {
        assert(out.size() == rows * count && first + count <= labels.dims[1].size);
        if (is_turned())
            read_turned(first, count, out);
        else
            read_block(numbers, columns(first, count), out);
    }

    /// In parts that end where chunks end, so that none is read twice.
    template <typename T>
    void read_turned(std::size_t first, std::size_t count, std::span<T> out) const {
        std::vector<T> part(rows * std::min(count, turned_width()));
        std::size_t next = first;
        while (next < first + count) {
            const auto width = std::min(rounded_up(next + 1, turned_width()), first + count) - next;
            read_block(numbers, columns(next, width), std::span(part).first(rows * width));
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < width; ++j)
                    out[i * count + (next - first) + j] = part[j * rows + i];
            next += width;
        }
    }

    NetcdfFile file;
    AssemblyGroup group;
    NetcdfNumbers numbers;
    core::Assembly labels;
    std::size_t rows;
    std::size_t row_axis;
    std::size_t column_axis;
    std::size_t chunk_rows = 0;  ///< 0: not in chunks
    std::size_t chunk_columns = 0;
};

AssemblyFile::AssemblyFile(const std::string& path, const AssemblyRequest& request) {
    require_regular_file(path);
    if (!NetcdfFile::is_open(path))
        require_survivable(path, [&] { const State opened(path, request); });
    state_ = std::make_unique<State>(path, request);
}

AssemblyFile::~AssemblyFile() = default;
AssemblyFile::AssemblyFile(AssemblyFile&&) noexcept = default;

const core::Assembly& AssemblyFile::labels() const { return state_->labels; }

core::Assembly AssemblyFile::take_labels() {
    auto coordinates = std::exchange(state_->labels.coordinates, {});
    auto labels = state_->labels;
    labels.coordinates = std::move(coordinates);
    return labels;
}

void AssemblyFile::read_columns(std::size_t first, std::size_t count, std::span<float> out) const {
    state_->read(first, count, out);
}

void AssemblyFile::read_columns(std::size_t first, std::size_t count, std::span<double> out) const {
    state_->read(first, count, out);
}

std::size_t AssemblyFile::reading_bytes(std::size_t count) const {
    const auto& state = *state_;
    const auto at_once = state.is_turned() ? std::min(count, state.turned_width()) : count;
    const auto turned = state.is_turned() ? state.rows * at_once * state.value_bytes() : 0;
    // A chunk lies in memory twice, and its filters have twice as much again.
    const std::size_t copies = has_filters(state.numbers) ? 4 : 2;
    const auto chunk = copies * state.chunk_rows * state.chunk_columns * state.value_bytes();
    const auto& deflated = state.numbers.deflated;
    return turned + (deflated ? deflated->reading_bytes() : chunk) +
           state.rows * at_once * conversion_bytes(state.numbers);
}

bool AssemblyFile::is_chunked() const { return state_->chunk_columns > 0; }

std::size_t AssemblyFile::useful_cache(std::size_t count) const {
    const auto& state = *state_;
    if (state.chunk_columns == 0 || count % state.chunk_columns == 0) return 0;
    // The chunks that the next call goes on with, and one more while it goes over to the next ones:
    // chunks that have been read to their end leave first (see `cache_chunks`).
    return (rounded_up(state.rows, state.chunk_rows) + 2 * state.chunk_rows) * state.chunk_columns *
           state.value_bytes();
}

bool AssemblyFile::is_deflated() const { return state_->numbers.deflated != nullptr; }

void AssemblyFile::use_workers(std::shared_ptr<core::Workers> workers) {
    if (state_->numbers.deflated) state_->numbers.deflated->use_workers(std::move(workers));
}

void AssemblyFile::use_cache(std::size_t bytes) {
    cache_chunks(state_->numbers, bytes, state_->column_axis);
}

}  // namespace ventral::io
