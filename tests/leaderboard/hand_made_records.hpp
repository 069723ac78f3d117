#pragma once
/// @file
/// Score records for tests.

#include <cmath>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "io/journal/journal.hpp"
#include "io/journal/score_json.hpp"
#include "leaderboard/records.hpp"

namespace ventral::test {

/// A committed, scored record: value 0.5 ± 0.01, raw value 0.6, ceiling 0.72 ± 0.02, fingerprint
/// "f1", host "h1".
inline core::ScoreRecord scored(const std::string& key, const std::string& model,
                                const std::string& benchmark) {
    core::ScoreRecord record;
    record.key = key;
    record.model = model;
    record.benchmark = benchmark;
    record.parent = "V4";
    record.region = "V4";
    record.layer = "features.5";
    record.committed = true;
    record.status = core::ScoreStatus::scored;
    record.value = 0.5;
    record.error = 0.01;
    record.raw_value = 0.6;
    record.normalisation = "explained_variance";
    record.ceiling = core::CeilingValue{0.72, 0.02};
    record.provenance = {{"fingerprint", "f1"}, {"host", "h1"}};
    return record;
}

inline core::ScoreRecord failed(const std::string& key, const std::string& model,
                                const std::string& benchmark) {
    auto record = scored(key, model, benchmark);
    record.status = core::ScoreStatus::failed;
    record.value = record.error = record.raw_value = std::nullopt;
    record.ceiling = std::nullopt;
    record.failure = core::Failure{core::FailureClass::out_of_memory, "no memory for K\n8 GiB"};
    return record;
}

/// Appends the records to the journal of a run's folder, as a job of its own.
inline void write_journal(const std::string& out_folder, const std::string& job,
                          const std::vector<core::ScoreRecord>& records) {
    io::JournalSegment segment(out_folder + "/journal", job);
    for (const auto& record : records) segment.append(io::to_json(record));
    segment.flush();
}

/// A night of one record, "k1", with the raw values 0.1 and NaN.
inline leaderboard::Night night_with_raw(const std::string& out) {
    io::JournalSegment segment(out + "/journal", "job");
    auto record = scored("k1", "m", "b");
    record.raw = segment.append_array(std::vector<double>{0.1, std::nan("")});
    record.raw_shape = {1, 2};
    segment.append(io::to_json(record));
    segment.flush();
    return leaderboard::read_records(out);
}

}  // namespace ventral::test
