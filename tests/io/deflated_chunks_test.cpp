#include "io/hdf5/deflated_chunks.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <hdf5.h>

#include "core/errors.hpp"
#include "core/portable_random.hpp"
#include "core/workers.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::Block;
using io::DeflatedChunks;
using Sizes = std::vector<std::size_t>;

namespace {

struct Stored {
    Sizes shape;
    Sizes chunk;
    bool shuffle = true;
    bool checksums = false;  ///< a filter more
    unsigned options = 0;
    bool is_written = true;
};

template <typename T>
hid_t type_of() {
    return std::is_same_v<T, float> ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

std::size_t count_of(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

/// A file with the dataset "x": its values, row-major.
template <typename T>
std::vector<T> write(const std::string& path, const Stored& stored) {
    io::prepare_hdf5();
    core::PortableRandom random(7);
    std::vector<T> values(count_of(stored.shape));
    std::generate(values.begin(), values.end(),
                  [&] { return static_cast<T>(std::max(0.0, random.uniform(-1, 1))); });
    const std::vector<hsize_t> shape(stored.shape.begin(), stored.shape.end());
    const std::vector<hsize_t> chunk(stored.chunk.begin(), stored.chunk.end());
    const auto dims = static_cast<int>(shape.size());
    const io::Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                              H5Fclose, path, "create");
    const io::Hdf5Handle space(H5Screate_simple(dims, shape.data(), nullptr), H5Sclose, path, "s");
    const io::Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path, "list");
    if (!chunk.empty()) {
        REQUIRE(H5Pset_chunk(list.id(), dims, chunk.data()) >= 0);
        if (stored.options > 0) REQUIRE(H5Pset_chunk_opts(list.id(), stored.options) >= 0);
        if (stored.shuffle) REQUIRE(H5Pset_shuffle(list.id()) >= 0);
        REQUIRE(H5Pset_deflate(list.id(), 4) >= 0);
        if (stored.checksums) REQUIRE(H5Pset_fletcher32(list.id()) >= 0);
    }
    const io::Hdf5Handle data(
        H5Dcreate2(file.id(), "x", type_of<T>(), space.id(), H5P_DEFAULT, list.id(), H5P_DEFAULT),
        H5Dclose, path, "create");
    if (stored.is_written)
        REQUIRE(H5Dwrite(data.id(), type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >=
                0);
    return values;
}

template <typename T>
std::vector<T> part_of(const std::vector<T>& values, const Sizes& shape, const Block& block) {
    std::vector<T> part;
    for (std::size_t i = 0; i < values.size(); ++i) {
        bool is_in = true;
        std::size_t rest = i;
        for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
            is_in = is_in && rest % shape[d] >= block.start[d] &&
                    rest % shape[d] < block.start[d] + block.count[d];
        if (is_in) part.push_back(values[i]);
    }
    return part;
}

template <typename T>
std::vector<T> read(DeflatedChunks& chunks, const Block& block) {
    std::vector<T> out(count_of(block.count));
    REQUIRE(chunks.read(block, std::as_writable_bytes(std::span(out))));
    return out;
}

std::optional<DeflatedChunks> open(const std::string& path, const Sizes& shape) {
    return DeflatedChunks::open(io::open_hdf5(path), path, "x", shape);
}

/// All blocks of 1 or 3 entries and of all along the last axis, in turn from the start.
template <typename T>
void check_blocks(const std::string& path, const Stored& stored, std::size_t threads,
                  std::size_t cache) {
    const auto values = write<T>(path, stored);
    auto chunks = open(path, stored.shape);
    REQUIRE(chunks);
    CHECK(chunks->value_bytes() == sizeof(T));
    chunks->use_workers(std::make_shared<core::Workers>(threads));
    const std::size_t axis = stored.shape.size() - 1;
    chunks->use_cache(cache, axis);
    for (const std::size_t width : {Sizes::value_type{1}, Sizes::value_type{3}, stored.shape[axis]})
        for (std::size_t first = 0; first < stored.shape[axis]; first += width) {
            Block block{Sizes(stored.shape.size(), 0), stored.shape};
            block.start[axis] = first;
            block.count[axis] = std::min(width, stored.shape[axis] - first);
            block.start[0] = 1;
            block.count[0] = stored.shape[0] - 2;
            CHECK(read<T>(*chunks, block) == part_of(values, stored.shape, block));
        }
}

}  // namespace

TEST_CASE("blocks are what was written, however many threads inflate and however much is kept") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    for (const std::size_t threads : {1, 3})
        for (const std::size_t cache : {std::size_t{0}, std::size_t{400}, std::size_t{1} << 20})
            for (const bool shuffle : {true, false}) {
                check_blocks<float>(path, {{11, 14}, {4, 5}, shuffle}, threads, cache);
                check_blocks<double>(path, {{11, 14}, {1, 14}, shuffle}, threads, cache);
                check_blocks<float>(path, {{9, 1, 7}, {2, 1, 4}, shuffle}, threads, cache);
                check_blocks<float>(path, {{7, 3, 5}, {7, 2, 2}, shuffle}, threads, cache);
            }
}

