#include "pipeline/demo/demo_configs.hpp"

#include <sstream>

#include "core/number_text.hpp"
#include "models/builtin/demo_network.hpp"

namespace ventral::pipeline {
namespace {

const std::vector<std::string> metric_names = {"pls", "ridge"};

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string list(const std::vector<std::string>& texts) {
    std::string joined;
    for (const auto& text : texts) joined += (joined.empty() ? "[" : ", ") + quoted(text);
    return joined + "]";
}

std::vector<std::string> region_names() {
    std::vector<std::string> names;
    for (const auto& region : demo_regions()) names.push_back(region.name);
    return names;
}

std::vector<std::string> benchmark_identifiers() {
    std::vector<std::string> identifiers;
    for (const auto& region : region_names())
        for (const auto& metric : metric_names)
            identifiers.push_back("demo-" + region + "-" + metric);
    return identifiers;
}

std::string three_times(double value) {
    const auto text = core::number_text(value);
    return "[" + text + ", " + text + ", " + text + "]";
}

}  // namespace

std::vector<DemoRegion> demo_regions() {
    const auto layers = models::demo_layers();
    return {{"V1", layers[0]}, {"V2", layers[2]}, {"V4", layers[4]}, {"IT", layers[6]}};
}

std::string demo_model_toml(const DemoModel& model) {
    std::ostringstream toml;
    toml << "identifier = " << quoted(model.identifier)
         << "\nweights = { file = " << quoted(model.identifier + ".ts")
         << ", sha256 = " << quoted(model.weights_sha256)
         << " }\nvisual_degrees = 8.0\nbatch_size = 64\nlayers = " << list(models::demo_layers())
         << "\n\n[preprocessing]\nbackend = \"pil\"\nresize = " << models::demo_input_pixels
         << "\ncrop = " << models::demo_input_pixels
         << "\ninterpolation = \"bilinear\"\nmean = " << three_times(models::demo_input_mean)
         << "\nstd = " << three_times(models::demo_input_std) << "\n\n[regions]\n";
    for (const auto& region : demo_regions())
        toml << region.name << " = " << list({region.layer}) << "\n";
    return toml.str();
}

std::string demo_dataset_toml(const DemoChecksums& checksums) {
    std::ostringstream toml;
    toml << "identifier = \"demo\"\naccess = \"public\"\n\n"
         << "[stimuli]\ncsv = \"../data/stimuli.csv\"\nsha1 = " << quoted(checksums.stimuli_sha1)
         << "\nfolder = \"../data/images\"\nvisual_degrees = 8.0\n\n"
         << "[assemblies]\nrepetitions = { file = \"../data/recordings.nc\", sha1 = "
         << quoted(checksums.recordings_sha1) << " }\n";
    return toml.str();
}

std::string demo_benchmarks_toml() {
    std::ostringstream toml;
    toml << "identifier = \"demo-{region}-{metric}\"\nversion = 1\nparent = \"demo-{region}\"\n"
         << "pattern = \"neural\"\ndataset = \"demo\"\nregion = " << list(region_names())
         << "\nselect = { region = \"{region}\" }\nmetric = [";
    for (const auto& metric : metric_names)
        toml << (metric == metric_names.front() ? "" : ", ") << "{ name = " << quoted(metric)
             << ", stratification = \"none\" }";
    toml << "]\nceiling = { name = \"internal_consistency\" }\n"
         << "normalisation = \"explained_variance\"\n";
    for (const auto& identifier : benchmark_identifiers())
        toml << "\n[expected." << quoted(identifier)
             << "]\nceiling = " << core::number_text(demo_ceiling) << "\ntolerance = 0.02\n";
    return toml.str();
}

std::string demo_run_toml(const std::vector<std::string>& models) {
    std::ostringstream toml;
    toml << "# The layers of demo_designed that the regions are made of (V1 stage1, V2 stage3,\n"
         << "# V4 stage5, IT stage7) score nearly 1, the others less the farther away they are.\n"
         << "models = " << list(models) << "\nbenchmarks = " << list(benchmark_identifiers())
         << "\nlayers = \"candidates\"\nseed = 0\n";
    return toml.str();
}

}  // namespace ventral::pipeline
