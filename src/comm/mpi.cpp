#include <numeric>
#include <optional>
#include <utility>

#include <emmintrin.h>

#include "comm/answered_counter.hpp"
#include "comm/communicator.hpp"
#include "comm/mpi_check.hpp"
#include "comm/mpi_counter.hpp"
#include "comm/mpi_handle.hpp"
#include "comm/mpi_mailbox.hpp"
#include "comm/mpi_memory.hpp"
#include "comm/mpi_session.hpp"
#include "comm/pieces.hpp"

namespace ventral::comm {
namespace {

/// An MPI communicator that is freed with its owner and returns its errors.
class Handle {
public:
    explicit Handle(MPI_Comm owned) : comm_(owned) {
        check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    }
    ~Handle() {
        abort_if_alone();
        MPI_Comm_free(&comm_);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    MPI_Comm get() const { return comm_; }

private:
    MPI_Comm comm_;
};

class Mpi final : public Communicator {
public:
    explicit Mpi(MPI_Comm owned) : comm_(owned), mailbox_(owned), memory_(owned) {
        check_mpi(MPI_Comm_rank(handle(), &rank_));
        check_mpi(MPI_Comm_size(handle(), &size_));
    }

    MPI_Comm handle() const { return comm_.get(); }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void barrier() override {
        _mm_mfence();
        check_mpi(MPI_Barrier(handle()));
        _mm_mfence();
    }

    void sum(std::span<std::int64_t> counts) override {
        for_each_piece(counts, [&](std::int64_t* first, int count) {
            check_mpi(MPI_Allreduce(MPI_IN_PLACE, first, count, MPI_INT64_T, MPI_SUM, handle()));
        });
    }

    void bit_or(std::span<std::uint64_t> words) override {
        for_each_piece(words, [&](std::uint64_t* first, int count) {
            check_mpi(MPI_Allreduce(MPI_IN_PLACE, first, count, MPI_UINT64_T, MPI_BOR, handle()));
        });
    }

    std::vector<std::string> all_gather(const std::string& message) override {
        const auto lengths = all_lengths(message.size());
        const auto total = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
        return total <= piece_bytes ? gather_together(message, lengths)
                                    : gather_in_turn(message, lengths);
    }

    std::string broadcast(const std::string& message, int root) override {
        std::uint64_t length = message.size();
        check_mpi(MPI_Bcast(&length, 1, MPI_UINT64_T, root, handle()));
        auto bytes = rank_ == root ? message : std::string(length, '\0');
        spread(bytes, root);
        return bytes;
    }

    void send(int to, int tag, std::string bytes) override {
        mailbox_.send(to, tag, std::move(bytes));
    }

    std::optional<Message> try_receive(int tag) override { return mailbox_.try_receive(tag); }

    std::unique_ptr<Communicator> split_by_node() override {
        MPI_Comm part = MPI_COMM_NULL;
        check_mpi(MPI_Comm_split_type(handle(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part));
        return std::make_unique<Mpi>(part);
    }

    std::unique_ptr<Communicator> split(int color) override {
        MPI_Comm part = MPI_COMM_NULL;
        check_mpi(MPI_Comm_split(handle(), color, rank_, &part));
        return std::make_unique<Mpi>(part);
    }

    std::unique_ptr<SharedMemory> share(std::size_t size) override { return memory_.share(size); }

    void give_back_spare_memory() override { memory_.give_back_spare(); }

    std::unique_ptr<Counter> make_counter() override {
        if (!is_one_node_) is_one_node_ = split_by_node()->size() == size_;
        return *is_one_node_ ? make_mpi_counter(handle()) : make_answered_counter(split(0));
    }

private:
    std::vector<std::uint64_t> all_lengths(std::uint64_t length) {
        std::vector<std::uint64_t> lengths(static_cast<std::size_t>(size_));
        check_mpi(
            MPI_Allgather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, handle()));
        return lengths;
    }

    std::vector<std::string> gather_together(const std::string& message,
                                             const std::vector<std::uint64_t>& lengths) {
        const std::vector<int> counts(lengths.begin(), lengths.end());
        std::vector<int> starts(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
        std::string all(static_cast<std::size_t>(starts.back() + counts.back()), '\0');
        check_mpi(MPI_Allgatherv(message.data(), static_cast<int>(message.size()), MPI_BYTE,
                                 all.data(), counts.data(), starts.data(), MPI_BYTE, handle()));
        std::vector<std::string> messages;
        for (std::size_t i = 0; i < counts.size(); ++i)
            messages.push_back(all.substr(static_cast<std::size_t>(starts[i]), lengths[i]));
        return messages;
    }

    /// For messages that together exceed what MPI counts: one after the other, in pieces.
    std::vector<std::string> gather_in_turn(const std::string& message,
                                            const std::vector<std::uint64_t>& lengths) {
        std::vector<std::string> messages;
        for (int root = 0; root < size_; ++root) {
            const auto length = lengths[static_cast<std::size_t>(root)];
            messages.push_back(rank_ == root ? message : std::string(length, '\0'));
            spread(messages.back(), root);
        }
        return messages;
    }

    /// Overwrites `bytes`, of the same length everywhere, with those of `root`.
    void spread(std::string& bytes, int root) {
        for_each_piece(std::span(bytes), [&](char* first, int count) {
            check_mpi(MPI_Bcast(first, count, MPI_BYTE, root, handle()));
        });
    }

    Handle comm_;
    MpiMailbox mailbox_;  // after `comm_`: it has to go first, and so has
    MpiMemory memory_;
    int rank_ = 0;
    int size_ = 1;
    std::optional<bool> is_one_node_;  ///< once somebody has asked
};

}  // namespace

MPI_Comm mpi_handle(const Communicator& comm) {
    const auto* group = dynamic_cast<const Mpi*>(&comm.underlying());
    return group ? group->handle() : MPI_COMM_NULL;
}

std::unique_ptr<Communicator> make_mpi_world() {
    MPI_Comm own = MPI_COMM_NULL;  // a copy: our messages never meet those of HDF5
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &own));
    return std::make_unique<Mpi>(own);
}

}  // namespace ventral::comm
