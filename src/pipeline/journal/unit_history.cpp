#include "pipeline/journal/unit_history.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>
#include <signal.h>

#include "core/counted.hpp"
#include "core/text.hpp"
#include "core/where_and_when.hpp"
#include "io/journal/line_kind.hpp"
#include "io/out_folder.hpp"
#include "pipeline/journal/death.hpp"

namespace ventral::pipeline {
namespace {

using Json = nlohmann::json;

/// A unit was begun, or its scores were recorded as crashed.
struct Attempt {
    std::string time;  ///< as text: later is larger
    std::string unit;
    std::string segment;
    std::string host;
    std::int64_t process = 0;  ///< of the team's first rank; 0: unknown
    std::size_t ranks = 1;     ///< of the team
    bool was_alone = false;
    bool has_progressed = false;
    bool has_ended = false;
    bool was_interrupted = false;  ///< it ended at a safe point before all was done
    bool was_left_out = false;
    std::optional<TraceWords> words;  ///< of a rank at a ceiling or ahead of its team: a death
};

/// What the deaths of one unit come to.
class UnitCase {
public:
    void take(const Attempt& event, bool is_live, const TraceWords& words, double memory_bound) {
        if (event.was_left_out) {
            const auto attempts = history_.attempts;
            *this = {};
            history_.attempts = attempts;
            history_.alone = true;
            return;
        }
        if (!event.words) ++history_.attempts;
        if (event.has_progressed || event.has_ended) {
            causes_.clear();
            points_ = others_alone_ = 0;
        }
        if (event.has_ended && !event.was_interrupted) history_.alone = history_.left_out = false;
        if (event.has_ended || is_live) return;
        const auto death = death_of(words, event.ranks, memory_bound);
        if (!death.is_excused) count(event, death);
    }

    /// Now, by another run.
    void in_work(const Attempt& attempt) {
        history_.in_work = "host " + attempt.host;
        if (attempt.process > 0) history_.in_work += ", process " + std::to_string(attempt.process);
    }

    /// What would be left out is run alone once more.
    void pardon() {
        if (!history_.left_out) return;
        *this = {};
        history_.alone = true;
    }

    UnitHistory history() const {
        auto history = history_;
        if (causes_.empty()) return history;
        std::size_t deaths = 0;
        std::string list;
        for (const auto& [cause, times] : causes_) {
            deaths += times;
            core::add_part(list, std::to_string(times) + " × " + cause);
        }
        history.deaths = core::counted(deaths, "time") + " since its last progress (" + list +
                         "), last on " + last_;
        return history;
    }

private:
    void count(const Attempt& attempt, const Death& death) {
        const bool is_explained = !death.cause.empty();
        ++causes_[is_explained ? death.cause : "killed without a trace, or out of memory"];
        last_ = "host " + attempt.host + death.place + (attempt.was_alone ? ", alone" : "");
        points_ += death.as != core::FailureClass::crashed ? points_of_want
                   : is_explained                          ? points_of_explained_death
                                                           : points_of_other_death;
        history_.death = death.as;
        if (attempt.was_alone && !is_explained) ++others_alone_;
        if (attempt.was_alone && (is_explained || others_alone_ >= other_deaths_alone))
            history_.left_out = true;
        if (points_ >= points_to_run_alone) history_.alone = true;
    }

    UnitHistory history_;
    std::map<std::string, std::size_t> causes_;
    std::string last_;
    int points_ = 0;
    int others_alone_ = 0;
};

/// Collects what the lines of a journal say of units.
class Reader {
public:
    Reader(const std::vector<LeftTrace>& traces, const Pardon& pardon, double memory_bound)
        : pardon_(pardon), memory_bound_(memory_bound) {
        for (const auto& trace : traces) {
            words_[trace.segment] = words_of_unit(trace.words, trace.side_work);
            if (trace.is_locked) locked_.insert(trace.segment);
            const bool is_explained =
                std::any_of(trace.words.begin(), trace.words.end(), is_explanation);
            if (trace.is_locked || (trace.is_live && !is_explained))
                live_.insert(trace.segment);
            else
                ceilings(trace.segment, trace.words, trace.side_work, after_all_times);
        }
    }

    void line(const io::JournalLine& line) {
        const auto& text = line.json;
        const auto kind = io::kind_of(line.json);
        auto& open = open_[line.segment];
        if (kind == io::line_kind::started)
            started(Json::parse(text), line.segment);
        else if (kind == io::line_kind::ended)
            ended(Json::parse(text), line.segment);
        else if (kind == io::line_kind::trace)
            trace(Json::parse(text));
        else if (kind == io::line_kind::folds || kind == io::line_kind::score ||
                 kind == io::line_kind::failed || kind == io::line_kind::progress)
            for (auto* attempt : open) attempt->has_progressed = true;
    }

