#pragma once
/// @file
/// What an array of Slurm tasks would take on many nodes: the shards of a run, in simulated time.
/// It knows nothing of models: a unit is seconds of computing and bytes.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ventral::pipeline {

/// One unit as the schedule expects it: it is read, computed, written.
struct SimulatedUnit {
    double seconds = 0;  ///< of computing, on a whole node
    double read_bytes = 0;
    double write_bytes = 0;
};

/// A cluster, its mishaps, and how many tasks the work is cut into. Each task is one team on one
/// node; the tasks start in order of their number, whenever a node is free.
struct SimulatedArray {
    std::size_t nodes = 1;
    std::size_t shards = 1;
    double start_seconds = 0;             ///< of each task, before its first unit
    double start_bytes = 0;               ///< that each task reads then
    double disk_bytes_per_second = 10e9;  ///< for all nodes together
    double node_bytes_per_second = 1e9;   ///< that one node can take of it
    /// The computing of a unit takes between 1 - this and 1 + this times what was expected.
    double cost_error = 0;
    /// Share of the units that fail somewhere in their computing, which is recorded: they write
    /// nothing and are not repeated.
    double out_of_memory = 0;
    /// A node that fails (at random, whatever it does) loses its unit in work. The task goes on
    /// after `requeue_seconds` on whatever node is free, and the node is back after `down_seconds`.
    double failures_per_node_hour = 0;
    double requeue_seconds = 120;
    double down_seconds = 3600;
    std::uint64_t seed = 0;  ///< of errors, memory and failures
};

/// How the array went. What is spent on something is in seconds, summed over the nodes: together it
/// is nodes × seconds.
struct ArrayOutcome {
    double seconds = 0;   ///< from the start to the end of the last unit
    double work = 0;      ///< all units once, each with the disk to itself
    double longest = 0;   ///< unit
    double starting = 0;  ///< tasks
    double waiting = 0;   ///< for the disk, because others use it
    double lost = 0;      ///< in units that their node did not live to finish
    double down = 0;
    double idle = 0;
    std::size_t failures = 0;
    std::size_t repeated = 0;  ///< units that a failure interrupted
    std::size_t out_of_memory = 0;
};

/// No schedule can be faster: all nodes work all the time, and nobody divides a unit.
double resource_bound(const ArrayOutcome& outcome, std::size_t nodes);

/// The same outcome everywhere for the same arguments. Units are dealt by `deal_shards` by what
/// they are expected to take, and so ordered within a shard, the longest first. Throws
/// `core::InputError` if nodes fail so often that some unit never ends.
ArrayOutcome simulate_array(const std::vector<SimulatedUnit>& units, const SimulatedArray& array);

}  // namespace ventral::pipeline
