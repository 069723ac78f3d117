#pragma once
/// @file
/// Slabs of features in the order of the recordings, read ahead by a thread of their own while the
/// caller computes, in bounded memory.

#include <cstddef>
#include <memory>
#include <vector>

#include "metrics/features.hpp"
#include "stats/gram/gram.hpp"

namespace ventral::metrics {

/// Rows that come from one source: row i is row `order[i]` of it, each of them once.
struct FeaturePart {
    const Features& features;
    std::vector<std::size_t> order;
};

enum class Keep {
    two_slabs,        ///< blocks of a slab, in turn: one is read while the other is computed on
    two_long_blocks,  ///< likewise, of several slabs
    everything        ///< long blocks, each in a buffer of its own
};

/// Columns that are read at a time: several slabs, since files are read faster in longer pieces, or
/// one where memory is short.
inline std::size_t block_columns(Keep keep) {
    constexpr std::size_t slabs_of_long_block = 2;
    return (keep == Keep::two_slabs ? 1 : slabs_of_long_block) * stats::slab_features;
}

/// What becomes of entries that are NaN or infinite.
enum class OddEntries {
    refused,
    zeroed,  ///< and `odd_rows` tells in which rows they were: what is of other rows stays true
    kept
};

/// The parts one below the other. All of it lies in the type of the features, float64 if they are
/// of both; what is read is the same to the bit however much is kept.
class FeatureSlabs {
public:
    /// The features that `parts` refer to must outlive this. Throws `core::InputError` if they are
    /// of different widths, or empty.
    FeatureSlabs(std::vector<FeaturePart> parts, Keep keep,
                 OddEntries odd_entries = OddEntries::refused);
    /// Waits for what is being read.
    ~FeatureSlabs();
    FeatureSlabs(const FeatureSlabs&) = delete;
    FeatureSlabs& operator=(const FeatureSlabs&) = delete;

    std::size_t rows() const;
    std::size_t features() const;

    /// As `stats::ReadSlab` says, for slabs that do not cross a multiple of `stats::slab_features`.
    /// One thread at a time. Throws `core::InputError` that names file, stimulus and feature if a
    /// value is NaN or infinite and that is refused.
    stats::FeatureMatrix read(std::size_t first, std::size_t count);

    /// Once all features were read, where odd entries are zeroed: for each row, whether it has any.
    const std::vector<char>& odd_rows() const;

    /// Seconds that `read` has taken so far: what could not be read ahead.
    double waited_s() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ventral::metrics
