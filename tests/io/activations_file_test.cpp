#include "io/activations/activations_file.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "comm/run_collectively.hpp"
#include "core/assembly.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_writer.hpp"
#include "io/disk/direct_reads.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "io/page_cache.hpp"
#include "io/small_activations.hpp"
#include "support/ranks.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::ActivationsFile;
using io::ActivationsWriter;
using test::activation;
using test::header_of;
using test::write_all_rows;

namespace {

void write_file(const std::string& path, std::size_t rows, int compression = 0) {
    const auto comm = comm::make_serial();
    auto header = header_of(rows);
    header.compression = compression;
    ActivationsWriter writer(path, *comm, header);
    write_all_rows(writer, *comm, header);
    writer.finish();
}

constexpr std::size_t wide = 2 * io::chunk_features + 5;

void write_wide_file(const std::string& path, std::size_t rows, int compression) {
    const auto comm = comm::make_serial();
    auto header = header_of(rows);
    header.layers = {{"wide", {static_cast<std::int64_t>(wide)}}};
    header.compression = compression;
    ActivationsWriter writer(path, *comm, header);
    write_all_rows(writer, *comm, header);
    writer.finish();
}

std::span<float> from_page(std::vector<float>& memory) {
    const auto place = reinterpret_cast<std::uintptr_t>(memory.data());
    return std::span(memory).subspan(-place % io::direct_alignment / sizeof(float));
}

bool are_slabs(std::span<const float> out, std::size_t rows, std::size_t first, std::size_t count) {
    auto next = out.begin();
    for (std::size_t begin = 0; begin < count; begin += io::chunk_features)
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t i = begin; i < std::min(begin + io::chunk_features, count); ++i)
                if (*next++ != activation(0, row, first + i)) return false;
    return next == out.end();
}

}  // namespace

TEST_CASE("how wide the images were shown is a coordinate, in place of the table's column of it") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    auto header = header_of(3);
    const auto written = [&](const std::string& path) {
        ActivationsWriter writer(path, *serial, header);
        write_all_rows(writer, *serial, header);
        writer.finish();
        return ActivationsFile(path).visual_degrees();
    };
    CHECK(written(folder.file("unknown.h5")).empty());
    header.stimuli.visual_degrees = {8, 4.5, 8};
    header.stimuli.columns.push_back({"visual_degrees", std::vector<std::int64_t>{1, 2, 3}});
    header.stimuli.columns.push_back({"visual degrees", std::vector<std::string>{"a", "b", "c"}});
    CHECK(written(folder.file("a.h5")) == std::vector<double>{8, 4.5, 8});
    const auto assembly = io::read_assembly(folder.file("a.h5"), {{}, "logits"});
    CHECK(core::texts(assembly, "visual_degrees") == std::vector<std::string>{"8", "4.5", "8"});
    CHECK(core::texts(assembly, "stimulus_visual_degrees")[2] == "c");
    header.stimuli.visual_degrees.pop_back();
    CHECK_THROWS_WITH(written(folder.file("b.h5")), Catch::Contains("another number of widths"));
}

TEST_CASE("a layer is an assembly with the columns of the stimuli and places of the neuroids") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write_file(path, 5);
    CHECK(io::assembly_groups(path) == std::vector<std::string>{"features.5", "logits", "block 1"});
    const auto assembly = io::read_assembly(path, {{}, "features.5"});
    CHECK(assembly.name == "activations");
    CHECK(assembly.dims[0].name == "presentation");
    CHECK(assembly.dims[1].name == "neuroid");
    CHECK(std::get<std::vector<float>>(assembly.values)[24 + 7] == activation(0, 1, 7));
    CHECK(core::texts(assembly, "stimulus_id")[4] == "s4");
    CHECK(core::texts(assembly, "object_name")[1] == "dög");
    CHECK(core::coordinate(assembly, "stimulus_x").dim == "presentation");
    // Neuroid 23 of 2 × 3 × 4 is the last; 13 = 1·12 + 0·4 + 1.
    CHECK(core::texts(assembly, "neuroid_num")[23] == "23");
    CHECK(core::texts(assembly, "channel")[13] == "1");
    CHECK(core::texts(assembly, "y")[13] == "0");
    CHECK(core::texts(assembly, "y")[23] == "2");
    CHECK(core::texts(assembly, "x")[13] == "1");
    const auto flat = io::read_assembly(path, {{}, "logits"});
    CHECK(core::texts(flat, "channel")[4999] == "4999");
    CHECK_FALSE(core::find_coordinate(flat, "y"));
    CHECK_FALSE(core::find_coordinate(io::read_assembly(path, {{}, "block 1"}), "channel"));
}

