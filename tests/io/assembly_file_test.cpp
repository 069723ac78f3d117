#include "io/netcdf/assembly_file.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include <catch2/catch.hpp>
#include <netcdf.h>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_writer.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using io::AssemblyFile;

namespace {

constexpr std::size_t rows = 7;
constexpr std::size_t columns = 150;

void check(int status) {
    INFO(nc_strerror(status));
    REQUIRE(status == NC_NOERR);
}

/// How the values of a file are stored.
struct Storage {
    std::vector<std::string> dims;
    int format = NC_NETCDF4;
    nc_type type = NC_FLOAT;
    std::vector<std::size_t> chunks = {};
    bool compressed = false;
    bool packed = false;
};

std::size_t size_of(const std::string& dim) {
    return dim == "presentation" ? rows : dim == "neuroid" ? columns : 1;
}

/// The value at `row`, `column` is 1000 row + column; packed by a scale of 1/2 and an offset of 1.
void write_table(const std::string& path, const Storage& storage) {
    int file = -1;
    check(nc_create(path.c_str(), NC_CLOBBER | storage.format, &file));
    std::vector<int> dims;
    for (const auto& name : storage.dims) {
        dims.push_back(0);
        check(nc_def_dim(file, name.c_str(), size_of(name), &dims.back()));
    }
    int table = 0;
    const auto rank = static_cast<int>(dims.size());
    check(nc_def_var(file, "table", storage.type, rank, dims.data(), &table));
    if (!storage.chunks.empty())
        check(nc_def_var_chunking(file, table, NC_CHUNKED, storage.chunks.data()));
    if (storage.compressed) check(nc_def_var_deflate(file, table, 1, 1, 1));
    const double scale = storage.packed ? 0.5 : 1;
    const double offset = storage.packed ? 1 : 0;
    if (storage.packed) {
        check(nc_put_att_double(file, table, "scale_factor", NC_DOUBLE, 1, &scale));
        check(nc_put_att_double(file, table, "add_offset", NC_DOUBLE, 1, &offset));
    }
    int labels = 0;
    int row_dim = 0;
    check(nc_inq_dimid(file, "presentation", &row_dim));
    check(nc_def_var(file, "repetition", NC_INT, 1, &row_dim, &labels));
    int column_dim = 0;
    int numbers = 0;
    check(nc_inq_dimid(file, "neuroid", &column_dim));
    check(nc_def_var(file, "neuroid_num", NC_INT, 1, &column_dim, &numbers));
    check(nc_enddef(file));

    const auto first_is_row = std::find(storage.dims.begin(), storage.dims.end(), "presentation") <
                              std::find(storage.dims.begin(), storage.dims.end(), "neuroid");
    std::vector<double> values(rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            values[first_is_row ? i * columns + j : j * rows + i] =
                (static_cast<double>(1000 * i + j) - offset) / scale;
    check(nc_put_var_double(file, table, values.data()));
    std::vector<int> counted(columns);
    std::iota(counted.begin(), counted.end(), 0);
    check(nc_put_var_int(file, labels, counted.data()));
    check(nc_put_var_int(file, numbers, counted.data()));
    check(nc_close(file));
}

template <typename T>
void check_columns(const AssemblyFile& file, std::size_t first, std::size_t count) {
    CAPTURE(first, count);
    std::vector<T> out(rows * count, -1);
    file.read_columns(first, count, std::span(out));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < count; ++j)
            wrong += out[i * count + j] != static_cast<T>(1000 * i + first + j);
    CHECK(wrong == 0);
}

template <typename T>
void check_table(const AssemblyFile& file) {
    const auto& labels = file.labels();
    CHECK(std::get<std::vector<T>>(labels.values).empty());
    REQUIRE(labels.dims.size() == 2);
    CHECK(labels.dims[0].name == "presentation");
    CHECK(labels.dims[0].size == rows);
    CHECK(labels.dims[1].name == "neuroid");
    CHECK(labels.dims[1].size == columns);
    CHECK(core::texts(labels, "repetition").back() == "6");
    CHECK(!core::find_coordinate(labels, "neuroid_num"));
    for (std::size_t first = 0; first < columns; first += 40)
        check_columns<T>(file, first, std::min<std::size_t>(40, columns - first));
    check_columns<T>(file, 0, columns);
    check_columns<T>(file, 63, 3);
    check_columns<T>(file, columns, 0);
}

}  // namespace

