#include "pipeline/outlook/calibration.hpp"

#include <cstdlib>
#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "core/where_and_when.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a calibration is read as it was written") {
    const test::TemporaryFolder folder;
    const auto path = pipeline::calibration_path(folder.file("new"));
    CHECK(path == folder.file("new") + "/calibration.json");
    CHECK_FALSE(pipeline::read_calibration(path));
    pipeline::Calibration calibration;
    calibration.host = "node7";
    calibration.measured_at = "2026-01-31T12:00:00.000Z";
    calibration.kernels = "SkylakeX";
    calibration.workers = 16;
    calibration.together.gram_flops = 1.25e10;
    calibration.alone.gram_flops = 1.5e10;
    calibration.read_bytes = 3e9;
    pipeline::write_calibration(path, calibration);
    const auto read = pipeline::read_calibration(path).value();
    CHECK(read.host == "node7");
    CHECK(read.measured_at == "2026-01-31T12:00:00.000Z");
    CHECK(read.kernels == "SkylakeX");
    CHECK(read.workers == 16);
    CHECK(read.together.gram_flops == 1.25e10);
    CHECK(read.alone.gram_flops == 1.5e10);
    CHECK(read.read_bytes == 3e9);
    CHECK(read.written_bytes == calibration.written_bytes);
}

TEST_CASE("a calibration that makes no sense is not used") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("calibration.json");
    std::ofstream(path) << "{\"host\": 3";
    CHECK_FALSE(pipeline::read_calibration(path));
    pipeline::Calibration calibration;
    calibration.host = "node7";
    calibration.together.pass_flops = 0;
    pipeline::write_calibration(path, calibration);
    CHECK_FALSE(pipeline::read_calibration(path));
}

TEST_CASE("without an output folder the calibration of a machine is in the user's cache") {
    const auto name = "/ventral/calibration-" + core::host_name() + ".json";
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    setenv("HOME", "/home/me", 1);
    CHECK(pipeline::calibration_path("") == "/somewhere" + name);
    unsetenv("XDG_CACHE_HOME");
    CHECK(pipeline::calibration_path("") == "/home/me/.cache" + name);
    unsetenv("HOME");
    CHECK_THROWS_WITH(pipeline::calibration_path(""), Catch::Contains("--out"));
}
