#include "io/activations_file.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "comm/run_collectively.hpp"
#include "core/assembly.hpp"
#include "core/errors.hpp"
#include "io/activations_writer.hpp"
#include "io/direct_reads.hpp"
#include "io/file_size_limit.hpp"
#include "io/input_file.hpp"
#include "io/netcdf_assembly.hpp"
#include "io/page_cache.hpp"
#include "support/ranks.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::ActivationsFile;
using io::ActivationsWriter;

namespace {

constexpr std::size_t batch = 3;

io::ActivationsHeader header_of(std::size_t rows) {
    io::ActivationsHeader header;
    header.key = "0123abc";
    header.provenance = {{"commit", "deadbeef"}};
    header.layers = {{"features.5", {2, 3, 4}}, {"logits", {5000}}, {"block 1", {2, 3}}};
    header.batch_size = batch;
    header.stimuli.identifier = "set";
    core::Column names{"object name", std::vector<std::string>{}};
    core::Column angles{"x", std::vector<double>{}};
    for (std::size_t row = 0; row < rows; ++row) {
        header.stimuli.stimulus_ids.push_back("s" + std::to_string(row));
        std::get<std::vector<std::string>>(names.values).push_back(row % 2 ? "dög" : "");
        std::get<std::vector<double>>(angles.values).push_back(0.5 * static_cast<double>(row));
    }
    header.stimuli.columns = {names, angles};
    return header;
}

float activation(std::size_t layer, std::size_t row, std::size_t feature) {
    return static_cast<float>(layer * 1000000 + row * 10000 + feature);
}

std::vector<float> batch_rows(const io::ActivationsHeader& header, std::size_t layer,
                              std::size_t first) {
    std::vector<float> values;
    const auto end = std::min(first + batch, header.stimuli.stimulus_ids.size());
    for (auto row = first; row < end; ++row) {
        for (std::size_t i = 0; i < io::feature_count(header.layers[layer]); ++i) {
            values.push_back(activation(layer, row, i));
        }
    }
    return values;
}

/// Every rank writes every size-th batch; ranks without a batch in a round give no rows.
void write_all_rows(ActivationsWriter& writer, const comm::Communicator& comm,
                    const io::ActivationsHeader& header) {
    const auto rows = header.stimuli.stimulus_ids.size();
    const auto ranks = static_cast<std::size_t>(comm.size());
    for (std::size_t start = 0; start < rows; start += ranks * batch) {
        const auto first = start + static_cast<std::size_t>(comm.rank()) * batch;
        for (std::size_t layer = 0; layer < header.layers.size(); ++layer) {
            const auto values = batch_rows(header, layer, first);
            writer.write_rows(layer, first < rows ? first : 0, values);
        }
    }
}

/// The folder of rank 0, under the same name on all ranks.
std::string common_path(comm::Communicator& comm, const test::TemporaryFolder& folder) {
    return comm.broadcast(folder.file("a.h5"), 0);
}

std::size_t entries(const std::string& path) {
    const auto folder = std::filesystem::path(path).parent_path();
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

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

TEST_CASE("what the ranks write together each of them reads") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(20);
        {
            ActivationsWriter writer(path, comm, header);
            write_all_rows(writer, comm, header);
            CHECK_FALSE(std::filesystem::exists(path));
            writer.finish();
        }
        comm.barrier();
        const ActivationsFile file(path);
        for (const auto& layer : file.layers()) CHECK_NOTHROW(file.verify(layer.name));
        CHECK(file.key() == "0123abc");
        CHECK(file.rows() == 20);
        CHECK(file.stimulus_ids() == header.stimuli.stimulus_ids);
        REQUIRE(file.layers().size() == 3);
        CHECK(file.layers()[0].name == "features.5");
        CHECK(file.layers()[0].shape == std::vector<std::int64_t>{2, 3, 4});
        CHECK(file.layers()[1].name == "logits");

        std::vector<float> columns(20 * 905);
        file.read_columns("logits", 4095, 905, columns);
        bool same = true;
        for (std::size_t row = 0; row < 20; ++row) {
            for (std::size_t i = 0; i < 905; ++i) {
                same = same && columns[row * 905 + i] == activation(1, row, 4095 + i);
            }
        }
        CHECK(same);
        std::vector<float> rows(2 * 24);
        file.read_rows("features.5", 18, 2, rows);
        CHECK(rows[0] == activation(0, 18, 0));
        CHECK(rows[47] == activation(0, 19, 23));
        if (comm.rank() == 0) CHECK(entries(path) == 1);
        comm.barrier();
    });
}

