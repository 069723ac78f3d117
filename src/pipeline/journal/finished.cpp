#include "pipeline/journal/finished.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/journal/line_kind.hpp"
#include "io/journal/read_journal.hpp"
#include "io/journal/score_json.hpp"
#include "io/out_folder.hpp"
#include "io/text/json_problem.hpp"
#include "metrics/regression_fit.hpp"
#include "pipeline/watch/memory_bound.hpp"

namespace ventral::pipeline {
namespace {

using OrderedJson = nlohmann::ordered_json;

core::ArrayPlace place_from(const OrderedJson& json) {
    return {json.at("file"), json.at("offset"), json.at("count"), json.at("crc")};
}

/// Numbers that JSON cannot hold (a margin may be infinite) as text.
double number_from(const OrderedJson& json) {
    return core::parse_number(json.get<std::string>()).value_or(0.0);
}

/// Collects what the lines of a journal say.
class FinishedReader {
public:
    FinishedReader(std::string folder, std::string fingerprint, const ResumeChoices& choices)
        : folder_(std::move(folder)), fingerprint_(std::move(fingerprint)), choices_(choices) {}

    void read() {
        const auto warnings = io::for_each_line(
            folder_, [&](const auto& each) { or_warn(each, [&] { line(each); }); });
        for (const auto& warning : warnings) core::log_warning_once(warning);
        settle_failures();
        if (choices_.trust_raw) return;
        drop_damaged_scores();
        read_folds();
        for (const auto& [key, groups] : folds_)
            for (const auto& [group, line] : groups)
                or_warn(line, [&] { add_group(OrderedJson::parse(line.json)); });
        warn_of_damage();
    }

    Finished finished() { return std::move(finished_); }

private:
    struct Raw {
        core::ArrayPlace place;
        std::string labels;  ///< their key
    };

    struct Failure {
        std::string recorded;  ///< when
        std::string reason;
        bool is_tried_again = false;
    };

    template <typename Step>
    static void or_warn(const io::JournalLine& line, const Step& step) {
        try {
            step();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            core::log_warning(line.segment + ":" + std::to_string(line.line) +
                              ": not understood, its work is done again (" +
                              io::json_problem(error, line.json) + ")");
        }
    }

    void line(const io::JournalLine& line) {
        const auto kind = io::kind_of(line.json);
        if (kind == io::line_kind::labels) labels_.emplace(io::key_of(line.json));
        if (kind == io::line_kind::estimate) estimate(OrderedJson::parse(line.json));
        if (!counts(line)) return;
        if (!is_wanted(std::string(io::key_of(line.json)))) return;
        if (kind == io::line_kind::score) score(io::score_record_from_json(line.json));
        if (kind == io::line_kind::failed)
            failed(io::score_record_from_json(line.json), is_own(line));
        if (kind == io::line_kind::folds) begun_.emplace(io::key_of(line.json));
    }

    /// Those of finished scores, which are by far the most, are not looked into, nor kept before it
    /// is known which are finished.
    void read_folds() {
        std::erase_if(begun_, [&](const auto& key) { return finished_.is_done(key); });
        if (begun_.empty()) return;
        io::for_each_line(folder_, [&](const auto& line) {
            if (io::kind_of(line.json) == io::line_kind::folds && counts(line) &&
                begun_.contains(std::string(io::key_of(line.json))))
                or_warn(line, [&] { folds(line); });
        });
    }

    void folds(const io::JournalLine& line) {
        const auto json = OrderedJson::parse(line.json);
        if (json.at("fingerprint") != fingerprint_) return;
        auto& groups = folds_[std::string(io::key_of(line.json))];
        const auto [known, is_new] = groups.try_emplace(json.at("group"), line);
        // A group that was done again on the features is better than its first form.
        if (!is_new && json.at("route") != metrics::gram_route) known->second = line;
    }

    bool is_own(const io::JournalLine& line) const {
        const auto& own = choices_.own_segments;
        return !own.empty() && line.segment.starts_with(own);
    }

    /// Whether what the line says is no matter of computing again.
    bool counts(const io::JournalLine& line) const { return !choices_.recompute || is_own(line); }

    void score(const core::ScoreRecord& record) {
        if (record.raw)
            raw_[record.key].push_back({*record.raw, record.raw_labels});
        else
            without_raw_.insert(record.key);
        finished_.scores[record.key] = record.status;
    }