    UnitHistories finish() {
        std::stable_sort(events_.begin(), events_.end(),
                         [](const auto& a, const auto& b) { return a.time < b.time; });
        std::map<std::string, UnitCase> cases;
        for (const auto& event : events_) {
            const bool is_live = live_.contains(event.segment) && !is_surely_gone(event);
            auto& of_unit = cases[event.unit];
            of_unit.take(event, is_live, event.words ? *event.words : words_[event.segment],
                         memory_bound_);
            if (event.words && is_pardoned(event.segment)) of_unit.pardon();
            if (locked_.count(event.segment) > 0 && !event.has_ended) of_unit.in_work(event);
        }
        UnitHistories histories;
        for (const auto& [unit, known] : cases) histories[unit] = known.history();
        return histories;
    }

private:
    /// For disks without locks: whether its process was one of this host and is no more, where
    /// containers of one host's name see each other's processes.
    bool is_surely_gone(const Attempt& event) const {
        return !locked_.contains(event.segment) && event.process > 0 &&
               event.host == core::host_name() && kill(static_cast<pid_t>(event.process), 0) != 0 &&
               errno == ESRCH;
    }

    void started(const Json& json, const std::string& segment) {
        if (!json.contains("attempt")) return;  // of version 0.1, which wrote no ends
        Attempt event;
        event.time = json.at("time");
        event.unit = json.at("unit");
        event.segment = segment;
        event.host = json.at("host");
        event.process = json.value("process", std::int64_t{0});
        event.ranks = json.at("ranks");
        event.was_alone = json.at("alone");
        events_.push_back(std::move(event));
        open_[segment].push_back(&events_.back());
    }

    void ended(const Json& json, const std::string& segment) {
        const std::string unit = json.at("unit");
        const std::string how = json.at("how");
        if (how == "left out") {
            Attempt event;
            event.time = json.at("time");
            event.unit = unit;
            event.was_left_out = true;
            events_.push_back(std::move(event));
            return;
        }
        auto& open = open_[segment];
        const auto attempt = std::find_if(open.begin(), open.end(),
                                          [&](const auto* each) { return each->unit == unit; });
        if (attempt == open.end()) return;
        (*attempt)->was_interrupted = how == "interrupted";
        (*attempt)->has_ended = true;
        open.erase(attempt);
    }

    void trace(const Json& json) {
        const std::string segment = json.at("segment");
        const auto words = json.at("words").get<TraceWords>();
        TraceWords places;
        if (json.contains("ceilings")) places = json.at("ceilings").get<TraceWords>();
        ceilings(segment, words, places, json.at("time"));
        words_[segment] = words_of_unit(words, places);
    }

    /// The deaths of a team whose ranks were at ceilings, or at the unit to come. Where one has
    /// left what ended it, the others were only taken along.
    void ceilings(const std::string& segment, const TraceWords& words, const TraceWords& ceilings,
                  const std::string& time) {
        const bool is_explained = std::any_of(words.begin(), words.end(), is_explanation);
        const bool is_excused =
            std::find(words.begin(), words.end(), trace_word::excused) != words.end();
        if ((is_excused && !is_explained) || !read_.insert(segment).second) return;
        for (std::size_t rank = 0; rank < ceilings.size(); ++rank) {
            const auto word = rank < words.size() ? words[rank] : std::string();
            std::istringstream text(ceilings[rank]);
            Attempt event;
            std::string company;
            const bool is_bystander = is_explained && (word.empty() || word == trace_word::excused);
            if (!(text >> company >> event.unit >> event.host) || is_bystander) continue;
            event.time = time;
            event.segment = segment;
            event.was_alone = company == "alone";
            event.words = TraceWords{word};
            events_.push_back(std::move(event));
        }
    }

    bool is_pardoned(const std::string& segment) const {
        const auto& since = pardon_.since_segments;
        return pardon_.is_given && (since.empty() || !segment.starts_with(since));
    }

    static constexpr const char* after_all_times = "~";

    Pardon pardon_;
    double memory_bound_;
    std::set<std::string> read_;  ///< segments whose ceilings are known

    std::deque<Attempt> events_;  // which stay where they are
    std::map<std::string, std::vector<Attempt*>> open_;
    std::map<std::string, TraceWords> words_;
    std::set<std::string> live_;
    std::set<std::string> locked_;  ///< segments of runs that live for certain
};

}  // namespace

std::string why_left_out(const UnitHistory& history) {
    const bool is_memory = history.death == core::FailureClass::out_of_memory;
    return history.deaths + "; it is left out until " +
           (is_memory ? "a rank may take more" : "--retry-failed");
}

UnitHistory history_of(const std::string& key, const UnitHistories& histories) {
    const auto known = histories.find(key);
    return known == histories.end() ? UnitHistory{} : known->second;
}

UnitHistories unit_histories(const io::JournalSource& lines, const std::vector<LeftTrace>& traces,
                             const Pardon& pardon, double memory_bound) {
    Reader reader(traces, pardon, memory_bound);
    lines([&](const io::JournalLine& line) {
        try {
            reader.line(line);
        } catch (const Json::exception&) {  // `read_finished` warns of it
        }
    });
    return reader.finish();
}

Past read_past(const std::string& out, const Pardon& pardon, double memory_bound) {
    const auto journal = io::journal_folder(out);
    // Before the journal: a unit that ends in between is not taken for a dead one.
    auto traces = read_traces(journal);
    auto histories = unit_histories(io::lines_of(journal), traces, pardon, memory_bound);
    return {std::move(histories), std::move(traces)};
}

}  // namespace ventral::pipeline
