#pragma once
/// @file
/// A window of MPI's one-sided communication that frees itself.

#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"
#include "comm/mpi_session.hpp"

namespace ventral::comm {

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
        check_mpi(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
        check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    }

    bool is_unified() const {
        void* model = nullptr;
        int found = 0;
        check_mpi(MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found));
        return found && *static_cast<int*>(model) == MPI_WIN_UNIFIED;
    }

private:
    MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace ventral::comm
