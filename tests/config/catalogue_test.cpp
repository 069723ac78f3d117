#include "config/catalogue.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::TemporaryFolder;
using ventral::test::write_file;

namespace {

const std::string model = "identifier = 'm'\nfeatures = 'f.nc'\n";
const std::string dataset = "identifier = 'd'\nassemblies = { target = 'a.nc' }\n";
const std::string benchmark = "identifier = 'b'\ndataset = 'd'\nregion = 'V4'\nmetric = 'pls'\n";

/// Why the one file that is wrong is left out.
std::string left_out_of(const TemporaryFolder& folder) {
    const auto root = folder.path().string() + "/";
    const auto catalogue = read_catalogue(folder.path().string(), {});
    REQUIRE(catalogue.left_out.size() == 1);
    const auto& why = catalogue.left_out[0];
    REQUIRE(why.starts_with(root));
    return why.substr(root.size());
}

}  // namespace

TEST_CASE("the catalogue has every record of the folder") {
    const TemporaryFolder folder;
    write_file(folder, "models/any.toml", model);
    write_file(folder, "datasets/any.toml", dataset);
    write_file(folder, "benchmarks/any.toml", benchmark);
    const auto catalogue = read_catalogue(folder.path().string(), {});
    CHECK(catalogue.models.at("m").features.path == folder.file("models/f.nc"));
    CHECK(catalogue.datasets.at("d").assemblies.at("target").path == folder.file("datasets/a.nc"));
    CHECK(catalogue.benchmarks.at("b").metric.name == "pls");
}

TEST_CASE("what two files define is left out, and both are named") {
    const TemporaryFolder folder;
    write_file(folder, "models/x.toml", model);
    write_file(folder, "models/y.toml", "\n" + model);
    const auto why = "models/y.toml:2:14: model 'm' is defined twice (also at " +
                     folder.file("models/x.toml") + ":1:14)";
    CHECK(left_out_of(folder) == why);
    const auto catalogue = read_catalogue(folder.path().string(), {});
    CHECK(catalogue.models.empty());
    CHECK(catalogue.wrong_models.at("m").problem == folder.path().string() + "/" + why);
}

TEST_CASE("of a family of benchmarks only that is left out which another file defines too") {
    const TemporaryFolder folder;
    write_file(folder, "datasets/d.toml", dataset);
    const std::string family = "dataset = 'd'\nregion = 'V4'\nidentifier = 'V4-{metric}'\n";
    write_file(folder, "benchmarks/x.toml", family + "metric = ['pls']\n");
    write_file(folder, "benchmarks/y.toml", family + "metric = ['pls', 'ridge']\n");
    CHECK(left_out_of(folder) ==
          "benchmarks/y.toml:3:14: benchmark 'V4-pls' is defined twice (also "
          "at " +
              folder.file("benchmarks/x.toml") + ":3:14)");
    const auto catalogue = read_catalogue(folder.path().string(), {});
    REQUIRE(catalogue.benchmarks.size() == 1);
    CHECK(catalogue.benchmarks.contains("V4-ridge"));
}

TEST_CASE("a benchmark of an unknown dataset is left out, for where it names it") {
    const TemporaryFolder folder;
    write_file(folder, "benchmarks/x.toml", benchmark);
    CHECK(left_out_of(folder) == "benchmarks/x.toml:2:11: unknown dataset 'd' (none are known)");
    write_file(folder, "datasets/dd.toml", "identifier = 'dd'\nassemblies = { target = 'a.nc' }\n");
    CHECK(left_out_of(folder) ==
          "benchmarks/x.toml:2:11: unknown dataset 'd', did you mean 'dd'? (known: dd)");
}

TEST_CASE("a benchmark of a dataset that may be in a wrong file says so") {
    const TemporaryFolder folder;
    write_file(folder, "datasets/other.toml", "identifier = \n");
    write_file(folder, "benchmarks/x.toml", benchmark);
    const auto catalogue = read_catalogue(folder.path().string(), {});
    CHECK_THAT(catalogue.wrong_benchmarks.at("b").problem,
               Catch::StartsWith(folder.file("benchmarks/x.toml") +
                                 ":2:11: unknown dataset 'd'; left out, since wrong: " +
                                 folder.file("datasets/other.toml") + ":1:14: not TOML"));
}