TEST_CASE("slabs are read one after the other, past the page cache if they are not read again") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    const std::size_t rows = GENERATE(20, 70);  // 70 are more than are put aside at once
    const int compression = GENERATE(0, 1);
    write_wide_file(path, rows, compression);
    const int descriptor = open(path.c_str(), O_RDONLY);
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    const ActivationsFile file(path, io::ReadAgain::no);
    const auto before = test::bytes_in_memory(descriptor, std::filesystem::file_size(path));
    std::vector<float> memory(rows * wide + io::direct_alignment);
    const std::size_t shift = GENERATE(std::size_t{0}, std::size_t{4});  // from a page's beginning
    for (const auto& [first, count] :
         {std::pair{std::size_t{0}, wide}, {4096, wide - 4096}, {4096, 4096}, {8192, 5}, {0, 7}}) {
        CAPTURE(first, count);
        const auto out = from_page(memory).subspan(shift, rows * count);
        file.read_slabs("wide", first, count, out);
        CHECK(are_slabs(out, rows, first, count));
    }
    if (compression == 0 && !test::keeps_files_in_memory(path)) {
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
        file.read_slabs("wide", 0, wide, from_page(memory).first(rows * wide));
        CHECK(test::bytes_in_memory(descriptor, std::filesystem::file_size(path)) <= before);
    }
    close(descriptor);
    CHECK_THROWS_AS(file.read_slabs("wide", 1, 5, std::span(memory).first(rows * 5)),
                    std::out_of_range);
    CHECK_THROWS_AS(file.read_slabs("wide", 8192, 4096, std::span(memory).first(rows * 4096)),
                    std::out_of_range);
}

TEST_CASE("a file that is cut short while it is open is an error, never zeros") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    constexpr std::size_t rows = 20;
    const int compression = GENERATE(0, 1);
    const auto again = GENERATE(io::ReadAgain::no, io::ReadAgain::yes);
    // Direct reads end at a page, and go on to fail anywhere else.
    const std::size_t beyond_page = GENERATE(std::size_t{0}, std::size_t{100});
    write_wide_file(path, rows, compression);
    const ActivationsFile file(path, again);
    const auto half = std::filesystem::file_size(path) / 2;
    const auto end = half - half % io::direct_alignment + beyond_page;
    std::filesystem::resize_file(path, end);
    CAPTURE(compression, again == io::ReadAgain::no, end);
    std::vector<float> memory(rows * wide + io::direct_alignment);
    const auto out = from_page(memory).first(rows * wide);
    const auto names_end = Catch::StartsWith(path + ": was changed while it was read (it ends at " +
                                             "byte " + std::to_string(end));
    CHECK_THROWS_WITH(file.read_slabs("wide", 0, wide, out), names_end);
    CHECK_THROWS_WITH(file.read_block("wide", {0, rows, 0, wide}, out), names_end);
    CHECK_THROWS_WITH(file.read_columns("wide", 0, 1, out.first(rows)), names_end);
    CHECK_THROWS_WITH(file.verify("wide"), names_end);
    CHECK_THROWS_AS(file.read_slabs("wide", 0, wide, out), core::TransientError);
}

TEST_CASE("reading slabs takes chunks of its own where the last slab does not fill them") {
    // A MiB of them, or one, and room to begin with a page.
    CHECK(io::slab_reading_bytes(wide, 20) == 3 * 20 * 4096 * 4 + 4096);
    CHECK(io::slab_reading_bytes(wide, 100) == 100 * 4096 * 4 + 4096);
    CHECK(io::slab_reading_bytes(wide, 1) == 32 * 4096 * 4 + 4096);
    CHECK(io::slab_reading_bytes(8192, 20) == 0);
    CHECK(io::slab_reading_bytes(4095, 20) == 0);  // its chunks are narrower, and HDF5 reads them
}

