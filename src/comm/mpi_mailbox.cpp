#include "comm/mpi_mailbox.hpp"

#include <set>
#include <utility>
#include <vector>

#include "comm/mpi_check.hpp"
#include "comm/mpi_session.hpp"
#include "comm/pieces.hpp"

namespace ventral::comm {
namespace {

/// The bytes of a message as one MPI datatype, so that a message of any length is one message.
class ByteType {
public:
    explicit ByteType(std::string& bytes) {
        std::vector<int> counts;
        std::vector<MPI_Aint> offsets;
        for_each_piece(std::span(bytes), [&](char* first, int count) {
            counts.push_back(count);
            offsets.push_back(first - bytes.data());
        });
        check_mpi(MPI_Type_create_hindexed(static_cast<int>(counts.size()), counts.data(),
                                           offsets.data(), MPI_BYTE, &type_));
        check_mpi(MPI_Type_commit(&type_));
    }
    ~ByteType() { MPI_Type_free(&type_); }
    ByteType(const ByteType&) = delete;
    ByteType& operator=(const ByteType&) = delete;

    MPI_Datatype type() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

bool has_ended(MPI_Request& request) {
    int ended = 0;
    check_mpi(MPI_Test(&request, &ended, MPI_STATUS_IGNORE));
    return ended;
}

}  // namespace

MpiMailbox::MpiMailbox(MPI_Comm comm) : comm_(comm) { check_mpi(MPI_Comm_rank(comm_, &rank_)); }

MpiMailbox::~MpiMailbox() {
    abort_if_alone();
    for (auto& transfer : outgoing_) MPI_Wait(&transfer.request, MPI_STATUS_IGNORE);
    for (auto& transfer : incoming_) MPI_Wait(&transfer.request, MPI_STATUS_IGNORE);
}

void MpiMailbox::send(int to, int tag, std::string bytes) {
    forget_sent();
    std::list<Transfer> begun;
    auto& transfer = begun.emplace_back(Transfer{tag, {rank_, std::move(bytes)}});
    if (to != rank_) {
        const ByteType type(transfer.message.bytes);
        check_mpi(MPI_Isend(transfer.message.bytes.data(), 1, type.type(), to, tag, comm_,
                            &transfer.request));
    }
    auto& list = to == rank_ ? incoming_ : outgoing_;
    list.splice(list.end(), begun);
}

std::optional<Message> MpiMailbox::try_receive(int tag) {
    forget_sent();
    accept_new(tag);
    std::set<int> slow;  // their earlier message is still coming in, so a later one has to wait
    for (auto transfer = incoming_.begin(); transfer != incoming_.end(); ++transfer) {
        if (transfer->tag != tag || slow.contains(transfer->message.from)) continue;
        if (has_ended(transfer->request)) {
            auto message = std::move(transfer->message);
            incoming_.erase(transfer);
            return message;
        }
        slow.insert(transfer->message.from);
    }
    return std::nullopt;
}

void MpiMailbox::forget_sent() {
    std::erase_if(outgoing_, [](Transfer& transfer) { return has_ended(transfer.request); });
}

/// Begins to take in every message with `tag` that is waiting outside. A message is left there
/// until there is memory for it: taken and not received it would be lost, and its sender wait for
/// ever.
void MpiMailbox::accept_new(int tag) {
    while (true) {
        int waiting = 0;
        MPI_Status status;
        check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &waiting, &status));
        if (!waiting) return;
        MPI_Count size = 0;  // MPI_Get_count would wrap round at 2 GiB
        check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &size));
        std::list<Transfer> accepted;
        auto& transfer = accepted.emplace_back(
            Transfer{tag, {status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')}});
        const ByteType type(transfer.message.bytes);
        // One thread receives, so the next message of this sender and tag is the one seen above.
        check_mpi(MPI_Irecv(transfer.message.bytes.data(), 1, type.type(), status.MPI_SOURCE, tag,
                            comm_, &transfer.request));
        incoming_.splice(incoming_.end(), accepted);
    }
}

}  // namespace ventral::comm
