#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/readout_params.hpp"
#include "core/errors.hpp"
#include "exit_codes.hpp"
#include "feature_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "output_file.hpp"
#include "params_option.hpp"
#include "subcommand.hpp"
#include "task_output.hpp"

namespace ventral::jobs {
namespace {

using Json = nlohmann::ordered_json;

struct ReadoutArguments {
    std::string name;
    std::string source;
    std::string fitting;
    std::string params = "{}";
    std::optional<std::string> layer, variable;
    std::string out;
    bool force = false;
    bool json = false;
};

/// Its messages begin with the path.
core::Assembly read_features(const ReadoutArguments& arguments, const std::string& path) {
    auto features = read_recordings(path, {arguments.variable, arguments.layer}).assembly;
    features.name = path;
    return features;
}

TaskOutput read_out(const ReadoutArguments& arguments) {
    const auto params = config::readout_params(arguments.name, read_params(arguments.params),
                                               params_place(arguments.params));
    const auto features = read_features(arguments, arguments.source);
    if (arguments.name == "odd_one_out" && params.triplets.empty())
        throw core::InputError("ventral readout: odd_one_out needs triplets in --params");
    return task_output(arguments.name, params, features, [&] {
        if (arguments.fitting.empty())
            throw core::InputError("ventral readout: probabilities needs --fitting");
        return read_features(arguments, arguments.fitting);
    });
}

/// A line per presentation: its stimulus, then its choice or its probabilities.
void print_table(const core::Assembly& assembly) {
    const auto rows = core::transpose(assembly, {"presentation", "choice"});
    const auto choices = rows.dims[1].size;
    std::vector<std::string> names(rows.dims[0].size);
    if (core::find_coordinate(rows, "stimulus_id")) names = core::texts(rows, "stimulus_id");
    if (core::find_coordinate(rows, "choice")) {
        std::cout << "stimulus_id";
        for (const auto& label : core::texts(rows, "choice")) std::cout << '\t' << label;
        std::cout << '\n';
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::cout << names[i];
        for (std::size_t k = 0; k < choices; ++k)
            std::cout << '\t' << core::text(rows.values, i * choices + k);
        std::cout << '\n';
    }
}

void check_readout_output(const ReadoutArguments& arguments) {
    if (arguments.out.empty()) return;
    std::vector<std::string> inputs = {arguments.source, arguments.fitting};
    if (arguments.params.starts_with('@')) inputs.push_back(arguments.params.substr(1));
    check_output(arguments.out, existing(arguments.force), inputs);
}

void print_readout(const ReadoutArguments& arguments) {
    check_readout_output(arguments);
    const auto readout = read_out(arguments);
    if (!arguments.out.empty()) io::write_assembly(arguments.out, readout.assembly);
    if (arguments.json)
        std::cout << readout.json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    else
        print_table(readout.assembly);
}

}  // namespace

Subcommand add_readout(CLI::App& app) {
    const auto arguments = std::make_shared<ReadoutArguments>();
    auto* sub = app.add_subcommand("readout", "a task read out of a model's features");
    sub->add_option("NAME", arguments->name,
                    "label (of logits), probabilities (a classifier fitted on labelled stimuli) or "
                    "odd_one_out (of triplets)")
        ->required();
    sub->add_option("--source", arguments->source,
                    "the features to read out, or the logits (netCDF, or a file of extract)")
        ->required();
    sub->add_option("--fitting", arguments->fitting,
                    "probabilities: features with a coordinate image_label to fit on (netCDF)");
    sub->add_option(
        "--params", arguments->params,
        "JSON, or @FILE; label: choice_labels (a list, or \"imagenet\"); probabilities: "
        "C, tol, max_iter; odd_one_out: triplets (lists of three stimulus_id), "
        "similarity_measure (dot or cosine); of all: upcast_to_float64 (a list, unless it is empty "
        "all is computed in float64)");
    sub->add_option("--layer", arguments->layer, "layer of an activations file");
    sub->add_option("--variable", arguments->variable, "data variable of the files");
    sub->add_option("--out", arguments->out, "write the choices or probabilities here (netCDF)");
    sub->add_flag("--force", arguments->force, "replace what is there");
    sub->add_flag("--json", arguments->json, "print one JSON object with all digits");
    return {sub, Ranks::first_only, [arguments](comm::Communicator&) {
                print_readout(*arguments);
                return exit_done;
            }};
}

}  // namespace ventral::jobs
