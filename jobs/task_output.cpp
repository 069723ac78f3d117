#include "task_output.hpp"

#include "core/log.hpp"
#include "io/journal/score_json.hpp"
#include "io/text/json_number.hpp"
#include "models/readouts/label_readout.hpp"

namespace ventral::jobs {
namespace {

using Json = nlohmann::ordered_json;

Json array_json(const core::Assembly& assembly) { return Json::parse(io::to_json(assembly)); }

/// Whole numbers become so where they are read out, and text is refused there.
core::Assembly in_float64(core::Assembly features) {
    if (core::are_fractions(features.values)) features.values = core::as_float64(features.values);
    return features;
}

TaskOutput read_labels(const core::Assembly& logits, const config::ReadoutParams& params) {
    if (params.choice_labels.empty()) {
        const auto choices = models::choose_imagenet_synsets(logits);
        const auto& classes = core::coordinate(choices, "logit").values;
        return {choices,
                {{"choices", io::json_values(choices.values)},
                 {"logit", std::get<std::vector<std::int64_t>>(classes)}}};
    }
    const auto labels = models::choose_labels(logits, params.choice_labels);
    return {labels.choices,
            {{"choice_labels", params.choice_labels},
             {"choices", io::json_values(labels.choices.values)},
             {"mean_probability", array_json(labels.mean_probabilities)["values"]}}};
}

void warn_of_end(const core::Assembly& fitting, stats::LogisticEnd end) {
    if (end == stats::LogisticEnd::out_of_iterations)
        core::log_warning(fitting.name +
                          ": the logistic regression did not converge, raise max_iter");
    if (end == stats::LogisticEnd::no_step)
        core::log_warning(
            fitting.name +
            ": the logistic regression stopped early (rounding hides every further step)" +
            (std::holds_alternative<std::vector<float>>(fitting.values)
                 ? " the parameter {\"upcast_to_float64\": [\"features\"]} lessens this"
                 : ""));
}

TaskOutput read_probabilities(const core::Assembly& fitting, const core::Assembly& features,
                              const config::ReadoutParams& params) {
    const auto read = models::read_probabilities(fitting, features, params.logistic);
    warn_of_end(fitting, read.end);
    return {read.probabilities,
            {{"probabilities", array_json(read.probabilities)},
             {"n_iter", {read.iterations}},
             {"coef", read.coefficients},
             {"intercept", read.intercepts}}};
}

TaskOutput read_odd_ones(const core::Assembly& features, const config::ReadoutParams& params) {
    const auto choices = models::choose_odd_ones(features, params.triplets, params.similarity);
    return {choices,
            {{"stimulus_id", core::texts(choices, "stimulus_id")},
             {"choices", io::json_values(choices.values)}}};
}

TaskOutput read_task(const std::string& task, const config::ReadoutParams& params,
                     const core::Assembly& features,
                     const std::function<core::Assembly()>& fitting) {
    if (task == "label") return read_labels(features, params);
    if (task == "odd_one_out") return read_odd_ones(features, params);
    return read_probabilities(fitting(), features, params);
}

}  // namespace

TaskOutput task_output(const std::string& task, const config::ReadoutParams& params,
                       const core::Assembly& features,
                       const std::function<core::Assembly()>& fitting) {
    if (!params.in_float64) return read_task(task, params, features, fitting);
    return read_task(task, params, in_float64(features), [&] { return in_float64(fitting()); });
}

}  // namespace ventral::jobs
