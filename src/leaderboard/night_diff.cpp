#include "leaderboard/night_diff.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/record_lookup.hpp"
#include "core/text.hpp"
#include "leaderboard/agreement.hpp"
#include "leaderboard/record_facts.hpp"
#include "leaderboard/settings_of_records.hpp"

namespace ventral::leaderboard {
namespace {

using Name = std::tuple<std::string, std::string, std::string>;
using Latest = std::map<Name, const core::ScoreRecord*>;
using Pair = std::pair<std::string, std::string>;  ///< model and benchmark
using Pairs = std::set<Pair>;

Name subject_name(const core::ScoreRecord& record) {
    return {record.benchmark, record.model, record.layer};
}

bool is_failed(const core::ScoreRecord& record) {
    return record.status == core::ScoreStatus::failed;
}

auto precedence(const core::ScoreRecord& record) {
    return std::tuple(time_of(record), is_done(record), record.version);
}

Latest latest_of(const std::vector<core::ScoreRecord>& records) {
    Latest latest;
    for (const auto& record : records) {
        if (record.status == core::ScoreStatus::pending) continue;
        const auto [place, is_first] = latest.emplace(subject_name(record), &record);
        if (!is_first && precedence(record) >= precedence(*place->second)) place->second = &record;
    }
    return latest;
}

/// Of the records that are so.
template <typename Is>
Pairs pairs_of(const std::vector<core::ScoreRecord>& records, const Is& is) {
    Pairs pairs;
    for (const auto& record : records)
        if (is(record)) pairs.insert({record.model, record.benchmark});
    return pairs;
}

std::set<Name> open_names(const std::vector<core::ScoreRecord>& records) {
    std::set<Name> names;
    for (const auto& record : records)
        if (record.status == core::ScoreStatus::pending) names.insert(subject_name(record));
    return names;
}

bool differs(const core::ScoreRecord& before, const core::ScoreRecord& now, const char* fact) {
    const auto left = core::provenance_of(before, fact);
    const auto right = core::provenance_of(now, fact);
    return !left.empty() && !right.empty() && left != right;
}

bool is_normalised_anew(const core::ScoreRecord& before, const core::ScoreRecord& now) {
    return !before.normalisation.empty() && !now.normalisation.empty() &&
           before.normalisation != now.normalisation;
}

/// Which inputs of a score are others now, as far as the records tell.
std::string changed_inputs(const core::ScoreRecord& before, const core::ScoreRecord& now) {
    const bool is_other_model = differs(before, now, "model_content");
    std::string text;
    const auto add = [&](const std::string& part) { core::add_part(text, part); };
    if (is_other_model) add("model changed");
    if (before.version != now.version)
        add("benchmark version " + std::to_string(before.version) + " -> " +
            std::to_string(now.version));
    if (differs(before, now, "stimuli") || (!is_other_model && differs(before, now, "activations")))
        add("stimuli changed");
    for (const auto& [fact, name] : {std::pair{"recordings", "recordings"},
                                     {"selection", "selection of recordings"},
                                     {"metric", "metric or its parameters"},
                                     {"ceiling", "ceiling"}})
        if (differs(before, now, fact)) add(std::string(name) + " changed");
    if (is_normalised_anew(before, now)) add("normalisation changed");
    if (differs(before, now, "projection")) add("PCA changed");
    if (differs(before, now, "seed")) add("seed changed");
    if (differs(before, now, settings_entry))
        add("--set changed (" + before.provenance.at(settings_entry) + " -> " +
            now.provenance.at(settings_entry) + ")");
    if (!text.empty()) return text;
    const bool is_known =
        before.provenance.contains("model_content") && now.provenance.contains("model_content");
    return is_known ? "benchmark, recordings or numerics changed" : "inputs changed";
}

/// Whether one of them is of a table that does not say it.
bool one_says_normalisation(const core::ScoreRecord& before, const core::ScoreRecord& now) {
    return before.normalisation.empty() != now.normalisation.empty();
}

/// What does not depend on the normalisation.
core::ScoreRecord before_normalisation(core::ScoreRecord record) {
    record.value.reset();
    for (auto& slice : record.slices) slice.value = 0;
    return record;
}

/// How the numbers of two done records of one key contradict each other.
std::optional<std::string> contradiction(const core::ScoreRecord& before,
                                         const core::ScoreRecord& now) {
    if (!is_done(before) || !is_done(now) || is_normalised_anew(before, now)) return std::nullopt;
    if (before.status != now.status)
        return score_name(now) + ": was " + core::name_of(before.status) + " and is " +
               core::name_of(now.status) + ", key " + now.key;
    if (one_says_normalisation(before, now))
        return disagreement(before_normalisation(before), before_normalisation(now));
    return disagreement(before, now);
}

class Comparison {
public:
    Comparison(const std::vector<core::ScoreRecord>& before,
               const std::vector<core::ScoreRecord>& now)
        : before_(latest_of(before)),
          now_(latest_of(now)),
          done_before_(pairs_of(before, is_done)),
          failed_before_(pairs_of(before, is_failed)),
          done_now_(pairs_of(now, is_done)),
          open_now_(open_names(now)) {
        compare_keys(before, now);
        for (const auto& [name, record] : now_) {
            const auto found = before_.find(name);
            if (found == before_.end())
                appeared(*record);
            else
                compare(*found->second, *record);
        }
        for (const auto& [name, record] : before_)
            if (!now_.contains(name)) left_out(*record);
    }

