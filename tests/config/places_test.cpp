#include "config/places.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;
using ventral::test::write_file;

TEST_CASE("records are looked for beside the run file, then beside its folder") {
    const ventral::test::TemporaryFolder folder;
    const auto run = write_file(folder, "runs/a.toml", "");
    const auto above = folder.path().string();
    const auto beside = (folder.path() / "runs").string();
    CHECK(input_error([&] { configs_folder(run, {}); }, run) ==
          ": no folder models, benchmarks or datasets in " + beside + " or " + above +
              ", name the folder that has them with --configs");

    write_file(folder, "models/m.toml", "");
    CHECK(configs_folder(run, {}) == above);
    write_file(folder, "runs/datasets/d.toml", "");
    CHECK(configs_folder(run, {}) == beside);
}

TEST_CASE("--configs names the folder of records") {
    const ventral::test::TemporaryFolder folder;
    const auto path = folder.path().string();
    CHECK(input_error([&] {
              configs_folder("run.toml", {path, {}});
          }) ==
          path +
              ": has no folder models, benchmarks or datasets, name the folder that has them with "
              "--configs");
    write_file(folder, "models/m.toml", "");
    CHECK(configs_folder("run.toml", {path, {}}) == path);
    CHECK(input_error([&] {
              configs_folder("run.toml", {"/absent", {}});
          }) ==
          "/absent: no such folder, name that of models, benchmarks and datasets with --configs");
}

TEST_CASE("the TOML files of a folder come sorted and without other files") {
    const ventral::test::TemporaryFolder folder;
    const auto b = write_file(folder, "b.toml", "");
    const auto a = write_file(folder, "a.toml", "");
    write_file(folder, "a.toml~", "");
    write_file(folder, "readme.md", "");
    CHECK(toml_files(folder.path().string()) == std::vector<std::string>{a, b});
    CHECK(toml_files(folder.file("absent")).empty());
}

TEST_CASE("hidden files are not records, as the lock of an editor that leads nowhere") {
    const ventral::test::TemporaryFolder folder;
    const auto shown = write_file(folder, "demo.toml", "");
    write_file(folder, "._demo.toml", "");
    std::filesystem::create_symlink("me@host.1", folder.path() / ".#demo.toml");
    CHECK(toml_files(folder.path().string()) == std::vector<std::string>{shown});
}

TEST_CASE("above a folder that is a symbolic link is where it leads to") {
    namespace fs = std::filesystem;
    const ventral::test::TemporaryFolder folder;
    for (const auto* each : {"night", "library/models"}) fs::create_directories(folder.file(each));
    fs::create_symlink("../library/models", folder.file("night/models"));
    const auto above_link = resolve("../a.nc", folder.file("night/models/m.toml"), {});
    CHECK(fs::weakly_canonical(above_link) == fs::canonical(folder.file("library")) / "a.nc");
    const auto above = resolve("../a.nc", folder.file("library/models/m.toml"), {});
    CHECK(above == folder.file("library/a.nc"));
}

TEST_CASE("files are relative to the data folder, else to the TOML that names them") {
    CHECK(resolve("v4/a.nc", "configs/datasets/v4.toml", {}) == "configs/datasets/v4/a.nc");
    CHECK(resolve("../a.nc", "configs/datasets/v4.toml", {}) == "configs/a.nc");
    CHECK(resolve("a.nc", "v4.toml", {}) == "a.nc");
    CHECK(resolve("v4/a.nc", "configs/datasets/v4.toml", {{}, "/big/data"}) == "/big/data/v4/a.nc");
    CHECK(resolve("/x/a.nc", "configs/datasets/v4.toml", {{}, "/big/data"}) == "/x/a.nc");
}
