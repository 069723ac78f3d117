#pragma once
/// @file
/// Memory for large blocks that are asked for again and again in the same order, as the tensors of
/// a network are with every batch.

#include <cstddef>
#include <map>
#include <mutex>

namespace ventral::core {

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

    /// A block aligned to `block_alignment`, or nullptr if there is no room or no memory.
    void* take(std::size_t bytes);

    /// `block` is one that `take` gave.
    void put(void* block);

    /// Gives back to the system what lies behind the last block in use.
    void give_back();

    /// Bytes that the system may have given.
    std::size_t held() const;

private:
    std::size_t place_for(std::size_t bytes) const;
    bool hold(std::size_t bytes);

    mutable std::mutex mutex_;
    std::byte* begin_ = nullptr;
    std::size_t reserved_ = 0;
    std::size_t held_ = 0;
    std::map<std::size_t, std::size_t> used_;  ///< size of each block by its place
    std::map<std::size_t, std::size_t> gaps_;  ///< likewise of what is free below the last block
    std::size_t end_ = 0;                      ///< of the last block
};

inline constexpr std::size_t block_alignment = 64;

}  // namespace ventral::core
