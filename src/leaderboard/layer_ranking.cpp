#include "leaderboard/layer_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/record_lookup.hpp"
#include "core/text.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "leaderboard/cell_text.hpp"

namespace ventral::leaderboard {
namespace {

/// The scores of one model as they are gathered.
struct ModelScores {
    std::vector<std::string> benchmarks;
    std::vector<std::string> layers;
    std::map<std::string, std::vector<const core::ScoreRecord*>> of_layer;
    std::vector<std::string> missing;
    std::set<std::string> impossible;  ///< layers that a benchmark refuses
    std::vector<std::string> why_impossible;
};

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void add_missing(const core::ScoreRecord& planned, const core::ScoreRecord* record,
                 ModelScores& scores) {
    const auto name = (planned.layer.empty() ? "" : planned.layer + " on ") + planned.benchmark;
    const auto& failure = record && record->failure ? record->failure : planned.failure;
    if (!failure) {
        scores.missing.push_back(name + " is not scored");
    } else if (failure->failure_class == core::FailureClass::deterministic) {
        scores.impossible.insert(planned.layer);
        scores.why_impossible.push_back(name + " failed: " + failure->reason);
    } else {
        scores.missing.push_back(name + " failed: " + failure->reason);
    }
}

ModelScores gather(const std::string& model, const std::vector<core::ScoreRecord>& planned,
                   const core::RecordOfKey& record_of) {
    ModelScores scores;
    for (const auto& plan : planned) {
        if (plan.model != model) continue;
        const auto found = record_of.find(plan.key);
        const auto* record = found == record_of.end() ? nullptr : found->second;
        if (!record || record->status != core::ScoreStatus::scored || !record->value) {
            add_missing(plan, record, scores);
            continue;
        }
        add_once(scores.benchmarks, plan.benchmark);
        add_once(scores.layers, plan.layer);
        scores.of_layer[plan.layer].push_back(record);
    }
    if (scores.layers.empty() && scores.missing.empty() && scores.impossible.empty())
        scores.missing.push_back("no score of it is planned");
    std::erase_if(scores.layers,
                  [&](const auto& layer) { return scores.impossible.contains(layer); });
    return scores;
}

/// What a Gram took stands in every score on it: it counts once.
void add_times(const std::vector<const core::ScoreRecord*>& records, RankedLayer& layer,
               double& extraction_s) {
    std::set<std::string> grams;
    for (const auto* record : records) {
        layer.fit_s += core::seconds_of(*record, "fit");
        const auto unit = core::provenance_of(*record, "activations");
        if (!unit.empty() && !grams.insert(unit).second) continue;
        layer.gram_s += core::seconds_of(*record, "features_and_gram") -
                        core::seconds_of(*record, "extraction");
        extraction_s += core::seconds_of(*record, "extraction");
    }
}

RankedLayer mean_of(const std::string& name, const std::vector<const core::ScoreRecord*>& records) {
    RankedLayer layer;
    layer.layer = name;
    const auto count = static_cast<double>(records.size());
    double squares = 0;
    bool has_errors = true;
    for (const auto* record : records) {
        layer.value += *record->value / count;
        has_errors = has_errors && record->error;
        squares += std::pow(record->error.value_or(0), 2);
    }
    if (has_errors) layer.error = std::sqrt(squares) / count;
    return layer;
}

/// The highest value; NaN is lower than any.
std::size_t best_of(const std::vector<RankedLayer>& layers) {
    const auto is_less = [](const RankedLayer& a, const RankedLayer& b) {
        return !std::isnan(b.value) && (std::isnan(a.value) || a.value < b.value);
    };
    const auto best = std::max_element(layers.begin(), layers.end(), is_less);
    return static_cast<std::size_t>(best - layers.begin());
}

}  // namespace

LayerRanking rank_layers(const std::string& model, const std::vector<core::ScoreRecord>& planned,
                         const std::vector<core::ScoreRecord>& records) {
    const auto scores = gather(model, planned, core::by_key(records));
    if (!scores.missing.empty())
        throw core::InputError(model + ": no layer can be chosen, " +
                               std::to_string(scores.missing.size()) +
                               " score(s) are missing: " + scores.missing.front());
    if (scores.layers.empty())
        throw core::InputError(model +
                               ": no layer can be chosen: " + scores.why_impossible.front());
    LayerRanking ranking;
    ranking.model = model;
    ranking.benchmarks = scores.benchmarks;
    ranking.left_out = scores.why_impossible;
    for (const auto& name : scores.layers) {
        const auto& of_layer = scores.of_layer.at(name);
        ranking.layers.push_back(mean_of(name, of_layer));
        add_times(of_layer, ranking.layers.back(), ranking.extraction_s);
    }
    ranking.best = best_of(ranking.layers);
    if (std::isnan(ranking.layers[ranking.best].value))
        throw core::InputError(model + ": no layer can be chosen (the scores of all are NaN)");
    return ranking;
}

std::string layer_ranking_text(const LayerRanking& ranking) {
    std::vector<TextRow> rows = {{"", "layer", "score", "Gram s", "fit s"}};
    double gram_s = 0;
    double fit_s = 0;
    for (const auto& layer : ranking.layers) {
        const bool is_best = &layer == &ranking.layers[ranking.best];
        rows.push_back({is_best ? "*" : "", layer.layer, rounded(layer.value, layer.error),
                        rounded(layer.gram_s), rounded(layer.fit_s)});
        gram_s += layer.gram_s;
        fit_s += layer.fit_s;
    }
    rows.push_back({"", "all", "", rounded(gram_s), rounded(fit_s)});
    return ranking.model + " on " + core::joined(ranking.benchmarks) + "\n" +
           aligned_columns(rows, 2) + "  network: " +
           (ranking.extraction_s > 0 ? rounded(ranking.extraction_s) + " s" : "was not run") +
           " (all times are of the runs that computed these scores)\n";
}

}  // namespace ventral::leaderboard
