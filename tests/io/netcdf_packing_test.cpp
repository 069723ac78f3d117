#include "io/netcdf_packing.hpp"

#include <cmath>
#include <functional>

#include <catch2/catch.hpp>
#include <netcdf.h>

#include "core/errors.hpp"
#include "io/netcdf_assembly.hpp"
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
