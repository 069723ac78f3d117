#include "io/netcdf/netcdf_assembly.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <catch2/catch.hpp>
#include <netcdf.h>

#include "core/errors.hpp"
#include "io/file_size_limit.hpp"
#include "io/netcdf/assemblies_writer.hpp"
#include "support/shared.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::read_assembly;
using io::write_assembly;

namespace {

core::Assembly recordings() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 2}, {"neuroid", 3}};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    assembly.values = std::vector<double>{1, 2.5, nan, -4, 5e300, 6};
    assembly.coordinates = {
        {"stimulus_id", "presentation", std::vector<std::string>{"a", "ü, b"}},
        {"repetition", "presentation", std::vector<std::int64_t>{0, -7}},
        {"neuroid", "neuroid", std::vector<double>{0.5, 1.5, 2.5}},
    };
    assembly.attributes = {
        {"identifier", std::string("v4")}, {"degrees", 8.5}, {"n", std::int64_t{3}}};
    return assembly;
}

void check_same(const core::Values& left, const core::Values& right) {
    REQUIRE(core::type_name(left) == core::type_name(right));
    REQUIRE(core::value_count(left) == core::value_count(right));
    for (std::size_t i = 0; i < core::value_count(left); ++i) {
        CHECK(core::text(left, i) == core::text(right, i));
    }
}

void check_same(const core::Assembly& left, const core::Assembly& right) {
    CHECK(left.name == right.name);
    REQUIRE(left.dims.size() == right.dims.size());
    for (std::size_t i = 0; i < left.dims.size(); ++i) {
        CHECK(left.dims[i].name == right.dims[i].name);
        CHECK(left.dims[i].size == right.dims[i].size);
    }
    check_same(left.values, right.values);
    CHECK(left.attributes == right.attributes);
    REQUIRE(left.coordinates.size() == right.coordinates.size());
    for (const auto& expected : right.coordinates) {
        const auto& found = core::coordinate(left, expected.name);
        CHECK(found.dim == expected.dim);
        check_same(found.values, expected.values);
    }
}

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// A table "rates" of two presentations with their ids, further variables along them and one number
/// beside, which no attribute speaks of; `stated` is what its attribute `coordinates` says, unless
/// that is empty.
std::string file_with(const test::TemporaryFolder& folder, const std::string& stated) {
    const auto path = folder.file("rates.nc");
    const auto check = [](int code) { REQUIRE(code == NC_NOERR); };
    int file = 0;
    check(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file));
    std::array<int, 2> dims{};
    check(nc_def_dim(file, "presentation", 2, dims.data()));
    check(nc_def_dim(file, "neuroid", 1, &dims[1]));
    const auto put = [&](const char* name, int rank, std::vector<double> values) {
        int variable = 0;
        check(nc_def_var(file, name, NC_DOUBLE, rank, dims.data(), &variable));
        check(nc_put_var_double(file, variable, values.data()));
        return variable;
    };
    const int rates = put("rates", 2, {5, 6});
    for (const auto* name : {"stimulus_id", "pupil", "pupil size"}) put(name, 1, {1, 2});
    put("gain", 0, {2.5});
    if (!stated.empty())
        check(nc_put_att_text(file, rates, "coordinates", stated.size(), stated.c_str()));
    check(nc_close(file));
    return path;
}

std::vector<std::string> coordinates_of(const std::string& path) {
    const auto assembly = read_assembly(path);
    CHECK(assembly.name == "rates");
    std::vector<std::string> names;
    for (const auto& labels : assembly.coordinates) names.push_back(labels.name);
    return names;
}

}  // namespace

TEST_CASE("an assembly is read as it was written, NaN, text, numbers and attributes") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    write_assembly(path, recordings());
    check_same(read_assembly(path), recordings());
}

TEST_CASE("values of every type and any number of dims are read as they were written") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    core::Assembly assembly;
    assembly.name = "choice";
    SECTION("string") { assembly.values = std::vector<std::string>{"", "x", "y y", "z"}; }
    SECTION("int64") { assembly.values = std::vector<std::int64_t>{1, -2, INT64_MAX, INT64_MIN}; }
    SECTION("float32") { assembly.values = std::vector<float>{0.1F, -0.0F, 1e-40F, 3}; }
    for (const auto& dims : {std::vector<core::Dimension>{{"presentation", 4}},
                             std::vector<core::Dimension>{{"a", 2}, {"b", 1}, {"c", 2}}}) {
        assembly.dims = dims;
        write_assembly(path, assembly);
        check_same(read_assembly(path), assembly);
    }
}

