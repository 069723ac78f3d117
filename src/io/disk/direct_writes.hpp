#pragma once
/// @file
/// Writes to a large file past the page cache, which the disk does while the caller goes on: for
/// where new pages are dear (write_behind.hpp).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/disk/kernel_io.hpp"
#include "io/disk/write_behind.hpp"

namespace ventral::io {

/// Of one file, by one thread at a time. Bytes are copied, and are in the file once `close` has
/// returned. Nobody else is to write them, or pages that they share with others, before.
class DirectWrites {
public:
    /// Held from the first byte that is taken until `close`.
    static constexpr std::size_t memory_bytes = std::size_t{32} << 20;
    static constexpr std::size_t least_bytes = std::size_t{64} << 10;  ///< to be worth it

    /// `descriptor` is open for writing, and stays so.
    explicit DirectWrites(int descriptor) : cached_(descriptor) {}
    ~DirectWrites();
    DirectWrites(const DirectWrites&) = delete;
    DirectWrites& operator=(const DirectWrites&) = delete;

    /// Takes what there is room for at once of `bytes`, which belong at `place`: whole pages.
    /// Returns how many, from the first on; the others are for `write_rest`. None if they are fewer
    /// than `least_bytes` or do not begin at a multiple of `direct_alignment`, if the file system
    /// has no such writes, or if the disk makes the caller wait for them. Waits only for bytes in
    /// the same place that were taken before.
    std::size_t take(std::int64_t place, std::span<const std::byte> bytes) noexcept;

    /// Writes by way of the page cache what was not taken. Returns the errno, 0 for none.
    int write_rest(std::int64_t place, std::span<const std::byte> bytes) noexcept;

    /// Waits until what was taken of these bytes is in the file.
    void finish(std::int64_t place, std::size_t bytes) noexcept;
    /// Waits until all that was taken is in the file. Returns what `error` does.
    int close() noexcept;

    /// The errno of the first write that has failed so far, else 0.
    int error() const { return error_; }

private:
    static constexpr std::size_t piece_bytes = std::size_t{512} << 10;
    static constexpr std::size_t most_pieces = memory_bytes / piece_bytes;
    static_assert(most_pieces <= KernelIo::most_at_once);

    struct Piece {
        std::int64_t place = 0;
        std::size_t bytes = 0;  ///< 0: it is free
    };

    bool prepare() noexcept;
    void finish_all() noexcept;
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
    DiskWaits waits_;
    std::span<std::byte> memory_;
    std::array<Piece, most_pieces> pieces_;
    Piece* growing_ = nullptr;  ///< not yet with the kernel: what follows it may come
    std::size_t under_way_ = 0;
};

}  // namespace ventral::io