TEST_CASE("a benchmark needs recordings, a PCA stimuli") {
    const TemporaryFolder folder;
    write_file(folder, "datasets/d.toml",
               "identifier = 'd'\nstimuli = { csv = 's.csv', folder = 'f' }\n");
    write_file(folder, "benchmarks/b.toml", benchmark);
    CHECK(left_out_of(folder) ==
          "benchmarks/b.toml:2:11: dataset 'd' has no recordings (give it [assemblies])");
    write_file(folder, "datasets/d.toml", dataset);
    const std::string network =
        "identifier = 'n'\nweights = 'n.ts'\nvisual_degrees = 8\npreprocessing = { crop = 8 }\n";
    write_file(folder, "models/n.toml", network + "pca = { stimuli = 'd' }\n");
    CHECK(left_out_of(folder) ==
          "models/n.toml:5:19: dataset 'd' has no stimuli (give it [stimuli])");
    write_file(folder, "models/n.toml", network + "pca = { stimuli = 'e' }\n");
    CHECK(left_out_of(folder) == "models/n.toml:5:19: unknown dataset 'e' (known: d)");
    write_file(folder, "models/n.toml",
               "identifier = 'n'\nfeatures = 'n.nc'\npca = { features = 'm.nc' }\n");
    CHECK(read_catalogue(folder.path().string(), {}).models.at("n").pca->dataset.empty());
    write_file(folder, "models/n.toml",
               "identifier = 'n'\nfeatures = { d = 'd.nc', e = 'e.nc' }\n");
    CHECK(left_out_of(folder) ==
          "models/n.toml:2:30: unknown dataset 'e' (known: d); { file = … } would be that of all "
          "datasets");
    write_file(folder, "datasets/e.toml", "identifier = 'e'\nacess = 'public'\n");
    const auto beside_wrong = read_catalogue(folder.path().string(), {});
    CHECK(beside_wrong.models.at("n").features_of.size() == 2);
    CHECK(beside_wrong.left_out.size() == 1);
}

TEST_CASE("a wrong model is known by its identifier, else by its file") {
    const TemporaryFolder folder;
    write_file(folder, "models/x.toml", "identifier = 'named'\n");
    write_file(folder, "models/y.toml", "identifier = \n");
    write_file(folder, "models/w.toml", "identifier = 'broken'\nweights = \n");
    write_file(folder, "models/u.toml", "[pca]\nidentifier = 'inner'\nweights = \n");
    write_file(folder, "models/v.toml", "  identifier = 'indented'\r\nweights = \r\n");
    write_file(folder, "models/z.toml", "identifier = 3\n");
    const auto catalogue = read_catalogue(folder.path().string(), {});
    CHECK(catalogue.models.empty());
    REQUIRE(catalogue.left_out.size() == 6);
    REQUIRE(catalogue.wrong_models.size() == 6);
    CHECK(catalogue.wrong_models.at("u").problem == catalogue.left_out[0]);
    CHECK(catalogue.wrong_models.at("indented").problem == catalogue.left_out[1]);
    CHECK(catalogue.wrong_models.at("broken").problem == catalogue.left_out[2]);
    CHECK(catalogue.wrong_models.at("named").problem == catalogue.left_out[3]);
    CHECK(catalogue.wrong_models.at("y").problem == catalogue.left_out[4]);
    CHECK(catalogue.wrong_models.at("z").problem == catalogue.left_out[5]);
    CHECK(unknown_record("model", "named", {}, catalogue.wrong_models) ==
          "model 'named' is left out, since wrong: " + catalogue.left_out[3]);
    CHECK(catalogue.wrong_models.at("z").origin == folder.file("models/z.toml"));
}

TEST_CASE("a broken file is left out, and the others are not") {
    const TemporaryFolder folder;
    write_file(folder, "datasets/x.toml", "identifier = \n");
    write_file(folder, "datasets/y.toml", dataset);
    write_file(folder, "models/any.toml", model);
    const auto catalogue = read_catalogue(folder.path().string(), {});
    CHECK(catalogue.datasets.contains("d"));
    CHECK(catalogue.models.contains("m"));
    CHECK_THAT(left_out_of(folder), Catch::StartsWith("datasets/x.toml:1:14: not TOML: "));
}

TEST_CASE("the records of this repository are right") {
    const char* configs = std::getenv("VENTRAL_CONFIGS");
    if (!configs) {
        WARN("VENTRAL_CONFIGS is not set: the repository's own records are not read");
        return;
    }
    const auto catalogue = read_catalogue(configs, {{}, "/data"});
    CHECK(catalogue.models.at("squeezenet1_0").weights_file ==
          "/data/models/squeezenet1_0_imagenet.ts");
    for (const auto builtin : ventral::models::builtins())
        CHECK(catalogue.models.at(name_of(builtin)).builtin == builtin);
    for (const auto& [name, model] : catalogue.models) {
        INFO(name << " has no readout_layer for behavioural tasks");
        CHECK_FALSE(model.readout_layer.empty());
    }
    CHECK(catalogue.benchmarks.at("V4-201016-pls").expected.at(0).value == 0.73);
    CHECK(catalogue.datasets.at("v4_210325").assemblies.size() == 2);
}