TEST_CASE("what is stored in another way is for HDF5") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    const Sizes shape{11, 14};
    const auto is_open = [&](const Stored& stored) {
        write<float>(path, stored);
        return open(path, shape).has_value();
    };
    CHECK(is_open({shape, {4, 5}}));
    CHECK_FALSE(is_open({shape, {}}));
    CHECK_FALSE(is_open({shape, {4, 5}, true, true}));
    CHECK_FALSE(is_open({{14, 11}, {4, 5}}));
    CHECK_FALSE(is_open({shape, {4, 5}, true, false, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS}));
    CHECK_FALSE(DeflatedChunks::open(io::open_hdf5(path), path, "y", shape));
}

TEST_CASE("a chunk that was never written, or not deflated, is for HDF5") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    const Sizes shape{8, 10};
    write<float>(path, {shape, {4, 5}, true, false, 0, false});
    std::vector<float> out(80);
    {
        auto none = open(path, shape);
        REQUIRE(none);
        CHECK_FALSE(none->read({{0, 0}, shape}, std::as_writable_bytes(std::span(out))));
    }
    {
        const io::Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, path,
                                  "open");
        const io::Hdf5Handle data(H5Dopen2(file.id(), "x", H5P_DEFAULT), H5Dclose, path, "open");
        const hsize_t at[] = {0, 0};
        const std::vector<float> plain(20, 2.0F);
        constexpr std::uint32_t no_filter = 3;
        REQUIRE(H5Dwrite_chunk(data.id(), H5P_DEFAULT, no_filter, at, plain.size() * sizeof(float),
                               plain.data()) >= 0);
    }
    auto plain = open(path, shape);
    REQUIRE(plain);
    CHECK_FALSE(plain->read({{0, 0}, {4, 5}}, std::as_writable_bytes(std::span(out).first(20))));
}

TEST_CASE("a damaged chunk is an error that names file and dataset, and nothing else") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    const Sizes shape{64, 64};
    write<float>(path, {shape, shape});
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        file.seekp(static_cast<std::streamoff>(bytes.size() - 1000));
        file.write("damage", 6);
    }
    auto chunks = open(path, shape);
    REQUIRE(chunks);
    std::vector<float> out(64 * 64);
    CHECK_THROWS_WITH(chunks->read({{0, 0}, shape}, std::as_writable_bytes(std::span(out))),
                      path + ": a chunk of 'x' cannot be inflated (damaged)");
}

TEST_CASE("chunks in work are counted, and few at a time where they are large") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write<float>(path, {{40, 50}, {10, 25}});
    auto chunks = open(path, {40, 50});
    REQUIRE(chunks);
    constexpr std::size_t chunk_bytes = 10 * 25 * sizeof(float);
    constexpr std::size_t stack_bytes = 8 << 20;
    CHECK(chunks->reading_bytes() == 4 * chunk_bytes);  // as HDF5
    chunks->use_workers(std::make_shared<core::Workers>(4));
    CHECK(chunks->reading_bytes() == 4 * 3 * chunk_bytes + 3 * stack_bytes);
    chunks->use_workers(std::make_shared<core::Workers>(4), 7 * chunk_bytes);
    CHECK(chunks->reading_bytes() == 2 * 3 * chunk_bytes + 3 * stack_bytes);
    CHECK(io::make_inflaters(2)->threads() == 2);
    CHECK(io::make_inflaters(64)->threads() == 8);
    // 64 MiB a chunk, which nobody writes: one is in work at a time (HDF5 has four copies of it).
    const Sizes large{4096, 4096};
    write<float>(folder.file("b.h5"), {large, large, true, false, 0, false});
    auto of_large = open(folder.file("b.h5"), large);
    REQUIRE(of_large);
    of_large->use_workers(std::make_shared<core::Workers>(4));
    CHECK(of_large->reading_bytes() == 4 * count_of(large) * sizeof(float) + 3 * stack_bytes);
}
