#pragma once
/// @file
/// Writes to a large file past the page cache, which the disk does while the caller goes on: where
/// new pages are dear (write_behind.hpp) they take a third of the processor time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/kernel_io.hpp"
#include "io/write_behind.hpp"

namespace ventral::io {

/// Of one file, by one thread at a time. Bytes are copied and are in the file once `finish` has
/// returned; nobody is to read or write them by other ways before.
class DirectWrites {
public:
    /// From the first byte that is taken on.
    static constexpr std::size_t memory_bytes = std::size_t{32} << 20;

    /// `descriptor` is open for writing, and stays so.
    explicit DirectWrites(int descriptor) : cached_(descriptor) {}
    ~DirectWrites();
    DirectWrites(const DirectWrites&) = delete;
    DirectWrites& operator=(const DirectWrites&) = delete;

    /// Takes what there is room for at once of `bytes`, which belong at `place`. Returns how many,
    /// from the first on; the others are the caller's to write. None if it is too few of them, they
    /// do not begin at a multiple of `direct_alignment`, the file system has no such writes, or the
    /// disk makes the caller wait for them.
    std::size_t take(std::int64_t place, std::span<const std::byte> bytes) noexcept;

    /// Waits until all that was taken is in the file.
    void finish() noexcept;
    /// The same where some of it lies within these bytes.
    void finish(std::int64_t place, std::size_t bytes) noexcept;

    /// The errno of the first write that failed so far, else 0.
    int error() const { return error_; }

private:
    static constexpr std::size_t piece_bytes = std::size_t{256} << 10;
    static constexpr std::size_t most_pieces = memory_bytes / piece_bytes;
    static_assert(most_pieces <= KernelIo::most_at_once);

    struct Piece {
        std::int64_t place = 0;
        std::size_t bytes = 0;  ///< 0: it is free
        iocb block{};
    };

    bool prepare() noexcept;
    Piece* room_at(std::int64_t place) noexcept;
    void submit_growing() noexcept;
    void collect(std::size_t least) noexcept;
    void write_now(Piece& piece) noexcept;
    std::byte* memory_of(const Piece& piece) const;

    KernelIo kernel_;
    int cached_;
    int direct_ = -1;
    bool is_refused_ = false;  ///< nothing is taken any more
    int error_ = 0;
    SlowDisk slow_;
    std::byte* memory_ = nullptr;
    std::array<Piece, most_pieces> pieces_;
    Piece* growing_ = nullptr;  ///< not yet with the kernel: what follows it may come
    std::size_t under_way_ = 0;
};

/// Writes all `bytes` at `place`. Returns 0 or the errno.
int write_at(int descriptor, std::int64_t place, std::span<const std::byte> bytes) noexcept;

}  // namespace ventral::io
