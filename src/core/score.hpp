#pragma once
/// @file
/// Scores: what a metric or ceiling gives, and the record that a run keeps of a ceiled score.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/errors.hpp"

namespace ventral::core {

/// How near the computation came to its discontinuous choices and limits, over all folds.
struct Margins {
    /// Smallest relative distance of a PLS stopping test from its tolerance.
    double pls_stop = std::numeric_limits<double>::infinity();
    /// Largest error bound of working on the squared features; see `stats/pls/pls.hpp`,
    /// `stats/regression/ridge_guard.hpp` and `stats/similarity/rdm.hpp`.
    double guard = 0;
    /// Smallest relative distance of the chosen alpha's error from the next best one's.
    double alpha_gap = std::numeric_limits<double>::infinity();
    /// Smallest distance of the best feature's r from that of the next best.
    double argmax_gap = std::numeric_limits<double>::infinity();
    /// Smallest distance of two different entries that were ranked next to each other, as a share
    /// of the range of all.
    double rank_gap = std::numeric_limits<double>::infinity();
};

/// Which of two values of a margin is the narrower.
enum class Narrower { smaller, larger };

struct NamedMargin {
    const char* name;  ///< in records
    double Margins::*margin;
    Narrower narrower;
};

inline constexpr std::array named_margins{
    NamedMargin{"pls_stop", &Margins::pls_stop, Narrower::smaller},
    NamedMargin{"guard", &Margins::guard, Narrower::larger},
    NamedMargin{"alpha_gap", &Margins::alpha_gap, Narrower::smaller},
    NamedMargin{"argmax_gap", &Margins::argmax_gap, Narrower::smaller},
    NamedMargin{"rank_gap", &Margins::rank_gap, Narrower::smaller}};
static_assert(named_margins.size() == sizeof(Margins) / sizeof(double));

/// What a metric or a ceiling gives.
struct Score {
    double value = 0;
    std::optional<double> error;  ///< of the value over splits; none for a single split
    Assembly raw;  ///< split × neuroid, or neuroid; with the reference's coordinates
    /// Where the score is a vector (one number per time bin): it and its error; `value` and `error`
    /// are their means then.
    std::optional<Assembly> value_array, error_array;
    std::map<std::string, double> further;  ///< other results by the reference's names
    std::map<std::string, std::string> further_texts;
    Margins margins;
    std::string route;                   ///< the form of the computation, for example "gram"
    std::size_t undefined_neuroids = 0;  ///< neuroids whose raw value is NaN in some split
    std::vector<std::string> warnings;
};

enum class ScoreStatus { scored, not_applicable, failed, pending };
std::string name_of(ScoreStatus status);
std::optional<ScoreStatus> score_status(const std::string& name);
std::optional<FailureClass> failure_class(const std::string& name);

/// Where raw values lie: `count` float64 at `offset` of `file` (beside the journal).
struct ArrayPlace {
    std::string file;
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::uint32_t crc = 0;  ///< CRC-32C of the bytes
};

/// Of one slice of the recordings: for example of one time bin.
struct CeilingSlice {
    std::string name;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::optional<double> error;
};

struct CeilingValue {
    double value = std::numeric_limits<double>::quiet_NaN();
    std::optional<double> error;
    std::vector<CeilingSlice> slices = {};  ///< where it is a vector; `value` is their mean then
    /// That of each neuroid, with the neuroids' labels, where it is known and wanted.
    std::optional<Assembly> neuroids = {};
};

/// A part of a score that stands for itself: for example one time bin.
struct ScoreSlice {
    std::string name;      ///< "70 to 90 ms"
    double value = 0;      ///< normalised
    double raw_value = 0;  ///< before that
    /// Of `raw_value`: no normalisation scales it, as in the reference.
    std::optional<double> error;
    std::optional<double> ceiling, ceiling_error;  ///< its own, or that of the whole
};

/// Of the provenance of a score: the run file that asked for it; of one that is still to be
/// computed its absolute path.
inline constexpr const char* config_entry = "config";

/// One score of a leaderboard: a model with a layer set on a benchmark.
struct ScoreRecord {
    std::string key;  ///< hash of everything that the score depends on
    std::string model;
    std::string benchmark;
    int version = 1;
    std::string parent;
    std::string region;
    std::string layer;       ///< concatenated layers are joined by "+"
    bool committed = false;  ///< the layer is the one that the model commits to for the region
    ScoreStatus status = ScoreStatus::pending;
    std::optional<double> value;  ///< normalised; NaN is a value
    std::optional<double> error;
    std::optional<double> raw_value;
    std::string normalisation;
    std::optional<CeilingValue> ceiling;
    /// Where the score is a vector: its numbers, of which value, raw value and ceiling above are
    /// the means (NaN skipped).
    std::vector<ScoreSlice> slices;
    std::optional<ArrayPlace> raw;      ///< split × neuroid, or what `raw_dims` says
    std::vector<std::string> raw_dims;  ///< empty in records of version 0.1
    std::vector<std::size_t> raw_shape;
    std::string raw_labels;  ///< key of the labels of `raw`: those of the benchmark's recordings
    Margins margins;
    std::string route;
    std::size_t undefined_neuroids = 0;
    std::vector<std::string> warnings;
    std::map<std::string, std::string> provenance;  ///< `config_entry` and others
    /// Seconds: of the fit, of the features and their Gram, of the network's passes; since the
    /// unit began, which for its last score is what the unit took; and what was planned for it.
    std::map<std::string, double> timing;
    std::map<std::string, double> memory;  ///< bytes
    std::optional<Failure> failure;
};

/// What the provenance says under this name, or nothing.
std::string provenance_of(const ScoreRecord& record, const std::string& name);
/// What the timing says of this stage, or 0.
double seconds_of(const ScoreRecord& record, const std::string& stage);

}  // namespace ventral::core
