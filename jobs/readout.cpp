#include <iostream>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "config/readout_params.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "exit_codes.hpp"
#include "io/netcdf_assembly.hpp"
#include "io/score_json.hpp"
#include "models/label_readout.hpp"
#include "print_score.hpp"
#include "subcommand.hpp"

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
    bool json = false;
};

/// What a readout gives: an assembly to keep, and all of it as JSON.
struct Readout {
    core::Assembly assembly;
    Json json;
};

/// Its messages begin with the path.
core::Assembly read_features(const ReadoutArguments& arguments, const std::string& path) {
    auto features = io::read_assembly(path, {arguments.variable, arguments.layer});
    features.name = path;
    return features;
}

Json choices_json(const core::Assembly& choices) {
    return std::get<std::vector<std::string>>(choices.values);
}

Json array_json(const core::Assembly& assembly) { return Json::parse(io::to_json(assembly)); }

Readout read_labels(const core::Assembly& logits, const config::ReadoutParams& params) {
    if (params.choice_labels.empty()) {
        const auto choices = models::choose_imagenet_synsets(logits);
        const auto& classes = core::coordinate(choices, "logit").values;
        return {choices,
                {{"choices", choices_json(choices)},
                 {"logit", std::get<std::vector<std::int64_t>>(classes)}}};
    }
    const auto labels = models::choose_labels(logits, params.choice_labels);
    return {labels.choices,
            {{"choice_labels", params.choice_labels},
             {"choices", choices_json(labels.choices)},
             {"mean_probability", array_json(labels.mean_probabilities)["values"]}}};
}

void warn_of_end(const std::string& source, stats::LogisticEnd end) {
    if (end == stats::LogisticEnd::out_of_iterations)
        core::log_warning(source + ": the logistic regression did not converge, raise max_iter");
    if (end == stats::LogisticEnd::no_step)
        core::log_warning(source +
                          ": the logistic regression stopped early (rounding hides every further "
                          "step) features in float64 have none of this");
}

Readout read_probabilities(const ReadoutArguments& arguments, const core::Assembly& features,
                           const config::ReadoutParams& params) {
    if (arguments.fitting.empty())
        throw core::InputError("ventral readout: probabilities needs --fitting");
    const auto read = models::read_probabilities(read_features(arguments, arguments.fitting),
                                                 features, params.logistic);
    warn_of_end(arguments.fitting, read.end);
    return {read.probabilities,
            {{"probabilities", array_json(read.probabilities)},
             {"n_iter", {read.iterations}},
             {"coef", read.coefficients},
             {"intercept", read.intercepts}}};
}

Readout read_odd_ones(const core::Assembly& features, const config::ReadoutParams& params) {
    if (params.triplets.empty())
        throw core::InputError("ventral readout: odd_one_out needs triplets in --params");
    const auto choices = models::choose_odd_ones(features, params.triplets, params.similarity);
    return {
        choices,
        {{"stimulus_id", core::texts(choices, "stimulus_id")}, {"choices", choices_json(choices)}}};
}

Readout read_out(const ReadoutArguments& arguments) {
    const auto params = config::readout_params(arguments.name, read_params(arguments.params));
    const auto features = read_features(arguments, arguments.source);
    if (arguments.name == "label") return read_labels(features, params);
    if (arguments.name == "odd_one_out") return read_odd_ones(features, params);
    return read_probabilities(arguments, features, params);
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

void print_readout(const ReadoutArguments& arguments) {
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
                    "the features to read out, or the logits (netCDF)")
        ->required();
    sub->add_option("--fitting", arguments->fitting,
                    "probabilities: features with a coordinate image_label to fit on (netCDF)");
    sub->add_option(
        "--params", arguments->params,
        "JSON, or @FILE; label: choice_labels (a list, or \"imagenet\"); probabilities: "
        "C, tol, max_iter; odd_one_out: triplets (lists of three stimulus_id), "
        "similarity_measure (dot or cosine)");
    sub->add_option("--layer", arguments->layer, "layer of an activations file");
    sub->add_option("--variable", arguments->variable, "data variable of the files");
    sub->add_option("--out", arguments->out, "write the choices or probabilities here (netCDF)");
    sub->add_flag("--json", arguments->json, "print one JSON object with all digits");
    return {sub, Ranks::first_only, [arguments](comm::Communicator&) {
                print_readout(*arguments);
                return exit_done;
            }};
}

}  // namespace ventral::jobs
