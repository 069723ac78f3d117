#include "io/disk/read_queue.hpp"

#include <cassert>
#include <cerrno>

#include <unistd.h>

namespace ventral::io {
namespace {

std::int64_t read_now(int file, const WantedBytes& wanted) {
    for (;;) {
        const auto count = preadv(file, wanted.parts.data(), static_cast<int>(wanted.parts.size()),
                                  static_cast<off_t>(wanted.place));
        if (count >= 0) return count;
        if (errno != EINTR) return -errno;
    }
}

iocb block_of(int file, const WantedBytes& wanted, std::size_t number) {
    iocb block{};
    block.aio_data = number;
    block.aio_lio_opcode = IOCB_CMD_PREADV;
    block.aio_fildes = static_cast<std::uint32_t>(file);
    block.aio_buf = reinterpret_cast<std::uintptr_t>(wanted.parts.data());
    block.aio_nbytes = wanted.parts.size();
    block.aio_offset = static_cast<std::int64_t>(wanted.place);
    return block;
}

}  // namespace

std::array<std::int64_t, ReadQueue::most_reads> ReadQueue::read(
    int file, std::span<const WantedBytes> reads) {
    assert(reads.size() <= most_reads);
    std::array<std::int64_t, most_reads> results{};
    std::array<iocb, most_reads> blocks;
    for (std::size_t i = 0; i < reads.size(); ++i) blocks[i] = block_of(file, reads[i], i);
    std::size_t submitted = reads.size() > 1 ? submit(std::span(blocks).first(reads.size())) : 0;
    if (!wait(submitted, results)) submitted = 0;
    // A signal may end a read here, where preadv would go on.
    for (std::size_t i = 0; i < reads.size(); ++i)
        if (i >= submitted || results[i] == -EINTR) results[i] = read_now(file, reads[i]);
    return results;
}

/// Returns how many the kernel has taken, from the first on.
std::size_t ReadQueue::submit(std::span<iocb> reads) {
    std::array<iocb*, most_reads> list{};
    for (std::size_t i = 0; i < reads.size(); ++i) list[i] = &reads[i];
    return kernel_.submit(std::span(list).first(reads.size()));
}

/// False if the kernel tells nothing of the reads; then none is under way any more.
bool ReadQueue::wait(std::size_t reads, std::span<std::int64_t> results) {
    std::array<io_event, most_reads> events;
    const auto ended = reads > 0 ? kernel_.ended(reads, std::span(events).first(reads)) : 0;
    if (!ended) return false;
    for (const auto& event : std::span(events).first(*ended)) results[event.data] = event.res;
    return true;
}

}  // namespace ventral::io
