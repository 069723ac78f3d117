#include "config/run_file.hpp"

#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;
using ventral::test::TemporaryFolder;
using ventral::test::write_file;

namespace {

std::string benchmark(const std::string& name, const std::string& dataset) {
    return "identifier = '" + name + "'\ndataset = '" + dataset +
           "'\nregion = 'V4'\nmetric = 'pls'\n";
}

/// Two models, two datasets and two benchmarks; runs are written to runs/.
class Configs {
public:
    Configs() {
        for (const std::string name : {"alpha", "beta"})
            write_file(folder_, "models/" + name + ".toml",
                       "identifier = '" + name + "'\nfeatures = 'f.nc'\n");
        for (const std::string name : {"day1", "day2"}) {
            write_file(folder_, "datasets/" + name + ".toml",
                       "identifier = '" + name + "'\nassemblies = { target = 'a.nc' }\n");
            write_file(folder_, "benchmarks/" + name + ".toml", benchmark(name + "-pls", name));
        }
    }

    RunRecord read(const std::string& text, const PartOfRun& wanted = {}) const {
        return read_run(write_file(folder_, "runs/r.toml", text), {}, wanted);
    }
    std::string error_of(const std::string& text) const {
        return input_error([&] { read(text); }, folder_.file("runs/r.toml"));
    }
    const TemporaryFolder& folder() const { return folder_; }

private:
    TemporaryFolder folder_;
};

const std::string least = "models = ['alpha']\nbenchmarks = ['day1-pls']\n";

}  // namespace

TEST_CASE("a run has the records that it names, in its order") {
    const Configs configs;
    const auto run =
        configs.read("models = ['beta', 'alpha']\nbenchmarks = ['day2-pls']\nseed = 3\n");
    CHECK(run.origin == configs.folder().file("runs/r.toml"));
    REQUIRE(run.models.size() == 2);
    CHECK(run.models[0].identifier == "beta");
    CHECK(run.models[1].identifier == "alpha");
    REQUIRE(run.benchmarks.size() == 1);
    CHECK(run.benchmarks[0].identifier == "day2-pls");
    REQUIRE(run.datasets.size() == 1);
    CHECK(run.datasets.count("day2") == 1);
    CHECK(run.layers == LayerChoice::committed);
    CHECK(run.seed == 3);
}

TEST_CASE("a run chooses its layers by a word") {
    const Configs configs;
    CHECK(configs.read(least + "layers = 'committed'\n").layers == LayerChoice::committed);
    CHECK(configs.read(least + "layers = 'candidates'\n").layers == LayerChoice::candidates);
    CHECK(configs.read(least + "layers = 'all'\n").layers == LayerChoice::all);
    CHECK(configs.error_of(least + "layers = 'al'\n") ==
          ":3:10: 'layers' may not be 'al', did you mean 'all'? "
          "(allowed: committed, candidates, all)");
    CHECK(configs.error_of(least + "layers = 3\n") ==
          ":3:10: 'layers' must be \"committed\", \"candidates\", \"all\" or a table of layers by "
          "model, not an integer");
}

TEST_CASE("candidates are an error for a network that has none") {
    const Configs configs;
    const auto path = write_file(configs.folder(), "models/net.toml",
                                 "identifier = 'net'\nweights = 'n.ts'\nvisual_degrees = 8\n"
                                 "[preprocessing]\n");
    CHECK(
        configs.error_of("models = ['net']\nbenchmarks = ['day1-pls']\nlayers = 'candidates'\n") ==
        ":3:10: model 'net' has no candidate layers (give 'layers' in " + path + ")");
}

TEST_CASE("listed layers are scored apart, nested lists together") {
    const Configs configs;
    const auto run = configs.read(least + "layers = { alpha = ['a', ['b', 'c']] }\n");
    CHECK(run.layers == LayerChoice::listed);
    CHECK(run.listed_layers.at("alpha") == std::vector<LayerSet>{{"a"}, {"b", "c"}});
}

