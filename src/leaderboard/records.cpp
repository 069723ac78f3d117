#include "leaderboard/records.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "io/journal/line_kind.hpp"
#include "io/journal/read_journal.hpp"
#include "io/journal/score_json.hpp"
#include "io/out_folder.hpp"
#include "io/text/json_problem.hpp"
#include "leaderboard/agreement.hpp"
#include "leaderboard/labels.hpp"
#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

/// How much a record says.
int completeness(core::ScoreStatus status) {
    switch (status) {
        case core::ScoreStatus::scored:
        case core::ScoreStatus::not_applicable:
            return 2;
        case core::ScoreStatus::failed:
            return 1;
        case core::ScoreStatus::pending:
            return 0;
    }
    return 0;
}

/// Of the records of a key the one that stands highest counts.
auto standing(const core::ScoreRecord& record) {
    return std::pair(completeness(record.status), time_of(record));
}

auto names(const core::ScoreRecord& record) {
    return std::tie(record.benchmark, record.model, record.layer, record.version);
}

/// Takes lines in journal order and keeps one record per key.
class Reader {
public:
    void read(const std::string& out_folder) {
        const auto folder = io::journal_folder(out_folder);
        const auto damage =
            io::for_each_line(folder, [&](const auto& line) { take_or_warn(folder, line); });
        night_.warnings.insert(night_.warnings.end(), damage.begin(), damage.end());
    }

    Night finish() {
        for (auto& [key, record] : record_of_) night_.records.push_back(std::move(*record));
        sort_records(night_.records);
        return std::move(night_);
    }

private:
    void take_or_warn(const std::string& folder, const io::JournalLine& line) {
        try {
            take(folder, line);
        } catch (const std::bad_alloc&) {
            throw;  // the line is not to blame
        } catch (const std::exception& error) {
            night_.warnings.push_back(folder + "/" + line.segment + ":" +
                                      std::to_string(line.line) + ": the line is left out (" +
                                      io::json_problem(error, line.json) + ")");
        }
    }

    void take(const std::string& folder, const io::JournalLine& line) {
        const auto kind = io::kind_of(line.json);
        if (kind.empty()) throw core::InputError("it does not begin with its kind");
        if (kind == io::line_kind::labels) {
            night_.labels[std::string(io::key_of(line.json))] = coordinates_from_json(line.json);
        } else if (kind == io::line_kind::score || kind == io::line_kind::failed) {
            take(folder,
                 std::make_shared<core::ScoreRecord>(io::score_record_from_json(line.json)));
        }
    }

    void take(const std::string& folder, std::shared_ptr<core::ScoreRecord> record) {
        compare(record);
        const auto known = record_of_.find(record->key);
        if (known != record_of_.end() && standing(*known->second) > standing(*record)) return;
        night_.journal_of[record->key] = folder;
        record_of_[record->key] = std::move(record);
    }

    /// Keeps the records of a key that differ, so that many equal ones cost one comparison each.
    void compare(const std::shared_ptr<core::ScoreRecord>& record) {
        if (record->status != core::ScoreStatus::scored) return;
        auto& others = distinct_[record->key];
        const auto is_equal = [&](const auto& other) { return is_repetition(*record, *other); };
        if (std::any_of(others.begin(), others.end(), is_equal)) return;
        for (const auto& other : others)
            if (auto text = disagreement(*other, *record))
                night_.conflicts.push_back(std::move(*text));
        others.push_back(record);
    }

    Night night_;
    std::map<std::string, std::shared_ptr<core::ScoreRecord>> record_of_;
    std::map<std::string, std::vector<std::shared_ptr<const core::ScoreRecord>>> distinct_;
};

}  // namespace

Night read_records(const std::string& out_folder) {
    Reader reader;
    reader.read(out_folder);
    return reader.finish();
}

Night read_nights(const std::vector<std::string>& out_folders) {
    Reader reader;
    for (const auto& folder : out_folders) {
        if (!std::filesystem::is_directory(folder))
            throw core::InputError(folder + ": no such folder");
        if (!std::filesystem::is_directory(io::journal_folder(folder)))
            throw core::InputError(folder +
                                   ": has no journal (no folder 'journal' in it) give a folder "
                                   "that ventral run was given as --out");
        reader.read(folder);
    }
    return reader.finish();
}

std::optional<std::string> namesakes(const std::vector<core::ScoreRecord>& records) {
    std::size_t count = 0;
    std::string first;
    for (std::size_t i = 1; i < records.size(); ++i) {
        if (names(records[i]) != names(records[i - 1])) continue;
        if (++count > 1) continue;
        first = score_name(records[i]) + ", keys " + records[i - 1].key + " and " + records[i].key;
    }
    if (count == 0) return std::nullopt;
    return core::counted(count, "score") +
           " of another key beside one of the same name, as inputs or settings have changed "
           "between runs "
           "(ventral report --current leaves out what the tables of the last run do not "
           "hold, --json has the keys of all): " +
           first + (count > 1 ? ", …" : "");
}

void take_place(core::ScoreRecord& record, const core::ScoreRecord& other) {
    record.committed = other.committed;
    record.parent = other.parent;
    record.region = other.region;
}

core::ScoreRecord as_pending(const core::ScoreRecord& record) {
    core::ScoreRecord pending;
    pending.key = record.key;
    pending.model = record.model;
    pending.benchmark = record.benchmark;
    pending.version = record.version;
    pending.layer = record.layer;
    pending.normalisation = record.normalisation;
    take_place(pending, record);
    const auto config = core::provenance_of(record, core::config_entry);
    if (record.status == core::ScoreStatus::pending && !config.empty())
        pending.provenance[core::config_entry] = config;
    return pending;
}

bool is_promised(const core::ScoreRecord& listed) {
    return is_done(listed) || listed.status == core::ScoreStatus::pending;
}

std::vector<std::size_t> order_of(const std::vector<core::ScoreRecord>& records) {
    std::vector<std::size_t> order(records.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto place = [&](std::size_t i) {
        return std::tuple_cat(names(records[i]), std::tie(records[i].key));
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return place(left) < place(right);
    });
    return order;
}

void sort_records(std::vector<core::ScoreRecord>& records) {
    std::vector<core::ScoreRecord> sorted;
    sorted.reserve(records.size());
    for (const auto i : order_of(records)) sorted.push_back(std::move(records[i]));
    records = std::move(sorted);
}

}  // namespace ventral::leaderboard