TEST_CASE("columns are the same in any order of dims, type, format and storage") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    const auto dims = GENERATE(std::vector<std::string>{"presentation", "neuroid"},
                               std::vector<std::string>{"neuroid", "presentation"},
                               std::vector<std::string>{"time_bin", "neuroid", "presentation"},
                               std::vector<std::string>{"presentation", "time_bin", "neuroid"});
    const auto chunks_of = [&](std::size_t of_rows, std::size_t of_columns) {
        std::vector<std::size_t> chunks;
        for (const auto& dim : dims)
            chunks.push_back(dim == "presentation" ? of_rows : dim == "neuroid" ? of_columns : 1);
        return chunks;
    };
    CAPTURE(dims);
    write_table(path, {dims});
    check_table<float>(AssemblyFile(path));
    write_table(path, {dims, NC_NETCDF4, NC_DOUBLE, chunks_of(2, 7), true});
    check_table<double>(AssemblyFile(path));
    write_table(path, {dims, NC_NETCDF4, NC_FLOAT, chunks_of(3, 90), true});
    check_table<float>(AssemblyFile(path));
    write_table(path, {dims, 0, NC_DOUBLE});
    check_table<double>(AssemblyFile(path));
    write_table(path, {dims, NC_CDF5, NC_FLOAT});
    check_table<float>(AssemblyFile(path));
    write_table(path, {dims, NC_NETCDF4, NC_INT, {}, false, true});
    check_table<double>(AssemblyFile(path));
}

TEST_CASE("labels of neuroids are read that are asked for") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    core::Assembly table;
    table.dims = {{"presentation", 2}, {"neuroid", 3}};
    table.values = std::vector<float>{0, 1, 2, 3, 4, 5};
    table.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"s", "t"}},
                         {"layer", "neuroid", std::vector<std::string>{"a", "b", "b"}},
                         {"channel", "neuroid", std::vector<std::int64_t>{1, 2, 3}}};
    io::write_assembly(path, table);
    io::AssemblyRequest request;
    CHECK_FALSE(core::find_coordinate(io::AssemblyFile(path, request).labels(), "layer"));
    request.neuroid_labels = {"layer"};
    const io::AssemblyFile file(path, request);
    CHECK(core::texts(file.labels(), "layer") == std::vector<std::string>{"a", "b", "b"});
    CHECK_FALSE(core::find_coordinate(file.labels(), "channel"));
}

TEST_CASE("a file may be open any number of times, whichever is closed first") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    core::Assembly table;
    table.dims = {{"presentation", 2}, {"neuroid", 3}};
    table.values = std::vector<float>{0, 1, 2, 3, 4, 5};
    table.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"s", "t"}}};
    io::write_assembly(path, table);
    const auto check = [](const io::AssemblyFile& file) {
        std::vector<float> column(2);
        file.read_columns(1, 1, std::span(column));
        CHECK(column == std::vector<float>{1, 4});
    };
    auto first = std::make_unique<io::AssemblyFile>(path);
    for (int again = 0; again < 3; ++again) {
        auto second = std::make_unique<io::AssemblyFile>(path);
        CHECK(core::texts(io::read_assembly(path), "stimulus_id") ==
              std::vector<std::string>{"s", "t"});
        check(*first);
        first = std::move(second);
        check(*first);
    }
    // Another file of the same name is another file.
    table.values = std::vector<float>{9, 9, 9, 9, 9, 9};
    io::write_assembly(path, table);
    std::vector<float> column(2);
    io::AssemblyFile(path).read_columns(1, 1, std::span(column));
    CHECK(column == std::vector<float>{9, 9});
    check(*first);
}

