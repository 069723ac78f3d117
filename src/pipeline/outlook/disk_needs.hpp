#pragma once
/// @file
/// What a run takes on disk, by what it keeps, and whether there is so much.

#include <string>
#include <vector>

#include "pipeline/outlook/unit_work.hpp"
#include "pipeline/schedule/kept_files.hpp"

namespace ventral::pipeline {

/// Bytes of a run's files, when there are most of them.
struct DiskNeeds {
    double activations = 0;  ///< unless they are compressed: nobody knows to what; and projections
    double grams = 0;
    double results = 0;

    double total() const { return activations + grams + results; }
};

/// What is there before the run.
struct DiskRoom {
    double free = 0;         ///< bytes, with what a run removes first that earlier ones have left
    double activations = 0;  ///< bytes of earlier runs' activations, which a budget holds for too
    double discarded = 0;    ///< bytes of them that go when the run begins
};

/// Of the file system that OUT is or will be on; endless if it does not tell, or if OUT/activations
/// is a link to another place.
DiskRoom disk_room(const std::string& out);

/// Of units in work one after the other in this order, in one job, beside what is there.
DiskNeeds disk_needs(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room);

/// Why a unit cannot be finished on that disk even if no other leaves anything there, and which
/// setting would make it fit; empty if it can.
std::string why_too_large(const UnitWork& unit, const KeptFiles& kept, const DiskRoom& room);

/// Why all units together do not fit, and which setting would make them fit; empty if they do.
std::string why_full(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room);

}  // namespace ventral::pipeline
