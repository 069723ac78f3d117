#include "io/disk/direct_writes.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/large_pages.hpp"
#include "io/disk/direct_reads.hpp"
#include "io/disk/durable_file.hpp"

namespace ventral::io {
namespace {

/// The same file with a mode of its own.
int open_direct(int descriptor) {
    std::array<char, 32> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
    return open(path.data(), O_WRONLY | O_CLOEXEC | O_DIRECT);
}

/// Larger ones could be shared with what is written by way of the page cache.
bool has_small_pages() { return sysconf(_SC_PAGESIZE) <= long{direct_alignment}; }

}  // namespace

DirectWrites::~DirectWrites() { close(); }

bool DirectWrites::prepare() noexcept {
    if (!memory_.empty() || is_refused_) return !is_refused_;
    direct_ = has_small_pages() ? open_direct(cached_) : -1;
    is_refused_ = direct_ < 0;
    if (is_refused_) return false;
    try {
        memory_ = core::map_zeros(memory_bytes);
    } catch (const std::bad_alloc&) {
        is_refused_ = true;
    }
    return !is_refused_;
}

std::byte* DirectWrites::memory_of(const Piece& piece) const {
    return memory_.data() + static_cast<std::size_t>(&piece - pieces_.data()) * piece_bytes;
}

std::size_t DirectWrites::take(std::int64_t place, std::span<const std::byte> bytes) noexcept {
    const std::size_t whole = bytes.size() / direct_alignment * direct_alignment;
    if (place % std::int64_t{direct_alignment} != 0 || whole < least_bytes || !prepare()) return 0;
    finish(place, whole);
    std::size_t taken = 0;
    while (taken < whole) {
        Piece* piece = room_at(place + static_cast<std::int64_t>(taken));
        if (!piece) break;
        const auto size = std::min(whole - taken, piece_bytes - piece->bytes);
        std::memcpy(memory_of(*piece) + piece->bytes, bytes.data() + taken, size);
        piece->bytes += size;
        taken += size;
        growing_ = piece;
        if (piece->bytes == piece_bytes) submit_growing();
    }
    return taken;
}

/// A piece whose end is at `place`, or a free one; null if there is none.
DirectWrites::Piece* DirectWrites::room_at(std::int64_t place) noexcept {
    if (growing_ && growing_->place + static_cast<std::int64_t>(growing_->bytes) == place)
        return growing_;
    submit_growing();
    if (is_refused_) return nullptr;
    if (under_way_ == most_pieces) collect(0);
    if (under_way_ == most_pieces) return nullptr;
    auto& piece = *std::find_if(pieces_.begin(), pieces_.end(),
                                [](const Piece& each) { return each.bytes == 0; });
    piece.place = place;
    return &piece;
}

void DirectWrites::submit_growing() noexcept {
    if (!growing_) return;
    auto& piece = *std::exchange(growing_, nullptr);
    iocb block{};
    block.aio_data = static_cast<std::uint64_t>(&piece - pieces_.data());
    block.aio_lio_opcode = IOCB_CMD_PWRITE;
    block.aio_fildes = static_cast<std::uint32_t>(direct_);
    block.aio_buf = reinterpret_cast<std::uintptr_t>(memory_of(piece));
    block.aio_nbytes = piece.bytes;
    block.aio_offset = piece.place;
    iocb* const list = &block;
    const auto start = std::chrono::steady_clock::now();
    const auto submitted = kernel_.submit({&list, 1});
    waits_.waited(piece.bytes, std::chrono::steady_clock::now() - start);
    is_refused_ = is_refused_ || submitted == 0 || waits_.is_slow();
    if (submitted == 0)
        write_now(piece);
    else
        ++under_way_;
}

/// Waits until `least` of those under way have ended.
void DirectWrites::collect(std::size_t least) noexcept {
    std::array<io_event, most_pieces> events;
    const auto ended = kernel_.ended(least, std::span(events).first(under_way_));
    if (!ended) {  // nobody knows which are in the file
        is_refused_ = true;
        under_way_ = 0;
        for (auto& piece : pieces_)
            if (piece.bytes > 0 && &piece != growing_) write_now(piece);
        return;
    }
    under_way_ -= *ended;
    for (const auto& event : std::span(events).first(*ended)) {
        assert(event.data < most_pieces);
        auto& piece = pieces_[event.data];
        if (event.res == static_cast<std::int64_t>(piece.bytes)) {
            piece.bytes = 0;
            continue;
        }
        is_refused_ = true;
        write_now(piece);
    }
}

/// By way of the page cache, which tells why where it cannot be done.
void DirectWrites::write_now(Piece& piece) noexcept {
    const int error = write_at(cached_, piece.place, {memory_of(piece), piece.bytes});
    if (error_ == 0) error_ = error;
    piece.bytes = 0;
}

int DirectWrites::write_rest(std::int64_t place, std::span<const std::byte> bytes) noexcept {
    finish(place, bytes.size());
    // A file system may do such a write only when those under way have ended.
    const auto start = std::chrono::steady_clock::now();
    const int error = write_at(cached_, place, bytes);
    if (under_way_ > 0) waits_.waited(bytes.size(), std::chrono::steady_clock::now() - start);
    return error_ != 0 ? error_ : error;
}

void DirectWrites::finish(std::int64_t place, std::size_t bytes) noexcept {
    const auto end = place + static_cast<std::int64_t>(bytes);
    const bool touches = std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
        return piece.bytes > 0 && piece.place < end &&
               place < piece.place + static_cast<std::int64_t>(piece.bytes);
    });
    if (touches) finish_all();
}

void DirectWrites::finish_all() noexcept {
    submit_growing();
    if (under_way_ > 0) collect(under_way_);
}

int DirectWrites::close() noexcept {
    finish_all();
    if (!memory_.empty()) core::unmap(std::exchange(memory_, {}));
    if (direct_ >= 0 && ::close(std::exchange(direct_, -1)) != 0 && errno != EINTR && error_ == 0)
        error_ = errno;
    is_refused_ = true;
    return error_;
}

}  // namespace ventral::io
