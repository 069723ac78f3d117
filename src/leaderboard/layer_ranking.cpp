#include "leaderboard/layer_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/add_once.hpp"
#include "core/counted.hpp"
#include "core/record_lookup.hpp"
#include "core/text.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "leaderboard/cell_text.hpp"

namespace ventral::leaderboard {
namespace {

/// The scores of one model as they are gathered.
struct ModelScores {
    std::vector<std::string> layers;
    std::map<std::string, std::vector<const core::ScoreRecord*>> of_layer;
    std::vector<const core::ScoreRecord*> missing;  ///< as planned, or with their failure
    std::vector<const core::ScoreRecord*> refused;  ///< what trying again cannot help, of one layer
};

/// A benchmark that no layer can be scored on has records without a layer.
bool is_refused(const core::ScoreRecord& record) {
    return !record.layer.empty() && record.failure &&
           record.failure->failure_class == core::FailureClass::deterministic;
}

std::string text_of(const core::ScoreRecord& record) {
    const auto name = (record.layer.empty() ? "" : record.layer + " on ") + record.benchmark;
    return name + (record.failure ? " failed: " + record.failure->reason : " is not scored");
}

ModelScores gather(const std::string& model, const std::vector<core::ScoreRecord>& planned,
                   const core::RecordOfKey& record_of) {
    ModelScores scores;
    for (const auto& plan : planned) {
        if (plan.model != model) continue;
        const auto found = record_of.find(plan.key);
        const bool is_known = found != record_of.end();
        const auto& record = is_known ? *found->second : plan;
        if (!is_known || record.status != core::ScoreStatus::scored || !record.value) {
            (is_refused(record) ? scores.refused : scores.missing).push_back(&record);
            continue;
        }
        core::add_once(scores.layers, plan.layer);
        scores.of_layer[plan.layer].push_back(&record);
    }
    return scores;
}

/// Whatever else there is of them.
void leave_out_refused(ModelScores& scores) {
    std::set<std::string> layers;
    for (const auto* record : scores.refused) layers.insert(record->layer);
    std::erase_if(scores.layers, [&](const auto& layer) { return layers.contains(layer); });
    std::erase_if(scores.missing,
                  [&](const auto* record) { return layers.contains(record->layer); });
}

[[noreturn]] void refuse_choice(const std::string& model, const std::string& why) {
    throw core::InputError(model + ": no layer can be chosen (" + why + ")");
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

/// Below zero if r is: squared, as in explained variance, it has lost its sign, and a layer that
/// answers the opposite would be better than one that tells nothing.
double signed_value(const core::ScoreRecord& record) {
    const double value = record.value.value();
    return record.raw_value.value_or(0) < 0 ? -std::abs(value) : value;
}

RankedLayer mean_of(const std::string& name, const std::vector<const core::ScoreRecord*>& records) {
    RankedLayer layer;
    layer.layer = name;
    const auto count = static_cast<double>(records.size());
    double squares = 0;
    bool has_errors = true;
    for (const auto* record : records) {
        layer.value += signed_value(*record) / count;
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
    const auto record_of = core::by_key(records);
    auto scores = gather(model, planned, record_of);
    leave_out_refused(scores);
    if (!scores.missing.empty())
        refuse_choice(model, core::counted(scores.missing.size(), "score") +
                                 " missing, one is: " + text_of(*scores.missing.front()));
    if (scores.layers.empty())
        refuse_choice(model, scores.refused.empty() ? "no score of it is planned"
                                                    : text_of(*scores.refused.front()));
    LayerRanking ranking;
    ranking.model = model;
    for (const auto* record : scores.refused) ranking.left_out.push_back(text_of(*record));
    for (const auto& name : scores.layers) {
        const auto& of_layer = scores.of_layer.at(name);
        for (const auto* record : of_layer) core::add_once(ranking.benchmarks, record->benchmark);
        ranking.layers.push_back(mean_of(name, of_layer));
        add_times(of_layer, ranking.layers.back(), ranking.extraction_s);
    }
    ranking.best = best_of(ranking.layers);
    if (std::isnan(ranking.layers[ranking.best].value))
        refuse_choice(model, "the scores of all are NaN");
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
