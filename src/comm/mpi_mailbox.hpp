#pragma once
/// @file
/// Messages between two ranks of an MPI communicator, sent and received without waiting.

#include <list>
#include <optional>
#include <string>

#include "comm/mpi_handle.hpp"

namespace ventral::comm {

/// Keeps what is under way. Destruction waits until everything sent has been received.
class MpiMailbox {
public:
    /// Borrows `comm`, whose errors must be returned.
    explicit MpiMailbox(MPI_Comm comm);
    ~MpiMailbox();
    MpiMailbox(const MpiMailbox&) = delete;
    MpiMailbox& operator=(const MpiMailbox&) = delete;

    void send(int to, int tag, std::string bytes);
    /// What throws here or above, out of memory say, loses no message: the next call finds it.
    std::optional<Message> try_receive(int tag);

private:
    /// A message whose bytes are on their way out of or into `message`.
    struct Transfer {
        int tag = 0;
        Message message;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    void forget_sent();
    void accept_new(int tag);

    MPI_Comm comm_;
    int rank_ = 0;
    std::list<Transfer> outgoing_;
    std::list<Transfer> incoming_;  ///< in order of arrival; those to oneself are there at once
};

}  // namespace ventral::comm
