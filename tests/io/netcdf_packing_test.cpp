#include "io/netcdf/netcdf_packing.hpp"

#include <cmath>
#include <functional>

#include <catch2/catch.hpp>
#include <netcdf.h>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using Doubles = std::vector<double>;

namespace {

void check(int status) {
    INFO(nc_strerror(status));
    REQUIRE(status == NC_NOERR);
}

/// A classic file with a variable "rates" of four numbers along "presentation"; `add` gives it
/// attributes.
void write_rates(const std::string& path, nc_type type, const Doubles& numbers,
                 const std::function<void(int file, int variable)>& add) {
    int file = -1;
    int dim = 0;
    int rates = 0;
    check(nc_create(path.c_str(), NC_CLOBBER, &file));
    check(nc_def_dim(file, "presentation", numbers.size(), &dim));
    check(nc_def_var(file, "rates", type, 1, &dim, &rates));
    add(file, rates);
    check(nc_enddef(file));
    check(nc_put_var_double(file, rates, numbers.data()));
    check(nc_close(file));
}

void put_text(int file, int variable, const char* name, const std::string& text) {
    check(nc_put_att_text(file, variable, name, text.size(), text.c_str()));
}

}  // namespace

TEST_CASE("of several missing values each is NaN") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    write_rates(path, NC_DOUBLE, {-999, 1, -888, -777}, [](int file, int rates) {
        const double missing[] = {-999, -888};
        const double fill = -777;
        check(nc_put_att_double(file, rates, "missing_value", NC_DOUBLE, 2, missing));
        check(nc_put_att_double(file, rates, "_FillValue", NC_DOUBLE, 1, &fill));
    });
    const auto values = std::get<Doubles>(io::read_assembly(path).values);
    CHECK(std::isnan(values[0]));
    CHECK(values[1] == 1);
    CHECK(std::isnan(values[2]));
    CHECK(std::isnan(values[3]));
}

TEST_CASE("bytes that are unsigned by an attribute are not negative") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    write_rates(path, NC_BYTE, {1, 127, -128, -1},
                [](int file, int rates) { put_text(file, rates, "_Unsigned", "true"); });
    const auto assembly = io::read_assembly(path);
    CHECK(std::get<std::vector<std::int64_t>>(assembly.values) ==
          std::vector<std::int64_t>{1, 127, 128, 255});
    CHECK(assembly.attributes.count("_Unsigned") == 0);
}

TEST_CASE("the missing value of unsigned bytes is meant as one of them") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    write_rates(path, NC_BYTE, {1, 127, -128, -1}, [](int file, int rates) {
        const signed char fill = -1;
        put_text(file, rates, "_Unsigned", "true");
        check(nc_put_att_schar(file, rates, "_FillValue", NC_BYTE, 1, &fill));
    });
    const auto values = std::get<Doubles>(io::read_assembly(path).values);
    CHECK(values[2] == 128);
    CHECK(std::isnan(values[3]));
}

TEST_CASE("a missing value of another type is met in the precision of the values") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    const auto* name = GENERATE("missing_value", "_FillValue");
    write_rates(path, NC_FLOAT, {-999.9, 1, 1e20, 0.1}, [&](int file, int rates) {
        const double missing[] = {-999.9, 1e20, 1e300};
        const bool is_fill = name == std::string("_FillValue");
        const auto type = is_fill ? NC_FLOAT : NC_DOUBLE;
        check(nc_put_att_double(file, rates, name, type, is_fill ? 1 : 3, missing));
    });
    const auto values = std::get<std::vector<float>>(io::read_assembly(path).values);
    CHECK(std::isnan(values[0]));
    CHECK(values[1] == 1.0F);
    CHECK(std::isnan(values[2]) == (name == std::string("missing_value")));
    CHECK(values[3] == 0.1F);
}

TEST_CASE("integers of which none is missing stay integers") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    const std::vector<std::int64_t> ids{9007199254740993, 9007199254740992, 3, -1};
    const auto write = [&](std::int64_t fill) {
        int file = -1, dim = 0, variable = 0;
        check(nc_create(path.c_str(), NC_CLOBBER | NC_NETCDF4, &file));
        check(nc_def_dim(file, "presentation", ids.size(), &dim));
        check(nc_def_var(file, "ids", NC_INT64, 1, &dim, &variable));
        check(nc_put_att_long(file, variable, "_FillValue", NC_INT64, 1, &fill));
        check(nc_put_var_long(file, variable, ids.data()));
        check(nc_close(file));
    };
    write(-5);
    CHECK(std::get<std::vector<std::int64_t>>(io::read_assembly(path).values) == ids);
    write(-1);
    const auto values = std::get<Doubles>(io::read_assembly(path).values);
    CHECK(values[2] == 3);
    CHECK(std::isnan(values[3]));
}

TEST_CASE("unsigned integers of 64 bits are read beside their fill value") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    const unsigned long long ids[] = {7, NC_FILL_UINT64}, fill = NC_FILL_UINT64;
    int file = -1, dim = 0, variable = 0;
    check(nc_create(path.c_str(), NC_CLOBBER | NC_NETCDF4, &file));
    check(nc_def_dim(file, "presentation", 2, &dim));
    check(nc_def_var(file, "ids", NC_UINT64, 1, &dim, &variable));
    check(nc_put_att_ulonglong(file, variable, "_FillValue", NC_UINT64, 1, &fill));
    check(nc_put_var_ulonglong(file, variable, ids));
    check(nc_close(file));
    const auto values = std::get<Doubles>(io::read_assembly(path).values);
    CHECK(values[0] == 7);
    CHECK(std::isnan(values[1]));
}

TEST_CASE("a factor or an offset that is not one number is refused by name") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    const auto* name = GENERATE("scale_factor", "add_offset");
    write_rates(path, NC_SHORT, {1, 2, 3, 4},
                [&](int file, int rates) { put_text(file, rates, name, "0.5"); });
    CHECK_THROWS_WITH(io::read_assembly(path),
                      path + ": 'rates' has a " + name + " that is not one number");
    write_rates(path, NC_SHORT, {1, 2, 3, 4}, [&](int file, int rates) {
        const double both[] = {0.5, 2};
        check(nc_put_att_double(file, rates, name, NC_DOUBLE, 2, both));
    });
    CHECK_THROWS_AS(io::read_assembly(path), core::InputError);
}
