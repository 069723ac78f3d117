#pragma once
/// @file
/// Starts MPI on construction and ends it on destruction; `main` holds exactly one. Also how a rank
/// ends the whole job.

#include <string>

namespace ventral::comm {

/// Its end waits for all ranks: one that fails alone has to call `abort_job` while it still lives.
class MpiSession {
public:
    /// Throws `std::runtime_error` if MPI cannot be used from a program with threads.
    MpiSession();
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;
};

/// For example "Open MPI v4.1.4".
std::string mpi_library();

/// Whether MPI is live and has started more than one rank.
bool has_other_ranks();

/// Ends all ranks at once with exit code `code`; without live MPI just this process. No destructor
/// runs and no buffer is written out.
[[noreturn]] void abort_job(int code);

/// For destructors that free what a group shares: ends the job if an exception that this rank alone
/// has thrown is on its way through, since the others will not come.
void abort_if_alone();

}  // namespace ventral::comm
