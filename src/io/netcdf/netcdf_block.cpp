#include "io/netcdf/netcdf_block.hpp"

#include <type_traits>

#include <netcdf.h>

#include "core/errors.hpp"

namespace ventral::io {
namespace {

std::string reading(const NetcdfNumbers& numbers) {
    return "read the variable '" + numbers.variable.name + "'";
}

template <typename T>
bool read_deflated(const NetcdfNumbers& numbers, const Block& block, std::span<T> out) {
    if (!numbers.deflated || numbers.deflated->value_bytes() != sizeof(T)) return false;
    try {
        const bool is_read = numbers.deflated->read(block, std::as_writable_bytes(out));
        numbers.file.check_read(NC_NOERR, reading(numbers));
        return is_read;
    } catch (const core::InputError&) {
        numbers.file.check_read(NC_NOERR, reading(numbers));  // of a file that was cut short
        throw;
    }
}

/// Reads with one of netCDF's typed functions.
template <typename T, typename Read>
void read_with(const NetcdfNumbers& numbers, const Block& block, std::span<T> out, Read read) {
    if (out.empty()) return;
    if (!read_deflated(numbers, block, out))
        numbers.file.check_read(read(numbers.group, numbers.variable.id, block.start.data(),
                                     block.count.data(), out.data()),
                                reading(numbers));
    numbers.packing.decode(out);
    if constexpr (std::is_floating_point_v<T>)
        require_written(numbers.file, numbers.variable, std::span<const T>(out));
}

}  // namespace

core::Values no_values(const NetcdfNumbers& numbers) {
    if (is_text(numbers.variable)) return std::vector<std::string>{};
    if (numbers.variable.type == NC_FLOAT) return std::vector<float>{};
    if (numbers.variable.type == NC_DOUBLE || !numbers.packing.keeps_integers())
        return std::vector<double>{};
    return std::vector<std::int64_t>{};
}

void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<float> out) {
    read_with(numbers, block, out, nc_get_vara_float);
}

void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<double> out) {
    read_with(numbers, block, out, nc_get_vara_double);
}

void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<std::int64_t> out) {
    read_with(numbers, block, out, nc_get_vara_long);
}

std::shared_ptr<DeflatedChunks> find_deflated(const NetcdfNumbers& numbers,
                                              const std::optional<std::string>& group) {
    if (!has_filters(numbers)) return nullptr;
    std::vector<std::size_t> shape;
    for (const auto& dim : numbers.variable.dims) shape.push_back(dim.size);
    const auto name = (group ? *group + "/" : std::string()) + numbers.variable.name;
    auto found = DeflatedChunks::open(numbers.file.as_hdf5(), numbers.file.path(), name, shape);
    return found ? std::make_shared<DeflatedChunks>(std::move(*found)) : nullptr;
}

std::vector<std::size_t> chunk_shape(const NetcdfNumbers& numbers) {
    std::vector<std::size_t> shape(numbers.variable.dims.size());
    int storage = NC_CONTIGUOUS;
    check_netcdf(nc_inq_var_chunking(numbers.group, numbers.variable.id, &storage, shape.data()),
                 numbers.file.path(), reading(numbers));
    if (storage != NC_CHUNKED) shape.clear();
    return shape;
}

bool has_filters(const NetcdfNumbers& numbers) {
    int shuffle = 0;
    int deflate = 0;
    const int status =
        nc_inq_var_deflate(numbers.group, numbers.variable.id, &shuffle, &deflate, nullptr);
    if (status == NC_ENOTNC4) return false;  // a classic file
    check_netcdf(status, numbers.file.path(), reading(numbers));
    return shuffle != 0 || deflate != 0;
}

void cache_chunks(const NetcdfNumbers& numbers, std::size_t bytes, std::size_t axis) {
    if (numbers.deflated) numbers.deflated->use_cache(bytes, axis);
    constexpr std::size_t slots = 100'003;     // prime, and many per chunk: chunks of one slot
                                               // drive each other out
    constexpr float whole_chunks_first = 1.0;  // what has been read to its end goes first
    check_netcdf(nc_set_var_chunk_cache(numbers.group, numbers.variable.id, bytes, slots,
                                        whole_chunks_first),
                 numbers.file.path(), "cache the chunks of '" + numbers.variable.name + "'");
}

std::size_t conversion_bytes(const NetcdfNumbers& numbers) {
    const auto type = numbers.variable.type;
    return type == NC_FLOAT || type == NC_DOUBLE ? 0 : sizeof(double);
}

}  // namespace ventral::io
