#pragma once
/// @file
/// How far the panels of a Gram are, in memory that all workers of all ranks see.
///
/// Tasks are begun in order, each by whoever is free. One that needs what is still in work waits
/// for it here: somebody is at it, so that the wait is short and ends.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

namespace ventral::stats {

class PanelProgress {
public:
    /// `centred`: an entry for each buffer, which the panels take in turn; `added`: one for each
    /// tile. All zero at the start.
    PanelProgress(std::span<std::uint64_t> centred, std::span<std::uint64_t> added,
                  std::size_t blocks_in_panel)
        : centred_(centred), added_(added), blocks_in_panel_(blocks_in_panel) {}

    void note_centred(std::size_t panel) const { ++std::atomic_ref(buffer(panel)); }
    /// All blocks of a panel that has as many; only the last may have fewer than the others.
    void wait_until_centred(std::size_t panel, std::size_t blocks) const {
        const auto before = panel / centred_.size() * blocks_in_panel_;
        wait_until([&] { return std::atomic_ref(buffer(panel)) >= before + blocks; });
    }

    void note_added(std::size_t tile) const { ++std::atomic_ref(added_[tile]); }
    void wait_until_added(std::size_t tile, std::size_t panels) const {
        wait_until([&] { return std::atomic_ref(added_[tile]) >= panels; });
    }
    /// Until the panel that was in this panel's buffer before is in all tiles.
    void wait_until_free(std::size_t panel) const {
        if (panel < centred_.size()) return;
        for (std::size_t tile = 0; tile < added_.size(); ++tile)
            wait_until_added(tile, panel - centred_.size() + 1);
    }

private:
    std::uint64_t& buffer(std::size_t panel) const { return centred_[panel % centred_.size()]; }

    template <typename Ready>
    static void wait_until(const Ready& ready) {
        while (!ready()) std::this_thread::yield();
    }

    std::span<std::uint64_t> centred_;
    std::span<std::uint64_t> added_;
    std::size_t blocks_in_panel_;
};

}  // namespace ventral::stats
