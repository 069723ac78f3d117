#include "pipeline/outlook/explain.hpp"

#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/counted.hpp"
#include "core/record_lookup.hpp"
#include "core/text.hpp"
#include "metrics/registered_metrics.hpp"
#include "pipeline/schedule/containment.hpp"

namespace ventral::pipeline {
namespace {

using Parts = std::map<std::string, std::string>;

/// "2026-01-31T12:00:00.000Z on node7 by ventral 0.1".
std::string origin(const core::ScoreRecord& record) {
    const auto part = [&](const char* before, const char* name) {
        const auto text = core::provenance_of(record, name);
        return text.empty() ? "" : before + text;
    };
    const auto text =
        part(" ", "recorded") + part(" on ", "host") + part(" by ventral ", "version");
    return text.empty() ? "at an unknown time" : text.substr(1);
}

/// What people call the parts of a key; those whose value says something to them have it behind.
struct PartName {
    const char* key;
    const char* name;
    bool has_text = false;
};
constexpr PartName part_names[] = {
    {"model_content",
     "the model's content (weights or stored features, preprocessing, batch size or device)"},
    {"projection", "the model's PCA"},
    {"access", "the access of the data"},
    {"stimuli", "the stimuli"},
    {"recordings", "the recordings"},
    {"selection", "the selection of recordings"},
    {"metric", "the metric or its parameters"},
    {"ceiling", "the ceiling", true},
    {"seed", "the seed", true},
    {"stages", "the program's stages", true},
    {"version", "the benchmark's version", true},
    {"normalisation", "the normalisation", true},
};

/// All that a key is made of by these names. Of a record: as far as it says.
Parts parts_of(const core::ScoreRecord& record) {
    Parts parts = record.provenance;
    parts["version"] = std::to_string(record.version);
    parts["normalisation"] = record.normalisation;
    return parts;
}

std::string value_of(const Parts& parts, const char* key) {
    const auto found = parts.find(key);
    return found == parts.end() ? "" : found->second;
}

/// Names what differs; a part that the earlier record does not know is not compared, but that it
/// has no PCA, or is of open data, is known by its having none.
std::string differences(const Parts& before, const Parts& now) {
    std::string text;
    for (const auto& part : part_names) {
        const auto old_value = value_of(before, part.key);
        const auto new_value = value_of(now, part.key);
        const std::string key = part.key;
        const bool is_known = !old_value.empty() || key == "projection" || key == "access";
        if (!is_known || old_value == new_value) continue;
        core::add_part(text, part.name);
        if (part.has_text) text += " (" + old_value + ", now " + new_value + ")";
    }
    return text;
}

class Explainer {
public:
    Explainer(const config::RunRecord& run, const InputFacts& facts, const EarlierWork& earlier)
        : run_(run), facts_(facts), earlier_(earlier), by_key_(core::by_key(earlier.records)) {
        for (const auto& record : earlier.records) {
            auto& latest = by_name_[{record.model, record.benchmark, record.layer}];
            if (!latest ||
                core::provenance_of(*latest, "recorded") < core::provenance_of(record, "recorded"))
                latest = &record;
        }
        for (const auto& result : earlier.finished.groups) ++groups_[result.key];
    }

    ScoreExplanation score(const RunPlan& plan, std::size_t place, const PlannedScore& planned) {
        const auto& unit = plan.units[place];
        const auto record = planned_record(run_, unit, planned);
        ScoreExplanation explanation{record.model, record.layer, record.benchmark, record.key};
        const auto known = by_key_.find(record.key);
        const auto* earlier = known == by_key_.end() ? nullptr : known->second;
        if (earlier_.finished.is_done(record.key)) {
            explanation.action = ScoreAction::reuse;
            explanation.why = earlier ? why_reused(*earlier) : "in the journal";
            return explanation;
        }
        if (auto reason = reason_left_out(run_, unit, earlier_.histories)) {
            explanation.action = ScoreAction::impossible;
            explanation.why = std::move(*reason);
            return explanation;
        }
        explanation.why = why_computed(unit, planned, record, earlier);
        const auto& metric = run_.benchmarks[planned.benchmark].metric.name;
        const bool needs_gram = metrics::needs_gram(metrics::find_metric(metric));
        std::set<std::string> found;
        for (const auto& bins : earlier_.bins(place, planned))
            for (const auto& layer : planned.layers) {
                auto files = earlier_.checkpoints.of(unit, layer, bins);
                files.gram = files.gram && needs_gram;
                const auto text = description(files);
                if (found.insert(text).second) core::add_part(explanation.on_disk, text);
            }
        return explanation;
    }

private:
    static std::string why_reused(const core::ScoreRecord& record) {
        if (record.status != core::ScoreStatus::failed)
            return core::name_of(record.status) + " " + origin(record);
        return "failed " + origin(record) + ": " + (record.failure ? record.failure->reason : "") +
               " (--retry-failed tries again)";
    }