TEST_CASE("a file that is open is read on after it was opened again") {
    const test::TemporaryFolder folder;
    for (const int format : {NC_NETCDF4, NC_64BIT_OFFSET}) {
        const auto path = folder.file(std::to_string(format));
        write_table(path, {{"presentation", "neuroid"}, format});
        const AssemblyFile file(path);
        check_columns<float>(file, 140, 10);  // to the end
        const AssemblyFile again(path);
        check_columns<float>(file, 0, 10);
        check_table<float>(again);
        check_table<float>(file);
        CHECK(core::dimension_size(io::read_assembly(path), "neuroid") == columns);
        check_table<float>(file);
        // Written over, it is neither what it was nor another file.
        std::filesystem::last_write_time(
            path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
        CHECK_THROWS_AS(AssemblyFile(path), core::TransientError);
    }
}

TEST_CASE("compressed chunks take memory for what their filters do") {
    const test::TemporaryFolder folder;
    const auto bytes = [&](bool compressed) {
        const auto path = folder.file(compressed ? "small" : "large");
        write_table(path, {{"presentation", "neuroid"}, NC_NETCDF4, NC_FLOAT, {4, 50}, compressed});
        return AssemblyFile(path).reading_bytes(50);
    };
    CHECK(bytes(false) == 2 * 4 * 50 * 4);
    CHECK(bytes(true) == 4 * 4 * 50 * 4);
}

TEST_CASE("chunks that calls cross ask for a cache of those that the next call goes on with") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    write_table(path, {{"presentation", "neuroid"}, NC_NETCDF4, NC_FLOAT, {3, 30}, true});
    AssemblyFile file(path);
    // Three chunks of 3 × 30 stand one below the other, and two more.
    CHECK(file.useful_cache(40) == 5 * 90 * sizeof(float));
    CHECK(file.useful_cache(60) == 0);
    file.use_cache(file.useful_cache(40));
    check_table<float>(file);
    CHECK(file.reading_bytes(40) == 4 * 3 * 30 * sizeof(float));

    const auto turned_path = folder.file("turned.nc");
    write_table(turned_path, {{"neuroid", "presentation"}});
    const AssemblyFile turned(turned_path);
    CHECK(turned.useful_cache(40) == 0);
    CHECK(turned.reading_bytes(40) == 40 * rows * sizeof(float));
    CHECK(turned.reading_bytes(4000) == 64 * rows * sizeof(float));
}

TEST_CASE("numbers that are no floating point show their type") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    write_table(path, {{"presentation", "neuroid"}, NC_NETCDF4, NC_INT});
    CHECK(core::type_name(AssemblyFile(path).labels().values) == "int64");
}

TEST_CASE("what is no table of presentations and neuroids is refused with the path") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    core::Assembly assembly;
    assembly.dims = {{"presentation", 2}, {"neuroid", 2}, {"time_bin", 2}};
    assembly.values = std::vector<double>(8, 1);
    io::write_assembly(path, assembly);
    CHECK_THROWS_WITH(AssemblyFile(path), StartsWith(path) && Contains("2 time bins"));
    assembly.dims[2].name = "choice";
    io::write_assembly(path, assembly);
    CHECK_THROWS_WITH(AssemblyFile(path), StartsWith(path) && Contains("beside presentation"));
    assembly.dims = {{"presentation", 8}};
    io::write_assembly(path, assembly);
    CHECK_THROWS_WITH(AssemblyFile(path), StartsWith(path) && Contains("neuroid"));
}

TEST_CASE("a file cut anywhere is refused with its path, or read as it was") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    const int format = GENERATE(NC_NETCDF4, 0);
    write_table(path, {{"presentation", "neuroid"}, format});
    const auto size = std::filesystem::file_size(path);
    for (auto left = size - 1; left > size / 25; left -= size / 25) {
        std::filesystem::resize_file(path, left);
        CAPTURE(format, left);
        CHECK_THROWS_WITH(AssemblyFile(path), StartsWith(path + ": "));
    }
}