TEST_CASE("compressed rows are read back bit by bit, whoever compressed them") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(20);
        header.compression = 1;
        {
            ActivationsWriter writer(path, comm, header);
            write_all_rows(writer, comm, header);
            CHECK_THROWS(writer.write_rows(0, 1, batch_rows(header, 0, 0)));
            writer.finish();
        }
        comm.barrier();
        const ActivationsFile file(path);
        for (std::size_t layer = 0; layer < 3; ++layer) {
            const auto features = io::feature_count(header.layers[layer]);
            std::vector<float> rows(20 * features);
            file.read_rows(header.layers[layer].name, 0, 20, rows);
            bool same = true;
            for (std::size_t i = 0; i < rows.size(); ++i)
                same = same && rows[i] == activation(layer, i / features, i % features);
            CHECK(same);
        }
        std::vector<float> part(20 * 905);
        file.read_columns("logits", 4095, 905, part);
        CHECK(part[905 * 19 + 904] == activation(1, 19, 4999));
        // 20 rows of 5030 numbers are 402,400 bytes.
        CHECK(std::filesystem::file_size(path) < 300'000);
        comm.barrier();
    });
}

TEST_CASE("compressed rows that are missing or on their way leave no file") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(30);
        header.compression = 9;
        {
            ActivationsWriter writer(path, comm, header);
            writer.write_rows(1, batch * static_cast<std::size_t>(comm.rank()),
                              batch_rows(header, 1, batch * static_cast<std::size_t>(comm.rank())));
            if (comm.rank() == 0) CHECK_THROWS(writer.write_rows(1, 30, batch_rows(header, 1, 0)));
        }
        {
            ActivationsWriter writer(path, comm, header);
            CHECK_THROWS_WITH(writer.finish(), Catch::Contains("was given 0 of 30"));
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("a disk that is too small for compressed rows is an error on all ranks") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(600);
        header.compression = 1;
        {
            ActivationsWriter writer(path, comm, header);
            comm.barrier();
            std::optional<test::FileSizeLimit> limit;
            if (comm.rank() == 0) limit.emplace(50'000);
            CHECK_THROWS_WITH(
                comm::run_collectively(comm, [&] { write_all_rows(writer, comm, header); }),
                Catch::Contains("a.h5") && Catch::Contains("cannot be written"));
            comm.barrier();
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

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

TEST_CASE("a file that is not finished is not there, and missing rows cannot be finished") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(4);
        {
            ActivationsWriter writer(path, comm, header);
            writer.write_rows(2, 0,
                              comm.rank() == 0 ? batch_rows(header, 2, 0) : std::vector<float>{});
            CHECK_THROWS_WITH(writer.finish(), Catch::Contains("'features.5' was given 0 of 4"));
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("rows that cannot be are refused on the rank that gives them") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(4);
        ActivationsWriter writer(path, comm, header);
        const std::vector<float> row(6);
        CHECK_THROWS(writer.write_rows(2, 4, row));
        CHECK_THROWS(writer.write_rows(2, 0, std::span(row).first(5)));
        CHECK_THROWS(writer.write_rows(3, 0, {}));
    });
}

TEST_CASE("a file that cannot be made is thrown on all ranks") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        CHECK_THROWS(ActivationsWriter(path + ".d/a.h5", comm, header_of(2)));
        auto header = header_of(2);
        header.layers[1].name = "features.5";
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header), Catch::Contains("two layers"));
        header.layers[1].name = "a/b";
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header), Catch::Contains("'a/b'"));
        header = header_of(2);
        header.layers[1].shape = {0};
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header), Catch::Contains("size of 0"));
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("a disk that is too small is an error before the first row") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        std::optional<test::FileSizeLimit> limit;
        if (comm.rank() == 0) limit.emplace(1000000);
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header_of(1000)), Catch::Contains("a.h5"));
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
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
    CHECK_THROWS_WITH(file.read_rows("wide", 0, rows, out), names_end);
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

TEST_CASE("rows of one chunk may come from several ranks") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(2 * batch);
        header.layers = {{"block", {2, 3}}};
        {
            ActivationsWriter writer(path, comm, header);
            for (std::size_t row = 0; row < 2 * batch; ++row) {
                std::vector<float> values(6, activation(0, row, 0));
                if (row % static_cast<std::size_t>(comm.size()) !=
                    static_cast<std::size_t>(comm.rank()))
                    values.clear();
                writer.write_rows(0, row, values);
            }
            writer.finish();
        }
        comm.barrier();
        std::vector<float> rows(2 * batch * 6);
        ActivationsFile(path).read_rows("block", 0, 2 * batch, rows);
        for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == activation(0, i / 6, 0));
        comm.barrier();
    });
}

TEST_CASE("a write that fails on one rank leaves no other waiting and no file") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(4);
        {
            ActivationsWriter writer(path, comm, header);
            if (comm.rank() == 0) {
                const test::FileSizeLimit limit(100);
                CHECK_THROWS_AS(writer.write_rows(0, 0, batch_rows(header, 0, 0)),
                                core::TransientError);
                CHECK_THROWS_WITH(writer.write_rows(0, 0, batch_rows(header, 0, 0)),
                                  Catch::Contains("a.h5") && Catch::Contains("File too large"));
            }
            CHECK_THROWS(writer.finish());
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
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