    std::string why_computed(const PlannedUnit& unit, const PlannedScore& planned,
                             const core::ScoreRecord& record, const core::ScoreRecord* earlier) {
        std::string text = reason(unit, planned, record, earlier);
        const auto groups = groups_.find(record.key);
        if (groups != groups_.end())
            text += "; " + core::counted(groups->second, "fold group") + " of it computed already";
        return text;
    }

    std::string reason(const PlannedUnit& unit, const PlannedScore& planned,
                       const core::ScoreRecord& record, const core::ScoreRecord* earlier) {
        const auto retried = earlier_.finished.retried.find(record.key);
        if (retried != earlier_.finished.retried.end())
            return "failed, perhaps for a passing reason: " + retried->second;
        if (earlier)
            return "the raw values of what was scored " + origin(*earlier) +
                   " are missing or damaged";
        const auto namesake = by_name_.find({record.model, record.benchmark, record.layer});
        if (namesake == by_name_.end()) return "not computed before" + failure_of_all(record);
        auto now = parts_of(record);
        now["model_content"] = facts_.of(run_.models[unit.model]).content_key;
        now.merge(score_parts(run_, facts_, unit, planned));
        const auto changed = differences(parts_of(*namesake->second), now);
        return "changed since " + origin(*namesake->second) + ": " +
               (changed.empty() ? "something that its record does not say" : changed);
    }

    /// Where no layer of the model got as far as to have a record of its own, nor has since.
    std::string failure_of_all(const core::ScoreRecord& record) {
        const auto first = by_name_.find({record.model, record.benchmark, ""});
        if (first == by_name_.end() || !first->second->failure) return "";
        const auto& whole = *first->second;
        for (auto other = std::next(first); other != by_name_.end(); ++other) {
            if (other->second->model != record.model) break;
            if (other->second->benchmark != record.benchmark) break;
            if (core::provenance_of(*other->second, "recorded") >=
                core::provenance_of(whole, "recorded"))
                return "";
        }
        return ": all layers failed " + origin(whole) + ": " + whole.failure->reason;
    }

    const config::RunRecord& run_;
    const InputFacts& facts_;
    const EarlierWork& earlier_;
    core::RecordOfKey by_key_;
    std::map<std::vector<std::string>, const core::ScoreRecord*> by_name_;
    std::map<std::string, std::size_t> groups_;  ///< known ones of each score
};

}  // namespace

std::string name_of(ScoreAction action) {
    switch (action) {
        case ScoreAction::reuse:
            return "reused";
        case ScoreAction::compute:
            return "to be computed";
        case ScoreAction::impossible:
            return "cannot be computed";
    }
    return "";
}

std::vector<ScoreExplanation> explain(const config::RunRecord& run, const InputFacts& facts,
                                      const RunPlan& plan, const EarlierWork& earlier) {
    Explainer explainer(run, facts, earlier);
    std::vector<ScoreExplanation> all;
    for (std::size_t u = 0; u < plan.units.size(); ++u)
        for (const auto& score : plan.units[u].scores)
            all.push_back(explainer.score(plan, u, score));
    for (const auto& record : plan.impossible)
        all.push_back({record.model, record.layer, record.benchmark, record.key,
                       ScoreAction::impossible, record.failure->reason, ""});
    return all;
}

}  // namespace ventral::pipeline