TEST_CASE("layers are listed for every model of the run and no other") {
    const Configs configs;
    CHECK(configs.error_of("models = ['alpha', 'beta']\nbenchmarks = ['day1-pls']\n"
                           "layers = { alpha = ['a'] }\n") ==
          ":3:10: no layers are listed for model 'beta' (a table of layers has some of every "
          "model) add it");
    const std::string unknown =
        ": unknown model of the run 'alphb', did you mean 'alpha'? (known: alpha)";
    CHECK(configs.error_of(least + "layers = { alpha = ['a'], alphb = ['b'] }\n") ==
          ":3:35" + unknown);
    CHECK(configs.error_of(least + "layers = { alphb = ['b'] }\n") == ":3:20" + unknown);
    CHECK(configs.error_of(least + "layers = { alpha = [['b', 'b']] }\n") ==
          ":3:27: 'b' is listed twice");
}

TEST_CASE("a name that no file defines is an error where it stands") {
    const Configs configs;
    CHECK(configs.error_of("models = ['alpha',\n  'bta']\nbenchmarks = ['day1-pls']\n") ==
          ":2:3: unknown model 'bta', did you mean 'beta'? (known: alpha, beta)");
    CHECK(configs.error_of("models = ['alpha']\nbenchmarks = ['x']\n") ==
          ":2:15: unknown benchmark 'x' (known: day1-pls, day2-pls)");
    std::filesystem::remove_all(configs.folder().file("models"));
    CHECK(configs.error_of(least) == ":1:11: unknown model 'alpha' (" +
                                         configs.folder().path().string() +
                                         "/models defines none; --configs names another folder)");
}

TEST_CASE("a record in place of a run file is called what it is") {
    const Configs configs;
    CHECK(configs.error_of("identifier = 'alpha'\nweights = 'a.ts'\n") ==
          ":1:1: is the record of a model, not a run file (a run file has the keys models and "
          "benchmarks)");
}

TEST_CASE("a wrong run file is an error at its place") {
    const Configs configs;
    CHECK(configs.error_of("models = ['alpha']\n") ==
          ":1:1: key 'benchmarks' is missing (there are: models)");
    CHECK(configs.error_of("models = []\nbenchmarks = ['day1-pls']\n") ==
          ":1:10: 'models' may not be empty");
    CHECK(configs.error_of("models = ['alpha', 'alpha']\nbenchmarks = ['day1-pls']\n") ==
          ":1:20: model 'alpha' is listed twice");
    CHECK(configs.error_of(least + "seed = -1\n") ==
          ":3:8: 'seed' must be from 0 to 4294967295, not -1");
    CHECK(
        configs.error_of(least + "sed = 1\n") ==
        ":3:1: unknown key 'sed', did you mean 'seed'? (known: benchmarks, layers, models, seed)");
}

TEST_CASE("a broken dataset leaves the run the benchmarks of others") {
    const Configs configs;
    const auto file = write_file(configs.folder(), "datasets/day2.toml", "identifier = 'day2'\n");
    const auto run = configs.read("models = ['alpha']\nbenchmarks = ['day2-pls', 'day1-pls']\n");
    REQUIRE(run.benchmarks.size() == 2);
    const auto of_dataset = file + ":1:1: key 'assemblies' is missing (there are: identifier)";
    const auto origin = configs.folder().file("benchmarks/day2.toml");
    CHECK(run.benchmarks[0].identifier == "day2-pls");
    CHECK(run.benchmarks[0].origin == origin);
    CHECK(run.benchmarks[0].problem ==
          origin + ":2:11: dataset 'day2' is left out, since wrong: " + of_dataset);
    CHECK(run.benchmarks[1].problem.empty());
    CHECK(run.datasets.size() == 1);
    CHECK(run.left_out == std::vector{of_dataset});
    CHECK_THROWS_WITH(configs.read("models = ['alpha']\nbenchmarks = ['day2-pls']\n"),
                      run.benchmarks[0].problem);
}