TEST_CASE("unknown layers and parts beyond the end are refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write_file(path, 5);
    const ActivationsFile file(path);
    std::vector<float> out(5);
    CHECK_THROWS_WITH(file.read_columns("logit", 0, 1, out), Catch::Contains("logits"));
    CHECK_THROWS_AS(file.read_columns("logits", 5000, 1, out), std::out_of_range);
    CHECK_THROWS_AS(file.read_columns("logits", 0, 2, out), std::out_of_range);
}

TEST_CASE("a missing, foreign or cut file is an error that names it") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    CHECK_THROWS_WITH(ActivationsFile(path), path + ": no such file");
    std::ofstream(path) << "no";
    CHECK_THROWS_WITH(ActivationsFile(path), Catch::StartsWith(path + ": is not an HDF5 file"));
    for (const int compression : {0, 1}) {
        std::filesystem::remove(path);
        write_file(path, 5, compression);
        const auto size = std::filesystem::file_size(path);
        for (auto left = size - 1; left > size / 20; left -= size / 20) {
            std::filesystem::resize_file(path, left);
            CHECK_THROWS_WITH(ActivationsFile(path), Catch::StartsWith(path + ": "));
        }
    }
}

TEST_CASE("an activation that changed on disk is found") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write_file(path, 20);
    auto bytes = io::read_file(path);
    const float value = activation(1, 7, 100);
    const auto at = bytes.find({reinterpret_cast<const char*>(&value), sizeof value});
    REQUIRE(at != bytes.npos);
    bytes[at] = static_cast<char>(bytes[at] ^ 64);
    std::ofstream(path, std::ios::binary) << bytes;
    int blocks = 0;
    CHECK_NOTHROW(ActivationsFile(path).verify("features.5", [&] { ++blocks; }));
    CHECK(blocks == 1);  // it is smaller than one
    CHECK_THROWS_WITH(ActivationsFile(path).verify("logits"),
                      path + ": the checksum of layer 'logits' is wrong (damaged)");
}

namespace {

/// Five rows of two layers in two time bins.
void write_in_time(const std::string& path) {
    const auto comm = comm::make_serial();
    auto header = header_of(5);
    header.layers = {{"first", {2}}, {"second", {3}}};
    header.time_bins = {{0, 50}, {50, 100}};
    ActivationsWriter writer(path, *comm, header);
    for (std::size_t layer = 0; layer < 2; ++layer) {
        std::vector<float> rows;
        for (std::size_t row = 0; row < 5; ++row)
            for (std::size_t bin = 0; bin < 2; ++bin)
                for (std::size_t i = 0; i < 2 + layer; ++i)
                    rows.push_back(activation(layer, row, 100 * bin + i));
        writer.write_rows(layer, 0, rows);
    }
    writer.finish();
}

void overwrite(const std::string& path, const std::string& dataset, std::vector<double> numbers) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t array = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
    CHECK(H5Dwrite(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
    H5Dclose(array);
    H5Fclose(file);
}

}  // namespace

TEST_CASE("one time bin is read without the others") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write_in_time(path);
    const ActivationsFile file(path);
    std::vector<float> out(4);
    file.read_block("second", {3, 2, 1, 2, 1}, out);
    for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t i = 0; i < 2; ++i)
            CHECK(out[row * 2 + i] == activation(1, 3 + row, 100 + 1 + i));
    CHECK_THROWS_AS(file.read_block("second", {3, 2, 1, 2, 2}, out), std::out_of_range);
    write_file(folder.file("still.h5"), 5);
    CHECK_THROWS_AS(
        ActivationsFile(folder.file("still.h5")).read_block("logits", {3, 2, 1, 2, 0}, out),
        std::out_of_range);
}

TEST_CASE("layers that differ in their time bins are an error") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write_in_time(path);
    CHECK(ActivationsFile(path).time_bins() == core::TimeBins{{0, 50}, {50, 100}});
    overwrite(path, "second/time_bin_end", {60, 100});
    CHECK_THROWS_WITH(ActivationsFile(path),
                      path +
                          ": the time bins of layer 'second' are not those of layer 'first' "
                          "(damaged)");
}
