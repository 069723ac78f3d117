#include "comm/mpi_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <sys/statvfs.h>

#include "comm/communicator.hpp"
#include "comm/mpi_check.hpp"
#include "comm/mpi_session.hpp"
#include "comm/mpi_window.hpp"
#include "comm/run_collectively.hpp"
#include "comm/spare_memory.hpp"
#include "core/large_pages.hpp"
#include "core/private_memory.hpp"

namespace ventral::comm {
namespace {

constexpr std::size_t alignment = 4096;  // a page: files are read straight into it

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

/// Where Open MPI puts the file behind a shared window.
std::string backing_folder() {
    const char* chosen = std::getenv("OMPI_MCA_osc_sm_backing_directory");
    return chosen ? chosen : "/dev/shm";
}

/// Why a file of `size` bytes would not fit the folder behind shared memory, or an empty text. The
/// file is made without its blocks: too big a one would end the job with SIGBUS at a store.
std::string shortage(std::size_t size) {
    const auto folder = backing_folder();
    struct statvfs space {};
    if (statvfs(folder.c_str(), &space) != 0) {
        return folder + ": cannot hold memory shared by the ranks (" +
               std::generic_category().message(errno) +
               ") name a folder that exists in OMPI_MCA_osc_sm_backing_directory";
    }
    const auto free_bytes = static_cast<std::size_t>(space.f_bavail) * space.f_frsize;
    if (size <= free_bytes) return "";
    return folder + ": no room for " + mebibytes(size) + " of memory shared by the ranks (" +
           mebibytes(free_bytes) +
           " are free) make the folder bigger (docker run --shm-size), or name a "
           "bigger one in OMPI_MCA_osc_sm_backing_directory";
}

/// Rank 0 has looked at the folder, once no rank holds any more what was given back before; all
/// ranks throw if it must not be used.
void require_room(MPI_Comm comm, int rank, std::size_t size) {
    check_mpi(MPI_Barrier(comm));
    std::array<char, 1024> reason{};
    if (rank == 0) {
        const auto text = shortage(size);
        std::copy_n(text.begin(), std::min(text.size(), reason.size() - 1), reason.begin());
    }
    check_mpi(MPI_Bcast(reason.data(), static_cast<int>(reason.size()), MPI_CHAR, 0, comm));
    if (reason[0]) throw CollectiveError(0, reason.data(), core::FailureClass::transient);
}

struct Place {
    MPI_Comm comm;
    int rank;
    int ranks;
};

/// A window of memory from the beginning of a page on, which holds what was in it last.
class Block {
public:
    Block(const Place& place, std::size_t size) {
        const auto& [comm, rank, ranks] = place;
        const auto total = size + alignment;
        require_room(comm, rank, total);
        count_share(comm, total, static_cast<std::size_t>(ranks));

        void* own = nullptr;
        const auto part = rank == 0 ? static_cast<MPI_Aint>(total) : 0;
        check_mpi(MPI_Win_allocate_shared(part, 1, MPI_INFO_NULL, comm, &own, window_.address()));
        window_.open();
        if (!window_.is_unified())
            throw CollectiveError(0, "MPI: its shared windows have no unified memory model");

        MPI_Aint bytes = 0;
        int unit = 0;
        std::byte* start = nullptr;
        check_mpi(MPI_Win_shared_query(window_.handle(), 0, &bytes, &unit, &start));
        // Rank 0 rounds up for all: the same bytes, and pages keep addresses alike.
        auto skipped =
            static_cast<std::uint64_t>(-reinterpret_cast<std::uintptr_t>(start)) % alignment;
        check_mpi(MPI_Bcast(&skipped, 1, MPI_UINT64_T, 0, comm));
        bytes_ = {start + skipped, size};
    }

    std::span<std::byte> bytes() const { return bytes_; }

private:
    /// Else the ranks together could take more than the node has for them, and be killed for it.
    void count_share(MPI_Comm comm, std::size_t total, std::size_t ranks) {
        int has_room = 1;
        try {
            share_.emplace(total / ranks);
        } catch (const std::bad_alloc&) {
            has_room = 0;
        }
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT, MPI_MIN, comm));
        if (!has_room)
            throw CollectiveError(0, "no room for " + mebibytes(total) + " shared by the ranks",
                                  core::FailureClass::out_of_memory);
    }

    std::optional<core::CountsAsPrivate> share_;
    Window window_;
    std::span<std::byte> bytes_;
};

