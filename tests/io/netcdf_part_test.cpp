#include "io/netcdf/netcdf_part.hpp"

#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <netcdf.h>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/memory_limit.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using core::Positions;

namespace {

void check(int status) {
    INFO(nc_strerror(status));
    REQUIRE(status == NC_NOERR);
}

std::map<std::string, std::size_t> small() {
    return {{"presentation", 30}, {"neuroid", 12}, {"time_bin", 4}};
}

/// How the values of a file are stored: they are 0, 1, 2, … in its order.
struct Storage {
    std::vector<std::string> dims = {"presentation", "neuroid", "time_bin"};
    nc_type type = NC_DOUBLE;
    std::vector<std::size_t> chunks = {};
    bool compressed = false;
    std::optional<double> scale = {};
    std::map<std::string, std::size_t> sizes = small();
};

std::string written(const test::TemporaryFolder& folder, const Storage& storage) {
    const auto path = folder.file("recordings.nc");
    int file = -1;
    check(nc_create(path.c_str(), NC_CLOBBER | NC_NETCDF4, &file));
    std::vector<int> dims;
    std::size_t count = 1;
    for (const auto& name : storage.dims) {
        dims.push_back(0);
        count *= storage.sizes.at(name);
        check(nc_def_dim(file, name.c_str(), storage.sizes.at(name), &dims.back()));
    }
    int table = 0;
    check(nc_def_var(file, "rates", storage.type, static_cast<int>(dims.size()), dims.data(),
                     &table));
    if (!storage.chunks.empty())
        check(nc_def_var_chunking(file, table, NC_CHUNKED, storage.chunks.data()));
    if (storage.compressed) check(nc_def_var_deflate(file, table, 1, 1, 1));
    if (storage.scale)
        check(nc_put_att_double(file, table, "scale_factor", NC_DOUBLE, 1, &*storage.scale));
    int numbers = 0;
    check(nc_def_var(file, "repetition", NC_INT, 1, dims.data(), &numbers));
    check(nc_enddef(file));
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), 0.0);
    check(nc_put_var_double(file, table, values.data()));
    std::vector<int> counted(storage.sizes.at(storage.dims[0]));
    std::iota(counted.begin(), counted.end(), 0);
    check(nc_put_var_int(file, numbers, counted.data()));
    check(nc_close(file));
    return path;
}

void check_part(const Storage& storage, const Positions& wanted, const Positions& in_order) {
    const test::TemporaryFolder folder;
    const auto path = written(folder, storage);
    std::size_t asked = 0;
    const auto part =
        io::read_assembly(path, {}, [&](const core::Assembly& labels, std::size_t bytes) {
            ++asked;
            CHECK(bytes >= io::most_part_bytes);
            CHECK(core::value_count(labels.values) == 0);
            CHECK(labels.name == "rates");
            CHECK(core::find_coordinate(labels, "repetition"));
            return wanted;
        });
    const auto expected = core::take(io::read_assembly(path), in_order);
    CHECK(asked == 1);
    REQUIRE(part.dims.size() == expected.dims.size());
    for (std::size_t d = 0; d < part.dims.size(); ++d)
        CHECK(part.dims[d].size == expected.dims[d].size);
    CHECK(part.values == expected.values);
    CHECK(part.coordinates[0].values == expected.coordinates[0].values);
    CHECK(core::value_count(part.values) > 0);
}

void check_part(const Storage& storage, const Positions& wanted) {
    check_part(storage, wanted, wanted);
}

const Positions some = {
    {"presentation", {3, 4, 17, 29}}, {"neuroid", {0, 5, 6, 11}}, {"time_bin", {1, 3}}};

}  // namespace

TEST_CASE("a part is what the whole has there, however it is stored") {
    check_part({}, some);
    check_part({.dims = {"neuroid", "time_bin", "presentation"}}, some);
    check_part({.dims = {"time_bin", "presentation", "neuroid"}, .type = NC_FLOAT}, some);
    check_part({.type = NC_INT}, some);
    check_part({.type = NC_SHORT, .scale = 0.5}, some);
    check_part({.type = NC_DOUBLE, .scale = 0.1}, some);
    check_part({.type = NC_FLOAT, .scale = 0.1}, some);
    check_part({.chunks = {7, 5, 3}}, some);
    check_part({.type = NC_FLOAT, .chunks = {30, 12, 4}, .compressed = true}, some);
    check_part({.chunks = {1, 12, 4}, .compressed = true}, some);
}