TEST_CASE("a name that no file defines may be of a family whose file is wrong") {
    const Configs configs;
    const auto file = write_file(configs.folder(), "benchmarks/family.toml", "identifier = \n");
    const auto run = configs.read("models = ['alpha']\nbenchmarks = ['day1-pls', 'day3-pls']\n");
    REQUIRE(run.benchmarks.size() == 2);
    CHECK(run.benchmarks[0].problem.empty());
    CHECK_THAT(run.benchmarks[1].problem,
               Catch::Contains(":2:27: unknown benchmark 'day3-pls'; left out, since wrong: " +
                               file + ":1:14: not TOML: ") &&
                   Catch::Contains("; or did you mean 'day1-pls' or 'day2-pls'?"));
    CHECK(run.left_out.size() == 1);
    write_file(configs.folder(), "benchmarks/family.toml", "identifier = 'x-{metric}'\n");
    CHECK_THAT(configs.read("models = ['alpha']\nbenchmarks = ['day1-pls', 'day3-pls']\n")
                   .benchmarks[1]
                   .problem,
               Catch::Contains("left out, since wrong: " + file));
    write_file(configs.folder(), "benchmarks/family.toml", "identifier = 'x'\n");
    CHECK(configs.error_of("models = ['alpha']\nbenchmarks = ['day1-pls', 'day3-pls']\n") ==
          ":2:27: unknown benchmark 'day3-pls', did you mean 'day1-pls' or 'day2-pls'? (known: "
          "day1-pls, day2-pls)");
}

TEST_CASE("a broken record of a model leaves the run its other models") {
    const Configs configs;
    const auto file = write_file(configs.folder(), "models/b.toml", "identifier = 'beta'\n");
    std::filesystem::remove(configs.folder().file("models/beta.toml"));
    for (const std::string layers : {"alpha = ['narrow'], beta = ['wide']", ""}) {
        const auto run =
            configs.read("models = ['beta', 'alpha']\nbenchmarks = ['day1-pls']\nlayers = " +
                         (layers.empty() ? "'candidates'" : "{ " + layers + " }") + "\n");
        REQUIRE(run.models.size() == 2);
        CHECK(run.models[0].identifier == "beta");
        CHECK(run.models[0].origin == file);
        CHECK_THAT(run.models[0].problem, Catch::StartsWith(file + ":1:1: key 'weights'"));
        CHECK(run.models[1].problem.empty());
        CHECK(run.left_out.empty());
    }
}

TEST_CASE("a run needs a model that it wants and whose record is right") {
    const Configs configs;
    const auto file = write_file(configs.folder(), "models/beta.toml", "identifier = 'beta'\n");
    const std::string both = "models = ['alpha', 'beta']\nbenchmarks = ['day1-pls']\n";
    CHECK(configs.read(both, {{"alpha"}, {}}).models.size() == 2);
    CHECK(configs.read(both, {{"alpha"}, {}}).left_out.size() == 1);
    CHECK_THROWS_WITH(configs.read(both, {{"beta"}, {}}),
                      Catch::StartsWith(file + ":1:1: key 'weights'"));
    CHECK_THROWS_WITH(configs.read("models = ['beta']\nbenchmarks = ['day1-pls']\n"),
                      Catch::StartsWith(file + ":1:1: key 'weights'"));
}

TEST_CASE("the run file of this repository is right") {
    const char* folder = std::getenv("VENTRAL_CONFIGS");
    if (!folder) {
        WARN("VENTRAL_CONFIGS is not set: the repository's own run is not read");
        return;
    }
    const auto run = read_run(std::string(folder) + "/runs/v4.toml", {{}, "/data"});
    CHECK(run.models.size() == 2);
    CHECK(run.benchmarks.size() == 4);
    CHECK(run.datasets.size() == 2);
    CHECK(run.layers == LayerChoice::candidates);
    for (const auto& model : run.models) CHECK(model.candidate_layers.size() == 4);
}
