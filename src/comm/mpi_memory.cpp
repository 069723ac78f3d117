#include "comm/mpi_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <sys/statvfs.h>

#include "comm/communicator.hpp"
#include "comm/mpi_check.hpp"
#include "comm/mpi_session.hpp"
#include "core/large_pages.hpp"
#include "core/private_memory.hpp"

namespace ventral::comm {
namespace {

/// Each rank has all of a buffer of this size in its own page table at once; larger memory is given
/// as it is used.
constexpr std::size_t most_populated = std::size_t{64} << 20;
constexpr std::size_t alignment = 4096;  // a page: files are read straight into it

/// A window that is in one epoch of passive access, open to all ranks, for all of its life. In the
/// unified memory model a fence of the processor then does what MPI_Win_sync does: `barrier` of
/// the groups has one on each side.
class Window {
public:
    Window() = default;
    ~Window() {
        if (window_ == MPI_WIN_NULL) return;
        abort_if_alone();
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    MPI_Win* address() { return &window_; }
    MPI_Win handle() const { return window_; }

    void open() {
        check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
        check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    }

    bool is_unified() const {
        void* model = nullptr;
        int found = 0;
        check(MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found));
        return found && *static_cast<int*>(model) == MPI_WIN_UNIFIED;
    }

private:
    MPI_Win window_ = MPI_WIN_NULL;
};

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

/// Rank 0 has looked at the folder; all ranks throw if it must not be used.
void require_room(MPI_Comm comm, int rank, std::size_t size) {
    std::array<char, 1024> reason{};
    if (rank == 0) {
        const auto text = shortage(size);
        std::copy_n(text.begin(), std::min(text.size(), reason.size() - 1), reason.begin());
    }
    check(MPI_Bcast(reason.data(), static_cast<int>(reason.size()), MPI_CHAR, 0, comm));
    if (reason[0]) throw CollectiveError(0, reason.data(), core::FailureClass::transient);
}

class MpiSharedMemory final : public SharedMemory {
public:
    MpiSharedMemory(MPI_Comm comm, std::size_t size) {
        int rank = 0;
        int ranks = 1;
        check(MPI_Comm_rank(comm, &rank));
        check(MPI_Comm_size(comm, &ranks));
        const auto total = size + alignment;
        if (ranks > 1) {
            require_room(comm, rank, total);
            count_share(comm, total, static_cast<std::size_t>(ranks));
        }

        void* own = nullptr;
        const auto part = rank == 0 ? static_cast<MPI_Aint>(total) : 0;
        check(MPI_Win_allocate_shared(part, 1, MPI_INFO_NULL, comm, &own, window_.address()));
        window_.open();
        if (!window_.is_unified())
            throw std::runtime_error("MPI: its shared windows have no unified memory model");

        MPI_Aint bytes = 0;
        int unit = 0;
        std::byte* start = nullptr;
        check(MPI_Win_shared_query(window_.handle(), 0, &bytes, &unit, &start));
        // Rank 0 rounds up for all: the same bytes, and pages keep addresses alike.
        auto skipped =
            static_cast<std::uint64_t>(-reinterpret_cast<std::uintptr_t>(start)) % alignment;
        check(MPI_Bcast(&skipped, 1, MPI_UINT64_T, 0, comm));
        bytes_ = {start + skipped, size};
        zero_own_part(static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks));
        check(MPI_Barrier(comm));
        if (size > 0 && size <= most_populated) core::populate(bytes_);
    }

    std::span<std::byte> bytes() override { return bytes_; }

private:
    /// Else the ranks together could take more than the node has for them, and be killed for it.
    void count_share(MPI_Comm comm, std::size_t total, std::size_t ranks) {
        int has_room = 1;
        try {
            share_.emplace(total / ranks);
        } catch (const std::bad_alloc&) {
            has_room = 0;
        }
        check(MPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT, MPI_MIN, comm));
        if (!has_room)
            throw CollectiveError(0, "no room for " + mebibytes(total) + " shared by the ranks",
                                  core::FailureClass::out_of_memory);
    }

    /// Each rank touches its share first, which spreads the pages over the node's memory.
    void zero_own_part(std::size_t rank, std::size_t ranks) {
        const auto share = bytes_.size() / ranks + 1;
        const auto first = std::min(rank * share, bytes_.size());
        const auto count = std::min(share, bytes_.size() - first);
        if (count > 0) std::memset(bytes_.data() + first, 0, count);
    }

    std::optional<core::CountsAsPrivate> share_;
    Window window_;
    std::span<std::byte> bytes_;
};

class MpiCounter final : public Counter {
public:
    explicit MpiCounter(MPI_Comm comm) {
        int rank = 0;
        check(MPI_Comm_rank(comm, &rank));
        std::int64_t* value = nullptr;
        const MPI_Aint size = rank == 0 ? sizeof(std::int64_t) : 0;
        check(MPI_Win_allocate(size, sizeof(std::int64_t), MPI_INFO_NULL, comm, &value,
                               window_.address()));
        if (rank == 0) *value = 0;
        window_.open();
        check(MPI_Win_sync(window_.handle()));
        check(MPI_Barrier(comm));
    }

    std::int64_t next() override {
        const std::int64_t one = 1;
        std::int64_t number = 0;
        check(MPI_Fetch_and_op(&one, &number, MPI_INT64_T, 0, 0, MPI_SUM, window_.handle()));
        check(MPI_Win_flush(0, window_.handle()));
        return number;
    }

private:
    Window window_;
};

}  // namespace

std::unique_ptr<SharedMemory> share_mpi_memory(MPI_Comm comm, std::size_t size) {
    return std::make_unique<MpiSharedMemory>(comm, size);
}

std::unique_ptr<Counter> make_mpi_counter(MPI_Comm comm) {
    return std::make_unique<MpiCounter>(comm);
}

}  // namespace ventral::comm
