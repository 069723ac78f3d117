#include "pipeline/journal/run_journal.hpp"

#include <filesystem>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "comm/mpi_session.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/where_and_when.hpp"
#include "io/journal/line_kind.hpp"
#include "io/journal/score_json.hpp"
#include "io/out_folder.hpp"
#include "io/text/json_number.hpp"
#include "pipeline/watch/stop.hpp"

namespace ventral::pipeline {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int exit_failed = 1;

OrderedJson place_json(const core::ArrayPlace& place) {
    return {
        {"file", place.file}, {"offset", place.offset}, {"count", place.count}, {"crc", place.crc}};
}

std::string end_name(UnitEnd how) {
    switch (how) {
        case UnitEnd::done:
            return "done";
        case UnitEnd::interrupted:
            return "interrupted";
        case UnitEnd::left_out:
            return "left out";
    }
    return "done";
}

using core::host_name;
using core::time_now;

}  // namespace

RunJournal::RunJournal(const std::string& out, const std::string& job_name, std::string fingerprint,
                       int ranks)
    : segment_(io::journal_folder(out), job_name),
      fingerprint_(std::move(fingerprint)),
      ranks_(ranks) {}

void RunJournal::or_end_job(const std::function<void()>& write) const {
    try {
        write();
    } catch (const io::JournalError& error) {
        leave_excused();
        if (ranks_ == 1) throw;
        core::log_error(error.what());
        comm::abort_job(exit_failed);
    }
}

void RunJournal::append(const std::string& json) {
    segment_.append(json);
    ++lines_;
}

void RunJournal::started(const UnitStart& start) {
    const OrderedJson json = {{"kind", io::line_kind::started},
                              {"unit", start.unit},
                              {"model", start.model},
                              {"dataset", start.dataset},
                              {"attempt", start.attempt},
                              {"time", time_now()},
                              {"host", host_name()},
                              {"process", getpid()},
                              {"ranks", start.ranks},
                              {"alone", start.alone}};
    segment_.append(json.dump());
    unit_ = start.unit;
    flush();
}

void RunJournal::ended(UnitEnd how) {
    if (unit_.empty()) return;
    append_end(unit_, how);
    unit_.clear();
}

void RunJournal::left_out(const std::string& unit) { append_end(unit, UnitEnd::left_out); }

void RunJournal::append_end(const std::string& unit, UnitEnd how) {
    const OrderedJson json = {{"kind", io::line_kind::ended},
                              {"unit", unit},
                              {"how", end_name(how)},
                              {"time", time_now()}};
    segment_.append(json.dump());
    flush();
}

void RunJournal::progressed() {
    if (unit_.empty()) return;
    append(OrderedJson({{"kind", io::line_kind::progress}, {"unit", unit_}}).dump());
    flush();
}

void RunJournal::take_over(const std::vector<LeftTrace>& traces) {
    for (const auto& trace : traces) {
        if (trace.is_live) continue;
        const OrderedJson json = {{"kind", io::line_kind::trace},
                                  {"segment", trace.segment},
                                  {"words", trace.words},
                                  {"ceilings", trace.side_work},
                                  {"time", time_now()}};
        if (!trace.words.empty())
            segment_.append(json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
    }
    flush();
    for (const auto& trace : traces)
        if (!trace.is_live) unlink(trace.path.c_str());
}

std::string RunJournal::segment_name() const {
    return std::filesystem::path(segment_.stem()).filename().string() + ".journal";
}

std::string RunJournal::trace_path() const { return segment_.stem() + ".trace"; }

void RunJournal::impossible(core::ScoreRecord record) {
    record.provenance["recorded"] = time_now();
    segment_.append(io::to_json(record));
    flush_if_due();
}

void RunJournal::estimate(const RecordedEstimate& estimate) {
    const OrderedJson json = {{"kind", io::line_kind::estimate},
                              {"unit", estimate.unit},
                              {"memory_bytes", estimate.memory_bytes},
                              {"seconds", estimate.seconds},
                              {"recorded", time_now()}};
    segment_.append(json.dump());
}

void RunJournal::folds(const FoldGroupResult& result) {
    const auto place = segment_.append_array(result.r);
    OrderedJson json = {{"kind", io::line_kind::folds}, {"key", result.key},
                        {"group", result.group},        {"raw", place_json(place)},
                        {"route", result.route},        {"rank", result.rank},
                        {"seconds", result.seconds},    {"fingerprint", fingerprint_}};
    for (const auto& each : core::named_margins)
        json[each.name] = core::number_text(result.margins.*each.margin);
    append(json.dump());
    flush_if_due();
}

void RunJournal::labels(const std::string& key, const std::vector<core::Coordinate>& coordinates) {
    if (!labels_.insert(key).second) return;
    OrderedJson coords = OrderedJson::object();
    for (const auto& labels : coordinates) {
        if (labels.dim != "neuroid") coords[labels.name]["dim"] = labels.dim;
        io::put_labels(coords[labels.name], labels.values);
    }
    const OrderedJson json = {{"kind", io::line_kind::labels}, {"key", key}, {"coords", coords}};
    // Labels of old recordings may be Latin-1.
    segment_.append(json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

void RunJournal::score(core::ScoreRecord record, std::span<const double> raw) {
    record.provenance["recorded"] = time_now();
    if (record.status == core::ScoreStatus::failed)
        failed_.insert(record.key);
    else
        failed_.erase(record.key);
    if (!raw.empty()) record.raw = segment_.append_array(raw);
    append(io::to_json(record));
    flush_if_due();
}

void RunJournal::flush_if_due() {
    if (segment_.due()) flush();
}

void RunJournal::flush() {
    or_end_job([&] { segment_.flush(); });
    if (lines_ > 0) note_recorded();
}

}  // namespace ventral::pipeline
