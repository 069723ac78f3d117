#pragma once
/// @file
/// The scores that one or several runs have left in their journals.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// One record per key, and what is needed to find and label the raw values.
struct Night {
    std::vector<core::ScoreRecord> records;  ///< sorted by `sort_records`
    /// The coordinates of raw values (`labels.hpp`) by `ScoreRecord::raw_labels`.
    std::map<std::string, std::vector<core::Coordinate>> labels;
    /// The journal folder of each record, by key: `ScoreRecord::raw` is a place in it.
    std::map<std::string, std::string> journal_of;
    std::vector<std::string> warnings;   ///< damaged lines
    std::vector<std::string> conflicts;  ///< see `agreement.hpp`
};

/// Reads `out_folder`/journal. Of several records of one key the latest that is done (scored or
/// not applicable) counts, else the latest failed one (`time_of`, then the last one read); all
/// scored ones are compared. Lines of other kinds are ignored, unreadable ones become warnings;
/// without a journal the night is empty.
Night read_records(const std::string& out_folder);

/// The same for several folders, merged in this order. Throws `InputError` if one has no journal.
Night read_nights(const std::vector<std::string>& out_folders);

/// One warning of all sorted records that have the name of the one before and another key, with how
/// many they are and the first of them; nothing if there are none.
std::optional<std::string> namesakes(const std::vector<core::ScoreRecord>& records);

/// Gives the record the place on the leaderboard that `other` has.
void take_place(core::ScoreRecord& record, const core::ScoreRecord& other);

/// A score of this name and place that is still to be computed.
core::ScoreRecord as_pending(const core::ScoreRecord& record);

/// Whether tables that list the record promise a score: it is pending in those that are written
/// when no journal has it.
bool is_promised(const core::ScoreRecord& listed);

/// The positions of the records by benchmark, model and layer, then version and key.
std::vector<std::size_t> order_of(const std::vector<core::ScoreRecord>& records);

/// In this order.
void sort_records(std::vector<core::ScoreRecord>& records);

}  // namespace ventral::leaderboard