/// Each rank zeroes its share, once nobody uses the memory any more; that spreads new pages over
/// the node's memory.
void zero_together(const Place& place, std::span<std::byte> bytes) {
    const auto share = bytes.size() / static_cast<std::size_t>(place.ranks) + 1;
    const auto first = std::min(static_cast<std::size_t>(place.rank) * share, bytes.size());
    const auto own = bytes.subspan(first, std::min(share, bytes.size() - first));
    check_mpi(MPI_Barrier(place.comm));
    std::fill(own.begin(), own.end(), std::byte{0});
    check_mpi(MPI_Barrier(place.comm));
}

}  // namespace

/// Blocks of one group that nobody uses. The ranks keep the same ones, since they share and give
/// back in the same order.
class SpareMemory {
public:
    /// A list of one: it moves from list to list without taking memory.
    using Lent = std::list<Block>;

    explicit SpareMemory(MPI_Comm comm) : place_{comm, 0, 1} {
        check_mpi(MPI_Comm_rank(comm, &place_.rank));
        check_mpi(MPI_Comm_size(comm, &place_.ranks));
    }

    const Place& place() const { return place_; }

    Lent take(std::size_t size) {
        auto lent = take_spare(size);
        if (lent.empty()) {
            make_room(size);
            add_block(size, lent);
        }
        const auto bytes = lent.front().bytes();
        zero_together(place_, bytes);
        // Each rank then has all of it in its own page table.
        if (size > 0 && size <= core::most_populated) core::populate(bytes);
        in_use_ += bytes.size();
        most_in_use_ = std::max(most_in_use_, in_use_);
        return lent;
    }

    void give_back(Lent& lent) {
        const auto size = lent.front().bytes().size();
        in_use_ -= size;
        if (size > largest_spare_bytes) return;
        while (kept_ + size > most_spare_bytes) drop_oldest();
        kept_ += size;
        blocks_.splice(blocks_.end(), lent);
    }

    void drop_all() {
        while (!blocks_.empty()) drop_oldest();
        most_in_use_ = in_use_;
    }

private:
    /// One that is at most an eighth too large, if there is one.
    Lent take_spare(std::size_t size) {
        Lent lent;
        const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
            const auto spare = block.bytes().size();
            return spare >= size && spare - size <= spare / 8;
        });
        if (found == blocks_.end()) return lent;
        kept_ -= found->bytes().size();
        lent.splice(lent.end(), blocks_, found);
        return lent;
    }

    /// So that never more is held than was in use at once.
    void make_room(std::size_t size) {
        while (!blocks_.empty() && in_use_ + kept_ + size > most_in_use_) drop_oldest();
    }

    void drop_oldest() {
        kept_ -= blocks_.front().bytes().size();
        blocks_.pop_front();
    }

    /// Where memory is short, that of the spare ones is given back first.
    void add_block(std::size_t size, Lent& lent) {
        try {
            lent.emplace_back(place_, size);
            return;
        } catch (const CollectiveError&) {
            if (blocks_.empty()) throw;
        }
        while (!blocks_.empty()) drop_oldest();
        lent.emplace_back(place_, size);
    }

    Place place_;
    std::list<Block> blocks_;  ///< from the oldest to the latest
    std::size_t kept_ = 0;     ///< bytes of them
    std::size_t in_use_ = 0;
    std::size_t most_in_use_ = 0;
};

namespace {

class MpiSharedMemory final : public SharedMemory {
public:
    MpiSharedMemory(std::shared_ptr<SpareMemory> spare, std::size_t size)
        : spare_(std::move(spare)), lent_(spare_->take(size)), size_(size) {}
    ~MpiSharedMemory() override {
        abort_if_alone();
        spare_->give_back(lent_);
    }
    MpiSharedMemory(const MpiSharedMemory&) = delete;
    MpiSharedMemory& operator=(const MpiSharedMemory&) = delete;

    std::span<std::byte> bytes() override { return lent_.front().bytes().first(size_); }

private:
    std::shared_ptr<SpareMemory> spare_;
    SpareMemory::Lent lent_;
    std::size_t size_;
};

}  // namespace

MpiMemory::MpiMemory(MPI_Comm comm) : spare_(std::make_shared<SpareMemory>(comm)) {}

std::unique_ptr<SharedMemory> MpiMemory::share(std::size_t size) {
    if (spare_->place().ranks == 1) return make_serial()->share(size);
    return std::make_unique<MpiSharedMemory>(spare_, size);
}

void MpiMemory::give_back_spare() { spare_->drop_all(); }

}  // namespace ventral::comm