TEST_CASE("a scalar and an empty assembly are read as they were written") {
    const test::TemporaryFolder folder;
    core::Assembly scalar;
    scalar.values = std::vector<double>{0.75};
    write_assembly(folder.file("scalar.nc"), scalar);
    check_same(read_assembly(folder.file("scalar.nc")), scalar);
}

TEST_CASE("image_id is read as stimulus_id unless there is a stimulus_id") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    auto assembly = recordings();
    assembly.coordinates[0].name = "image_id";
    write_assembly(path, assembly);
    CHECK(core::find_coordinate(read_assembly(path), "stimulus_id"));
    assembly.coordinates[1].name = "stimulus_id";
    write_assembly(path, assembly);
    CHECK(core::find_coordinate(read_assembly(path), "image_id"));
}

TEST_CASE("coordinates are renamed and left out as the request says") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a.nc");
    write_assembly(path, recordings());
    const auto read = [&](const std::map<std::string, std::string>& renamed) {
        io::AssemblyRequest request;
        request.renamed = renamed;
        return read_assembly(path, request);
    };
    const auto renamed = read({{"repetition", "trial"}, {"neuroid", "neuroid_id"}});
    CHECK(core::find_coordinate(renamed, "repetition") == nullptr);
    CHECK(core::coordinate(renamed, "trial").dim == "presentation");
    check_same(core::coordinate(renamed, "neuroid_id").values, std::vector<double>{0.5, 1.5, 2.5});
    CHECK(core::has_dimension(renamed, "neuroid"));
    const auto dropped = read({{"repetition", ""}});
    CHECK(core::find_coordinate(dropped, "repetition") == nullptr);
    CHECK(dropped.coordinates.size() == 2);
    CHECK_THROWS_WITH(read({{"id", ""}}),
                      Catch::StartsWith(path + ": has no coordinate 'id' to drop"));
    const auto swapped = read({{"repetition", "stimulus_id"}, {"stimulus_id", "repetition"}});
    check_same(core::coordinate(swapped, "stimulus_id").values, std::vector<std::int64_t>{0, -7});
    CHECK_THROWS_WITH(read({{"repetitoin", "repetition"}}),
                      Catch::StartsWith(path + ": has no coordinate 'repetitoin' to rename") &&
                          Catch::Contains("repetition"));
    CHECK_THROWS_WITH(read({{"repetition", "stimulus_id"}}),
                      path +
                          ": 'repetition' cannot be renamed to 'stimulus_id' (another "
                          "coordinate has that name)");
    CHECK_THROWS_WITH(read({{"repetition", "x"}, {"neuroid", "x"}}),
                      Catch::Contains("cannot be renamed to 'x'"));
}

TEST_CASE("variables beside the data are coordinates where the file states none") {
    const test::TemporaryFolder folder;
    CHECK(coordinates_of(file_with(folder, "")) ==
          std::vector<std::string>{"stimulus_id", "pupil", "pupil size"});
    CHECK(read_assembly(folder.file("rates.nc")).attributes.at("gain") == core::Attribute(2.5));
    CHECK(coordinates_of(file_with(folder, "stimulus_id")) ==
          std::vector<std::string>{"stimulus_id"});
}

TEST_CASE("several assemblies stand in groups of their names") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("scores.nc");
    auto first = recordings();
    first.name = "features.5";
    auto second = recordings();
    second.name = "logits";
    second.dims[0].name = "split";
    for (auto& coordinate : second.coordinates) {
        if (coordinate.dim == "presentation") coordinate.dim = "split";
    }
    io::AssembliesWriter writer(path);
    writer.add(first);
    writer.add(second);
    CHECK_FALSE(std::filesystem::exists(path));
    writer.commit();
    CHECK(io::assembly_groups(path) == std::vector<std::string>{"features.5", "logits"});
    CHECK(io::layer_groups(path) == io::assembly_groups(path));
    write_assembly(folder.file("one.nc"), first);
    CHECK(io::layer_groups(folder.file("one.nc")).empty());
    CHECK_THROWS_AS(io::layer_groups(folder.file("absent.nc")), core::InputError);
    check_same(read_assembly(path, {{}, "features.5"}), first);
    check_same(read_assembly(path, {{}, "logits"}), second);
    CHECK_THROWS_WITH(read_assembly(path),
                      Catch::Contains("features.5, logits") && Catch::Contains("--layer"));
    CHECK_THROWS_WITH(read_assembly(path, {{}, "feature.5"}), Catch::Contains("features.5"));
}

