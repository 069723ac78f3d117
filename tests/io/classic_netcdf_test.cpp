#include "io/netcdf/classic_netcdf.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include <catch2/catch.hpp>
#include <netcdf.h>

#include "core/errors.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using io::require_whole_classic;

namespace {

void check(int status) {
    INFO(nc_strerror(status));
    REQUIRE(status == NC_NOERR);
}

/// A classic file of the given version whose variables end with 5 shorts: 10 bytes and 2 of
/// padding. `records` of them are interleaved with bytes along an unlimited dimension.
void write_classic(const std::string& path, int version, std::size_t records) {
    int file = -1;
    check(nc_create(path.c_str(), NC_CLOBBER | version, &file));
    int dims[3];
    check(nc_def_dim(file, "presentation", 4, &dims[0]));
    check(nc_def_dim(file, "neuroid", 5, &dims[1]));
    int table = 0;
    check(nc_def_var(file, "table", NC_DOUBLE, 2, dims, &table));
    check(nc_put_att_text(file, table, "units", 5, "Hz/ms"));
    int record = 0;
    int flag = 0;
    if (records > 0) {
        check(nc_def_dim(file, "time", NC_UNLIMITED, &dims[2]));
        const int shape[] = {dims[2], dims[1]};
        check(nc_def_var(file, "record", NC_SHORT, 2, shape, &record));
        check(nc_def_var(file, "flag", NC_BYTE, 1, &dims[2], &flag));
    }
    check(nc_enddef(file));
    std::vector<double> values(20);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + static_cast<double>(i);
    check(nc_put_var_double(file, table, values.data()));
    const std::vector<short> shorts(5 * records, 7);
    const std::vector<signed char> flags(records, 1);
    const std::size_t start[] = {0, 0};
    const std::size_t count[] = {records, 5};
    if (records > 0) {
        check(nc_put_vara_short(file, record, start, count, shorts.data()));
        check(nc_put_vara_schar(file, flag, start, count, flags.data()));
    }
    check(nc_close(file));
}

void cut(const std::string& path, const std::string& bytes, std::size_t length) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
}

}  // namespace

TEST_CASE("a classic file is refused at every length that lacks a byte of a value") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("classic.nc");
    const int version = GENERATE(0, NC_64BIT_OFFSET, NC_CDF5);
    const std::size_t records = GENERATE(0U, 3U);
    CAPTURE(version, records);
    write_classic(path, version, records);
    const auto bytes = io::read_file(path);
    CHECK_NOTHROW(require_whole_classic(path));
    // The values end with the file, but for the three bytes after the last record's flag.
    const std::size_t values_end = bytes.size() - (records > 0 ? 3 : 0);
    for (std::size_t length = 4; length < values_end; ++length) {
        cut(path, bytes, length);
        CHECK_THROWS_WITH(require_whole_classic(path), StartsWith(path + ": truncated (") &&
                                                           Contains(" " + std::to_string(length)));
    }
    for (std::size_t length = values_end; length < bytes.size(); ++length) {
        cut(path, bytes, length);
        CHECK_NOTHROW(require_whole_classic(path));
    }
    cut(path, bytes, values_end - 1);
    CHECK_THROWS_WITH(require_whole_classic(path), path + ": truncated (needs " +
                                                       std::to_string(values_end) + " bytes, has " +
                                                       std::to_string(values_end - 1) + ")");
}

TEST_CASE("the records of a single variable lie without padding") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("records.nc");
    int file = -1;
    check(nc_create(path.c_str(), NC_CLOBBER, &file));
    int dims[2];
    check(nc_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
    check(nc_def_dim(file, "neuroid", 3, &dims[1]));
    int record = 0;
    check(nc_def_var(file, "record", NC_BYTE, 2, dims, &record));
    check(nc_enddef(file));
    const std::vector<signed char> values(15, 1);
    const std::size_t start[] = {0, 0};
    const std::size_t count[] = {5, 3};
    check(nc_put_vara_schar(file, record, start, count, values.data()));
    check(nc_close(file));
    CHECK_NOTHROW(require_whole_classic(path));
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 2);
    CHECK_THROWS_WITH(require_whole_classic(path), Contains("truncated"));
}

TEST_CASE("what is no classic file is left alone, and a header of nonsense is refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("other");
    for (const std::string text : {"", "CD", "CDF\3", "\x89HDF\r\n\x1a\n", "not netCDF at all\n"}) {
        std::ofstream(path, std::ios::binary) << text;
        CHECK_NOTHROW(require_whole_classic(path));
    }
    std::ofstream(path, std::ios::binary) << "CDF\1 and nonsense that is long enough";
    CHECK_THROWS_WITH(require_whole_classic(path), Contains("damaged"));
}

TEST_CASE("names and shapes beyond netCDF's limits, which it copies unseen, are refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    const auto number = [](std::uint32_t value) {
        return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16 & 255),
                           static_cast<char>(value >> 8 & 255), static_cast<char>(value & 255)};
    };
    const auto dimensions = [&](std::uint32_t name_length) {
        return number(10) + number(1) + number(name_length) + std::string(name_length, 'n') +
               number(1) + number(0) + number(0);
    };
    const auto variable = [&](std::uint32_t rank) {
        std::string text = number(11) + number(1) + number(4) + "data" + number(rank);
        for (std::uint32_t i = 0; i < rank; ++i) text += number(0);
        return text + number(0) + number(0) + number(1) + number(4) + number(0);
    };
    const auto write = [&](const std::string& header) {
        std::ofstream(path, std::ios::binary) << "CDF\1" << number(0) << header;
    };
    write(dimensions(256) + variable(1024));
    CHECK_NOTHROW(require_whole_classic(path));
    write(dimensions(260) + variable(1));
    CHECK_THROWS_WITH(require_whole_classic(path), Contains("damaged"));
    write(dimensions(4) + variable(1025));
    CHECK_THROWS_WITH(require_whole_classic(path), Contains("damaged"));
}

TEST_CASE("an assembly in a classic file that is cut short is refused, not read as zeros") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("cut.nc");
    write_classic(path, 0, 0);
    const auto whole = io::read_assembly(path, {"table", {}});
    CHECK(std::get<std::vector<double>>(whole.values).back() == 20);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 8);
    CHECK_THROWS_WITH(io::read_assembly(path, {"table", {}}),
                      StartsWith(path + ": truncated (needs "));
}

TEST_CASE("a header that the system fails to read is not called truncated") {
    const std::string path = "/proc/self/mem";  // nothing is mapped at its begin
    CHECK_THROWS_AS(require_whole_classic(path), core::TransientError);
    CHECK_THROWS_WITH(require_whole_classic(path), Contains("Input/output error"));
}
