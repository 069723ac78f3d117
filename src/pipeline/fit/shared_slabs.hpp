#pragma once
/// @file
/// Features by slabs of columns in memory that the ranks of a team share. The first rank reads a
/// few slabs at once, and the next ones while all of them work on the last.

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <variant>

#include "core/assembly.hpp"
#include "pipeline/extraction/averaged_activations.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/schedule/team_context.hpp"
#include "stats/gram/gram.hpp"

namespace ventral::pipeline {

/// Where features come from: a file of activations, averaged, one of stored features, or an
/// assembly in memory. Only the first rank of the team needs it; the others pass nothing.
using FeatureSource = std::variant<std::monostate, const AveragedActivations*,
                                   const StoredFeatures*, const core::Assembly*>;

/// What all ranks have to know before they share memory.
struct FeatureShape {
    std::uint64_t rows = 0;
    std::uint64_t features = 0;
    bool doubles = false;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& rows& features& doubles;
    }
};

/// Of `layer`. Throws, on all ranks, if the source has no such layer or it is not of numbers with a
/// fraction. Collective.
FeatureShape shared_shape(const FeatureSource& source, const std::string& layer,
                          comm::Communicator& team);

/// How many slabs are read at once: a few, unless they are large.
std::size_t slabs_at_once(double slab_bytes);

/// Two buffers in turn. From the first slab to the last nothing else of this process may use HDF5.
class SharedSlabs {
public:
    /// The source must outlive it. Collective, as is all below.
    SharedSlabs(const FeatureSource& source, std::string layer, const FeatureShape& shape,
                TeamContext& context);
    ~SharedSlabs();
    SharedSlabs(const SharedSlabs&) = delete;
    SharedSlabs& operator=(const SharedSlabs&) = delete;

    /// How many slabs, from the first one on, are read at once and stay valid together.
    std::size_t at_once() const { return at_once_ / stats::slab_features; }
    /// A `stats::ReadSlab`: at most `stats::slab_features` columns, quickest from left to right.
    /// Throws `core::Interrupted` if the run is to stop, and what reading throws, on all ranks.
    stats::FeatureMatrix read(std::size_t first, std::size_t count);

private:
    /// Features that are read at once.
    struct Range {
        std::size_t first = 0;
        std::size_t count = 0;
        bool operator==(const Range&) const = default;
    };
    bool is_present(const Range& slab) const;
    Range group_of(const Range& slab) const;
    void read_group(const Range& group);
    void take(const Range& group, std::byte* to);
    void read_ahead(std::size_t first);
    void fill(const Range& group, std::byte* to) const;
    template <typename T>
    void fill_stored(const Range& group, T* to) const;

    const FeatureSource& source_;
    std::string layer_;
    FeatureShape shape_;
    TeamContext& context_;
    std::unique_ptr<comm::SharedMemory> buffers_[2];
    std::size_t at_once_;  ///< features
    std::size_t next_ = 0;
    Range present_;
    std::future<void> ahead_;
    Range ahead_range_;
};

}  // namespace ventral::pipeline
