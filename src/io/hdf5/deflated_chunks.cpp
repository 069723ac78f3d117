#include "io/hdf5/deflated_chunks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <hdf5.h>
#include <libdeflate.h>
#include <zlib.h>

#include "core/errors.hpp"
#include "core/product.hpp"
#include "io/hdf5/hdf5_types.hpp"

namespace ventral::io {
namespace {

/// Of a chunk in work: packed, inflated and in the order of values.
constexpr std::size_t copies = 3;
/// Of one that HDF5 has to read after all.
constexpr std::size_t copies_of_hdf5 = 4;
/// What a thread takes, as most systems have it: it counts as memory whether it is used or not.
constexpr std::size_t stack_bytes = std::size_t{8} << 20;

/// Whether deflate is all that the filters do beside a shuffle before it; `shuffled` says if there
/// is one.
bool are_known(hid_t list, bool& shuffled) {
    std::vector<H5Z_filter_t> filters;
    const int count = H5Pget_nfilters(list);
    for (int i = 0; i < count; ++i) {
        unsigned flags = 0;
        std::size_t values = 0;
        filters.push_back(H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &values, nullptr,
                                         0, nullptr, nullptr));
    }
    shuffled = filters == std::vector<H5Z_filter_t>{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};
    return shuffled || filters == std::vector<H5Z_filter_t>{H5Z_FILTER_DEFLATE};
}

/// Bytes of a value, or 0 if values of this type are not for this reader.
std::size_t value_bytes_of(hid_t type) {
    if (H5Tequal(type, H5T_NATIVE_FLOAT) > 0) return sizeof(float);
    if (H5Tequal(type, H5T_NATIVE_DOUBLE) > 0) return sizeof(double);
    return 0;
}

/// False unless `packed` is what zlib makes of so many bytes, and they have its checksum.
bool inflate_all(std::span<const std::byte> packed, std::span<std::byte> out) {
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflater(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (!inflater) throw std::bad_alloc();
    return libdeflate_zlib_decompress(inflater.get(), packed.data(), packed.size(), out.data(),
                                      out.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

/// Byte 0 of all values, then byte 1 of all, back to one value after the other.
template <std::size_t size>
void unshuffle(const std::byte* from, std::size_t values, std::byte* to) {
    for (std::size_t i = 0; i < values; ++i)
        for (std::size_t byte = 0; byte < size; ++byte)
            to[i * size + byte] = from[byte * values + i];
}

}  // namespace

std::shared_ptr<core::Workers> make_inflaters(std::size_t threads) {
    constexpr std::size_t most = 8;
    return std::make_shared<core::Workers>(std::min(threads, most));
}

std::optional<DeflatedChunks> DeflatedChunks::open(const Hdf5Handle& file, const std::string& path,
                                                   const std::string& name,
                                                   const std::vector<std::size_t>& shape) {
    DeflatedChunks chunks;
    chunks.path_ = path;
    chunks.name_ = name;
    chunks.shape_ = shape;
    if (H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
    chunks.dataset_ = {H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose, path,
                       "open '" + name + "'"};
    const auto dataset = chunks.dataset_.id();
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, path, "read the type of '" + name + "'");
    const Hdf5Handle list(H5Dget_create_plist(dataset), H5Pclose, path,
                          "read how '" + name + "' is stored");
    chunks.value_bytes_ = value_bytes_of(type.id());
    unsigned options = 0;
    std::vector<hsize_t> chunk(shape.size());
    const auto dims = static_cast<int>(shape.size());
    if (chunks.value_bytes_ == 0 || shape_of(path, dataset) != shape || shape.empty() ||
        H5Pget_layout(list.id()) != H5D_CHUNKED ||
        H5Pget_chunk(list.id(), dims, chunk.data()) != dims ||
        H5Pget_chunk_opts(list.id(), &options) < 0 || options != 0 ||
        !are_known(list.id(), chunks.shuffled_))
        return std::nullopt;
    chunks.chunk_.assign(chunk.begin(), chunk.end());
    std::size_t bytes = chunks.value_bytes_;
    for (const auto size : chunks.chunk_)
        if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
    if (bytes == 0 || bytes > std::numeric_limits<uInt>::max()) return std::nullopt;
    chunks.use_workers(std::make_shared<core::Workers>(1));
    return chunks;
}

std::size_t DeflatedChunks::chunk_bytes() const { return core::product(chunk_) * value_bytes_; }

void DeflatedChunks::use_workers(std::shared_ptr<core::Workers> workers, std::size_t most_bytes) {
    const auto most = std::max<std::size_t>(most_bytes / (copies * chunk_bytes()), 1);
    workers_ = std::move(workers);
    together_ = std::min(workers_->threads(), most);
}

void DeflatedChunks::use_cache(std::size_t bytes, std::size_t axis) {
    cache_bytes_ = bytes;
    cache_axis_ = axis;
    kept_.clear();
}

std::size_t DeflatedChunks::reading_bytes() const {
    return std::max(together_ * copies, copies_of_hdf5) * chunk_bytes() +
           (workers_->threads() - 1) * stack_bytes;
}

std::vector<DeflatedChunks::Offset> DeflatedChunks::offsets_in(const Block& block) const {
    std::vector<Offset> offsets{{}};
    for (std::size_t d = 0; d < chunk_.size(); ++d) {
        std::vector<Offset> longer;
        const auto first = block.start[d] / chunk_[d] * chunk_[d];
        for (const auto& offset : offsets)
            for (auto at = first; at < block.start[d] + block.count[d]; at += chunk_[d]) {
                longer.push_back(offset);
                longer.back().push_back(at);
            }
        offsets = std::move(longer);
    }
    return offsets;
}

bool DeflatedChunks::read(const Block& block, std::span<std::byte> out) {
    if (out.empty()) return true;
    forget_beside(block);
    const auto offsets = offsets_in(block);
    std::vector<Work> works(std::min(together_, offsets.size()));
    for (std::size_t done = 0; done < offsets.size() && !is_given_up_;) {
        const auto count = std::min(works.size(), offsets.size() - done);
        for (std::size_t i = 0; i < count && !is_given_up_; ++i)
            is_given_up_ = !fetch(offsets[done + i], works[i]);
        if (is_given_up_) break;
        workers_->parallel_for(count, [&](std::size_t i) {
            if (works[i].packed_size > 0) inflate(works[i]);
            copy(works[i], block, out);
        });
        for (std::size_t i = 0; i < count; ++i) keep(works[i], block);
        done += count;
    }
    if (is_given_up_) kept_.clear();
    return !is_given_up_;
}

bool DeflatedChunks::fetch(Offset offset, Work& work) {
    work.offset = std::move(offset);
    work.packed_size = 0;
    if (const auto known = kept_.find(work.offset); known != kept_.end()) {
        work.values = std::move(known->second);
        kept_.erase(known);
        return true;
    }
    const std::vector<hsize_t> at(work.offset.begin(), work.offset.end());
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(dataset_.id(), at.data(), &size) < 0 || size == 0) return false;
    // All of it once, since chunks of many sizes would leave gaps in memory.
    work.packed.resize(compressBound(chunk_bytes()));
    if (size > work.packed.size()) return false;
    std::uint32_t left_out = 0;  // filters that were not applied
    check_hdf5(H5Dread_chunk(dataset_.id(), H5P_DEFAULT, at.data(), &left_out, work.packed.data()),
               path_, "read '" + name_ + "'");
    work.packed_size = size;
    return left_out == 0;
}

void DeflatedChunks::inflate(Work& work) const {
    const auto bytes = chunk_bytes();
    work.values.resize(bytes);
    if (shuffled_) work.shuffled.resize(bytes);
    auto& inflated = shuffled_ ? work.shuffled : work.values;
    if (!inflate_all(std::span(work.packed).first(work.packed_size), inflated))
        throw core::InputError(path_ + ": a chunk of '" + name_ + "' cannot be inflated (damaged)");
    if (shuffled_ && value_bytes_ == sizeof(float))
        unshuffle<sizeof(float)>(inflated.data(), bytes / sizeof(float), work.values.data());
    else if (shuffled_)
        unshuffle<sizeof(double)>(inflated.data(), bytes / sizeof(double), work.values.data());
}

void DeflatedChunks::copy(const Work& work, const Block& block, std::span<std::byte> out) const {
    const std::size_t dims = chunk_.size();
    Offset first(dims), count(dims);  // of what both have
    for (std::size_t d = 0; d < dims; ++d) {
        first[d] = std::max(work.offset[d], block.start[d]);
        count[d] = std::min(work.offset[d] + chunk_[d], block.start[d] + block.count[d]) - first[d];
    }
    const auto run = count.back() * value_bytes_;
    const auto runs = core::product(count) / count.back();
    Offset at = first;
    for (std::size_t r = 0; r < runs; ++r) {
        std::size_t from = 0, to = 0;
        for (std::size_t d = 0; d < dims; ++d) {
            from = from * chunk_[d] + (at[d] - work.offset[d]);
            to = to * block.count[d] + (at[d] - block.start[d]);
        }
        std::memcpy(out.data() + to * value_bytes_, work.values.data() + from * value_bytes_, run);
        for (std::size_t d = dims - 1; d-- > 0;) {
            if (++at[d] < first[d] + count[d]) break;
            at[d] = first[d];
        }
    }
}

void DeflatedChunks::forget_beside(const Block& block) {
    const auto first = block.start[cache_axis_];
    std::erase_if(kept_, [&](const auto& kept) {
        const auto begin = kept.first[cache_axis_];
        return begin + chunk_[cache_axis_] <= first || begin >= first + block.count[cache_axis_];
    });
}

void DeflatedChunks::keep(Work& work, const Block& block) {
    const auto end = std::min(work.offset[cache_axis_] + chunk_[cache_axis_], shape_[cache_axis_]);
    if (end <= block.start[cache_axis_] + block.count[cache_axis_] ||
        (kept_.size() + 1) * chunk_bytes() > cache_bytes_)
        return;
    kept_.emplace(std::move(work.offset), std::move(work.values));
    work.values = {};
}

}  // namespace ventral::io