    NightDiff finish() {
        std::stable_sort(
            diff_.changes.begin(), diff_.changes.end(),
            [](const auto& left, const auto& right) { return left.kind < right.kind; });
        return std::move(diff_);
    }

private:
    void compare_keys(const std::vector<core::ScoreRecord>& before,
                      const std::vector<core::ScoreRecord>& now) {
        const auto record_of = core::by_key(before);
        for (const auto& record : now) {
            const auto found = record_of.find(record.key);
            if (found == record_of.end()) continue;
            if (const auto text = contradiction(*found->second, record)) {
                contradicted_.insert(record.key);
                add(ChangeKind::other_bits, found->second, &record, *text);
            }
        }
    }

    void compare(const core::ScoreRecord& before, const core::ScoreRecord& now) {
        if (is_failed(now) && is_failed(before)) {
            ++diff_.unchanged;
            ++diff_.still_failed;
        } else if (is_failed(now)) {
            add(ChangeKind::newly_failed, &before, &now, "");
        } else if (is_failed(before)) {
            add(ChangeKind::cured, &before, &now, "");
        } else if (before.key != now.key) {
            add(ChangeKind::changed, &before, &now, changed_inputs(before, now));
        } else if (is_normalised_anew(before, now)) {
            add(ChangeKind::changed, &before, &now,
                "normalisation " + before.normalisation + " -> " + now.normalisation);
        } else if (contradicted_.contains(now.key)) {
            return;
        } else if (one_says_normalisation(before, now) && disagreement(before, now)) {
            add(ChangeKind::changed, &before, &now, "other values of the same raw value");
        } else {
            ++diff_.unchanged;
        }
    }

    void appeared(const core::ScoreRecord& now) {
        const auto* of_all = failure_of_all_layers(before_, now);
        const bool had_failed =
            of_all || (now.layer.empty() && failed_before_.contains(pair_of(now)) &&
                       !done_before_.contains(pair_of(now)));
        if (is_failed(now) && had_failed) {
            told_.insert(pair_of(now));
            ++diff_.unchanged;
            ++diff_.still_failed;
        } else if (is_failed(now)) {
            add(ChangeKind::newly_failed, nullptr, &now, "");
        } else {
            if (of_all) told_.insert(pair_of(now));
            add(of_all ? ChangeKind::cured : ChangeKind::added, of_all, &now, "");
        }
    }

    void left_out(const core::ScoreRecord& before) {
        if (open_now_.contains(subject_name(before)))
            return add(ChangeKind::open, &before, nullptr, "");
        // Its failure now is that of all layers, or the failure before was, and they have told.
        const bool was_of_all = is_failed(before) && before.layer.empty();
        if (failure_of_all_layers(now_, before) || (was_of_all && told_.contains(pair_of(before))))
            return;
        const bool is_cured = was_of_all && done_now_.contains(pair_of(before));
        add(is_cured ? ChangeKind::cured : ChangeKind::gone, &before, nullptr, "");
    }

    static Pair pair_of(const core::ScoreRecord& record) {
        return {record.model, record.benchmark};
    }

    /// That of the record's model and benchmark, if there is one.
    static const core::ScoreRecord* failure_of_all_layers(const Latest& in,
                                                          const core::ScoreRecord& record) {
        const auto found = in.find({record.benchmark, record.model, ""});
        return found != in.end() && is_failed(*found->second) ? found->second : nullptr;
    }

    void add(ChangeKind kind, const core::ScoreRecord* before, const core::ScoreRecord* now,
             std::string reason) {
        ScoreChange change{kind, {}, {}, std::move(reason)};
        if (before) change.before = *before;
        if (now) change.now = *now;
        if (kind == ChangeKind::newly_failed && now->failure)
            change.reason =
                core::name_of(now->failure->failure_class) + ": " + now->failure->reason;
        diff_.changes.push_back(std::move(change));
    }

    Latest before_, now_;
    Pairs done_before_, failed_before_, done_now_;
    Pairs told_;  ///< what has become of them after a failure of all layers, or was it before
    std::set<Name> open_now_;
    std::set<std::string> contradicted_;
    NightDiff diff_;
};

}  // namespace

std::string name_of(ChangeKind kind) {
    switch (kind) {
        case ChangeKind::other_bits:
            return "other bits";
        case ChangeKind::newly_failed:
            return "newly failed";
        case ChangeKind::open:
            return "not computed";
        case ChangeKind::changed:
            return "changed";
        case ChangeKind::cured:
            return "cured";
        case ChangeKind::added:
            return "new";
        case ChangeKind::gone:
            return "gone";
    }
    return "changed";
}

NightDiff night_diff(const std::vector<core::ScoreRecord>& before,
                     const std::vector<core::ScoreRecord>& now) {
    return Comparison(before, now).finish();
}

std::size_t count(const NightDiff& diff, ChangeKind kind) {
    return static_cast<std::size_t>(
        std::count_if(diff.changes.begin(), diff.changes.end(),
                      [kind](const auto& change) { return change.kind == kind; }));
}

}  // namespace ventral::leaderboard