    bool is_wanted(const std::string& key) const {
        return !choices_.keys || choices_.keys->count(key) > 0;
    }

    /// A score that was fitted again has its raw values in several places: one is enough.
    void drop_damaged_scores() {
        for (const auto& [key, places] : raw_) {
            const bool is_whole = std::any_of(places.begin(), places.end(), [&](const auto& raw) {
                return (raw.labels.empty() || labels_.contains(raw.labels)) &&
                       arrays_.read(folder_, raw.place).has_value();
            });
            if (is_whole || without_raw_.count(key) > 0) continue;
            finished_.scores.erase(key);
            ++damaged_scores_;
        }
    }

    void warn_of_damage() const {
        if (damaged_scores_ + damaged_groups_ == 0) return;
        core::log_warning(folder_ + ": the raw values, or their labels, of finished scores (" +
                          std::to_string(damaged_scores_) + ") and fold groups (" +
                          std::to_string(damaged_groups_) +
                          ") are missing or damaged; they are computed again");
    }

    void estimate(const OrderedJson& json) {
        const std::string unit = json.at("unit");
        const std::string recorded = json.at("recorded");
        auto& latest = estimated_[unit];
        if (recorded < latest) return;
        latest = recorded;
        finished_.estimates[unit] = {unit, json.at("memory_bytes"), json.at("seconds")};
    }

    /// `is_own`: of an earlier start of this job.
    void failed(const core::ScoreRecord& record, bool is_own) {
        const auto& failure = record.failure.value();
        Failure found{core::provenance_of(record, "recorded"), failure.reason,
                      failure.failure_class == core::FailureClass::transient ||
                          has_more_memory(record) || (choices_.retry_failed && !is_own)};
        auto& last = failures_[record.key];
        if (found.recorded >= last.recorded) last = std::move(found);
    }

    /// The last failure of a score decides: what was in its way before may have been mended.
    void settle_failures() {
        for (const auto& [key, last] : failures_) {
            if (finished_.is_done(key)) continue;
            if (last.is_tried_again)
                finished_.retried[key] = last.reason;
            else
                finished_.scores.emplace(key, core::ScoreStatus::failed);
        }
    }

    bool has_more_memory(const core::ScoreRecord& record) const {
        const auto bound = record.memory.find("bound");
        return record.failure->failure_class == core::FailureClass::out_of_memory &&
               bound != record.memory.end() && has_more_room(choices_.memory_bound, bound->second);
    }

    void add_group(const OrderedJson& json) {
        const auto values = arrays_.read(folder_, place_from(json.at("raw")));
        if (!values) {
            ++damaged_groups_;
            return;
        }
        FoldGroupResult result;
        result.key = json.at("key");
        result.group = json.at("group");
        result.r = *values;
        for (const auto& each : core::named_margins)
            if (json.contains(each.name))
                result.margins.*each.margin = number_from(json.at(each.name));
        result.route = json.at("route");
        result.rank = json.at("rank");
        result.seconds = json.at("seconds");
        finished_.groups.push_back(std::move(result));
    }

    std::string folder_;
    io::JournalArrays arrays_;
    std::string fingerprint_;
    ResumeChoices choices_;
    Finished finished_;
    std::map<std::string, Failure> failures_;  ///< the last one of each score
    std::set<std::string> begun_;              ///< keys of scores of which there are fold groups
    std::map<std::string, std::map<std::uint64_t, io::JournalLine>> folds_;  ///< by key and group
    std::map<std::string, std::vector<Raw>> raw_;  ///< of finished scores, by key
    std::set<std::string> labels_;                 ///< keys of the labels that there are
    std::set<std::string> without_raw_;  ///< scores of private recordings, whole comparisons
    std::map<std::string, std::string> estimated_;  ///< when each unit was
    std::size_t damaged_scores_ = 0;
    std::size_t damaged_groups_ = 0;
};

}  // namespace

Finished read_finished(const std::string& out, const std::string& fingerprint,
                       const ResumeChoices& choices) {
    FinishedReader reader(io::journal_folder(out), fingerprint, choices);
    reader.read();
    return reader.finished();
}

}  // namespace ventral::pipeline