TEST_CASE("a part may be one of each dimension, or all of some") {
    check_part({}, {{"presentation", {29}}, {"neuroid", {0}}, {"time_bin", {3}}});
    check_part({}, {{"neuroid", {2, 3}}});
    check_part({}, {{"presentation", {0, 1, 2}}});
    check_part({}, {});
}

TEST_CASE("a part has each entry once, in the order of the file") {
    check_part({}, {{"time_bin", {3, 0, 3}}, {"neuroid", {7, 2}}},
               {{"time_bin", {0, 3}}, {"neuroid", {2, 7}}});
}

TEST_CASE("a part of more than is read at once is read in several blocks") {
    Storage large;
    large.dims = {"presentation", "neuroid"};
    large.sizes = {{"presentation", 300'000}, {"neuroid", 8}};  // 19 MB
    std::vector<std::size_t> every_third;
    for (std::size_t i = 1; i < 300'000; i += 3) every_third.push_back(i);
    check_part(large, {{"presentation", every_third}, {"neuroid", {0, 7}}});
    large.chunks = {70'001, 3};
    check_part(large, {{"presentation", every_third}});
    large.chunks = {300'000, 1};
    check_part(large, {{"presentation", every_third}, {"neuroid", {0, 3, 7}}});
    large.type = NC_INT;
    check_part(large, {{"presentation", every_third}, {"neuroid", {1, 2}}});
    check_part(large, {{"presentation", {299'999}}, {"neuroid", {1}}});
}

TEST_CASE("a part of a large compressed chunk is read in slices") {
    Storage large;
    large.dims = {"presentation", "neuroid"};
    large.sizes = {{"presentation", 500'001}, {"neuroid", 8}};
    large.chunks = {300'000, 8};  // 19 MB
    large.compressed = true;
    std::vector<std::size_t> every_seventh;
    for (std::size_t i = 3; i < 500'001; i += 7) every_seventh.push_back(i);
    check_part(large, {{"presentation", every_seventh}, {"neuroid", {1, 6}}});
    large.dims = {"neuroid", "presentation"};
    large.chunks = {8, 300'000};
    check_part(large, {{"presentation", every_seventh}, {"neuroid", {1, 6}}});
}

TEST_CASE("too little memory for a chunk is no damage of the file") {
    if (test::has_address_sanitizer) return;  // which ends the process
    Storage large;
    large.dims = {"presentation", "neuroid"};
    large.sizes = {{"presentation", 500'000}, {"neuroid", 16}};
    large.chunks = {500'000, 16};  // 64 MB
    large.compressed = true;
    const test::TemporaryFolder folder;
    const auto path = written(folder, large);
    std::size_t at_once = 0;
    const auto read = [&] {
        io::read_assembly(path, {}, [&](const core::Assembly&, std::size_t bytes) {
            at_once = bytes;
            return Positions{{"presentation", {0, 499'999}}, {"neuroid", {3}}};
        });
    };
    read();
    {
        const test::MemoryLimit limit(at_once + (4 << 20));  // and the labels of presentations
        read();
    }
    std::optional<core::Failure> failure;
    {
        const test::MemoryLimit limit(std::size_t{32} << 20);
        try {
            read();
        } catch (const std::exception& error) {
            failure = core::failure_of(error);
        }
    }
    REQUIRE(failure);
    CHECK(failure->failure_class == core::FailureClass::out_of_memory);
    CHECK_THAT(failure->reason, Catch::StartsWith(path + ": cannot read"));
}

TEST_CASE("what is wrong with the wish is what reading throws") {
    const test::TemporaryFolder folder;
    const auto path = written(folder, {});
    const auto refuse = [](const core::Assembly&, std::size_t) -> Positions {
        throw core::InputError("no such region");
    };
    CHECK_THROWS_WITH(io::read_assembly(path, {}, refuse), "no such region");
}