TEST_CASE("assemblies of every type of values stand in one file as in files of their own") {
    const test::TemporaryFolder folder;
    core::Assembly assembly{
        "x", {{"a", 2}, {"b", 2}}, std::vector<double>(4, std::nan("")), {}, {}};
    assembly.attributes = {{"real", 0.1}, {"whole", std::int64_t{-3}}, {"text", std::string("b")}};
    assembly.coordinates = {{"b", "b", std::vector<std::int64_t>{5, 7}},
                            {"name", "b", std::vector<std::string>{"", "ü"}},
                            {"weight", "a", std::vector<double>{0.5, std::nan("")}}};
    SECTION("float64") {}
    SECTION("float32") { assembly.values = std::vector<float>{0.1F, -0.0F, 1e-40F, 3}; }
    SECTION("int64") { assembly.values = std::vector<std::int64_t>{1, -2, INT64_MAX, INT64_MIN}; }
    SECTION("string") { assembly.values = std::vector<std::string>{"", "x", "y y", "z"}; }
    io::AssembliesWriter writer(folder.file("all.nc"));
    writer.add(assembly);
    writer.commit();
    write_assembly(folder.file("one.nc"), assembly);
    const auto found = read_assembly(folder.file("all.nc"), {{}, "x"});
    check_same(found, read_assembly(folder.file("one.nc")));
    check_same(found, assembly);
}

TEST_CASE("assemblies that the disk does not take leave nothing behind") {
    const test::TemporaryFolder folder;
    auto large = recordings();
    large.attributes["text"] = std::string(10000, 'x');
    {
        io::AssembliesWriter writer(folder.file("a.nc"));
        const test::FileSizeLimit limit(1000);
        CHECK_THROWS_AS((writer.add(large), writer.commit()), core::OutputError);
    }
    CHECK_THROWS_AS(io::AssembliesWriter(folder.file("no/a.nc")), core::OutputError);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a layer that is no group, but a label, is refused with what to do instead") {
    const test::TemporaryFolder folder;
    auto assembly = recordings();
    write_assembly(folder.file("none.nc"), assembly);
    CHECK_THROWS_WITH(read_assembly(folder.file("none.nc"), {{}, "a"}),
                      Catch::EndsWith("has no layer 'a' (it has no groups at all)"));
    const auto& neuroids = assembly.dims[1];
    assembly.coordinates.push_back(
        {"layer", neuroids.name, std::vector<std::string>(neuroids.size, "a")});
    write_assembly(folder.file("label.nc"), assembly);
    CHECK_THROWS_WITH(read_assembly(folder.file("label.nc"), {{}, "a"}),
                      Catch::Contains("has no layer 'a'") &&
                          Catch::Contains("coordinate 'layer') select the layer's neuroids"));
}

TEST_CASE("a missing, foreign or empty file is an error that names it") {
    const test::TemporaryFolder folder;
    const auto missing = folder.file("missing.nc");
    CHECK_THROWS_WITH(read_assembly(missing), missing + ": no such file");
    CHECK_THROWS_AS(read_assembly(folder.path().string()), core::InputError);
    const auto foreign = folder.file("foreign.nc");
    for (const auto* text : {"", "CDF", "\x89HDF\r\n\x1a\n", "not netCDF at all\n"}) {
        write_text(foreign, text);
        CHECK_THROWS_WITH(read_assembly(foreign), Catch::StartsWith(foreign + ": "));
    }
}

TEST_CASE("a file cut anywhere is an error or reads as it was, never a crash") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.nc");
    write_assembly(path, recordings());
    const auto size = std::filesystem::file_size(path);
    for (std::uintmax_t left = size - 1; left > size / 20; left -= size / 20) {
        std::filesystem::resize_file(path, left);
        try {
            check_same(read_assembly(path), recordings());
        } catch (const core::InputError& error) {
            CHECK_THAT(error.what(), Catch::StartsWith(path + ": "));
        }
    }
}

TEST_CASE("an assembly that cannot be written leaves nothing behind") {
    const test::TemporaryFolder folder;
    CHECK_THROWS_AS(write_assembly(folder.file("no/a.nc"), recordings()), core::InputError);
    auto twice = recordings();
    twice.coordinates[0].name = twice.name;
    CHECK_THROWS_AS(write_assembly(folder.file("a.nc"), twice), core::InputError);
    {
        const test::FileSizeLimit limit(1000);
        CHECK_THROWS_WITH(write_assembly(folder.file("a.nc"), recordings()),
                          Catch::Contains("a.nc") && Catch::Contains("File too large"));
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("every assembly of the goldens and of the real data can be read") {
    for (const auto* part : {"goldens/public", "data"}) {
        const auto root = test::shared_path(part);
        if (!root) {
            WARN("skipped: VENTRAL_SHARED has no " << part);
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(*root)) {
            if (entry.path().extension() != ".nc") continue;
            CAPTURE(entry.path());
            const auto assembly = read_assembly(entry.path().string());
            CHECK(core::value_count(assembly.values) > 0);
            CHECK_FALSE(assembly.coordinates.empty());
        }
    }
}
