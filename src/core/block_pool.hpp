#pragma once
/// @file
/// Memory for large blocks that are asked for again and again in the same order, as the tensors of
/// a network are with every batch.

#include <cstddef>
#include <map>
#include <mutex>

namespace ventral::core {

inline constexpr std::size_t block_alignment = 64;

/// Hands out blocks of one range of addresses, the lowest gap first, and keeps what was once
/// touched: how much that is follows from the order of the calls alone. In large pages where the
/// system has them. May be used by several threads.
class BlockPool {
public:
    /// Reserves `most_bytes` of addresses, or less where there is less, which takes no memory.
    explicit BlockPool(std::size_t most_bytes);
    ~BlockPool();
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;

    /// A block aligned to `block_alignment`, or nullptr if there is no room or no memory, or less
    /// than `spare_memory` would be left of it.
    void* take(std::size_t bytes) noexcept;

    /// `block` is one that `take` gave.
    void put(void* block) noexcept;

    /// Gives back to the system what lies behind the last block in use.
    void give_back() noexcept;

    /// Bytes of addresses: all that its blocks can ever take.
    std::size_t reserved() const { return reserved_; }

    /// Bytes that the system may have given.
    std::size_t held() const;

private:
    struct Block {
        std::size_t size = 0;
        bool is_used = false;
    };
    using Blocks = std::map<std::size_t, Block>;  ///< by their places, without holes between

    Blocks::iterator block_for(std::size_t size);
    bool hold(std::size_t bytes);

    mutable std::mutex mutex_;
    std::byte* begin_ = nullptr;
    std::size_t reserved_ = 0;
    std::size_t held_ = 0;
    Blocks blocks_;  ///< the last one is used
};

}  // namespace ventral::core
