#pragma once
/// @file
/// What the ranks of one run may say to each other, and nothing else.
///
/// All code above this module talks to a `Communicator`, so all of it runs, and is tested, without
/// MPI. Only files of this module and the parallel file of `io` include <mpi.h>. Only the main
/// thread of a rank may call any of this (MPI_THREAD_FUNNELED).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ventral::comm {

/// What one rank told another.
struct Message {
    int from = 0;
    std::string bytes;
};

/// Zeroed memory that all ranks of a node see at their own addresses, from the beginning of a page
/// on.
class SharedMemory {
public:
    virtual ~SharedMemory() = default;
    virtual std::span<std::byte> bytes() = 0;

    /// The same memory as numbers, as many as fit.
    template <typename T>
    std::span<T> as() {
        const auto all = bytes();
        return {reinterpret_cast<T*>(all.data()), all.size() / sizeof(T)};
    }
};

/// Hands out 0, 1, 2, … once each to whoever asks, on any rank.
class Counter {
public:
    virtual ~Counter() = default;
    /// Not collective. On one node it waits for nobody, else perhaps until rank 0 answers.
    virtual std::int64_t next() = 0;
    /// To be called by rank 0 now and then, as long as others may ask; quick, and nothing to do on
    /// one node.
    virtual void answer() {}
};

/// A group of ranks that run the same program.
///
/// Every call but `rank`, `size`, `send`, `try_receive` is collective: all ranks make it, in the
/// same order. Destroying a `SharedMemory` or `Counter` of a group is collective too.
class Communicator {
public:
    virtual ~Communicator() = default;

    /// This rank's number, in [0, size()).
    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Returns once every rank has entered. Makes stores to shared memory before it visible after
    /// it.
    virtual void barrier() = 0;

    /// Adds counts element by element over all ranks; every rank gets the sums, in place. For
    /// counters only: what becomes a score is never added up by the network.
    virtual void sum(std::span<std::int64_t> counts) = 0;

    /// Bitwise or over all ranks, in place (MPI_Allreduce with MPI_BOR): where one rank alone has
    /// set a word, every rank gets its exact bits.
    virtual void bit_or(std::span<std::uint64_t> words) = 0;

    /// Every rank's `message`, in rank order, on every rank. Lengths may differ and may be zero.
    virtual std::vector<std::string> all_gather(const std::string& message) = 0;

    /// The `message` of rank `root`, on every rank.
    virtual std::string broadcast(const std::string& message, int root) = 0;

    /// Gives a copy of `bytes` to rank `to`, which may be this one; returns without waiting for it.
    /// Messages of one sender and tag arrive in order. Any length.
    virtual void send(int to, int tag, std::string bytes) = 0;

    /// The next message with `tag` that has arrived from any rank, or nothing.
    virtual std::optional<Message> try_receive(int tag) = 0;

    /// The ranks of this group that share a node's memory, in rank order, as a group of their own.
    virtual std::unique_ptr<Communicator> split_by_node() = 0;

    /// A group of the ranks that give the same `color`, in rank order.
    virtual std::unique_ptr<Communicator> split(int color) = 0;

    /// Memory of `size` bytes that all ranks of this group see. The group must be on one node.
    virtual std::unique_ptr<SharedMemory> share(std::size_t size) = 0;

    /// Gives what is kept of shared memory back to the system.
    virtual void give_back_spare_memory() {}

    /// A new counter at zero.
    virtual std::unique_ptr<Counter> make_counter() = 0;

    /// Where calls are only passed on to another group: that group; else this one.
    virtual const Communicator& underlying() const { return *this; }
};

/// A run of one rank, without MPI.
std::unique_ptr<Communicator> make_serial();

/// The ranks that `mpiexec` or `srun` started. Needs a live `MpiSession`.
std::unique_ptr<Communicator> make_mpi_world();

/// True if mpiexec or srun started this process as one of its ranks.
bool under_mpiexec();

}  // namespace ventral::comm