TEST_CASE("a file that is cut short while it is open is an error, never zeros") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    const int format = GENERATE(NC_NETCDF4, 0);
    write_table(path, {{"presentation", "neuroid"}, format});
    const AssemblyFile file(path);
    std::vector<float> out(rows * columns);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 2000);
    CHECK_THROWS_WITH(file.read_columns(0, columns, std::span(out)),
                      StartsWith(path + ": was changed while it was read"));
}

TEST_CASE("values that were never written are an error unless their fill value is stated") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("table.nc");
    const auto type = GENERATE(NC_FLOAT, NC_DOUBLE);
    const bool is_stated = GENERATE(false, true);
    int id = -1;
    int dims[2] = {};
    int table = 0;
    check(nc_create(path.c_str(), NC_CLOBBER | NC_NETCDF4, &id));
    check(nc_def_dim(id, "presentation", 2, &dims[0]));
    check(nc_def_dim(id, "neuroid", 2, &dims[1]));
    check(nc_def_var(id, "table", type, 2, dims, &table));
    const double fill = NC_FILL_DOUBLE;
    if (is_stated) check(nc_put_att_double(id, table, "_FillValue", type, 1, &fill));
    check(nc_enddef(id));
    const std::size_t start[2] = {0, 0};
    const std::size_t count[2] = {1, 2};
    const double row[2] = {3, 4};
    check(nc_put_vara_double(id, table, start, count, row));
    check(nc_close(id));

    const AssemblyFile file(path);
    std::vector<float> singles(4);
    std::vector<double> doubles(4);
    const auto read = [&] {
        if (type == NC_FLOAT) return file.read_columns(0, 2, std::span(singles));
        file.read_columns(0, 2, std::span(doubles));
    };
    const auto refused =
        StartsWith(path + ": 'table' has 2 values that netCDF has never written (");
    CAPTURE(type, is_stated);
    if (is_stated) {
        CHECK_NOTHROW(read());
        CHECK((type == NC_FLOAT ? singles[1] : doubles[1]) == 4);
        CHECK(std::isnan(type == NC_FLOAT ? singles[2] : doubles[2]));
        CHECK_NOTHROW(io::read_assembly(path));
    } else {
        CHECK_THROWS_WITH(read(), refused);
        CHECK_THROWS_WITH(io::read_assembly(path), refused);
    }
}

TEST_CASE("a missing or foreign file is refused with its path") {
    const test::TemporaryFolder folder;
    CHECK_THROWS_WITH(AssemblyFile(folder.file("no.nc")), Contains("no.nc: no such file"));
}

TEST_CASE("a layer of a file of activations is read, and an unfinished file refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("activations.h5");
    const auto comm = comm::make_serial();
    io::ActivationsHeader header;
    header.layers = {{"a", {2}}, {"features.3", {columns}}};
    header.batch_size = 3;
    header.stimuli.stimulus_ids.assign(rows, "stimulus");
    header.stimuli.columns = {{"repetition", std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}}};
    {
        io::ActivationsWriter writer(path, *comm, header);
        writer.write_rows(0, 0, std::vector<float>(2 * rows, 1));
        std::vector<float> values(rows * columns);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                values[i * columns + j] = static_cast<float>(1000 * i + j);
        writer.write_rows(1, 0, values);
        for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
            std::filesystem::copy_file(entry.path(), folder.file("unfinished.h5"));
        writer.finish();
    }
    check_table<float>(AssemblyFile(path, {{}, "features.3"}));
    CHECK_THROWS_WITH(AssemblyFile(path), Contains("--layer"));
    CHECK_THROWS_WITH(AssemblyFile(path, {{}, "features.2"}), Contains("features.3"));
    CHECK_THROWS_WITH(AssemblyFile(folder.file("unfinished.h5"), {{}, "features.3"}),
                      StartsWith(folder.file("unfinished.h5") + ": "));
}
