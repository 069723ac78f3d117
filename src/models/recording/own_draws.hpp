#pragma once
/// @file
/// Random numbers of networks that draw some: always the same for the same batch of images, on any
/// thread and rank, whichever layers are recorded.
///
/// libtorch draws for all threads of a process from one stream. So each operator that may draw has
/// the stream to itself while it runs, begun anew with a seed that follows from the images of the
/// batch, from the operator's place in forward, and from how often it has drawn in this pass.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// To be called once for a graph that has all of forward, in place, before anything is cut off it.
void give_own_draws(torch::jit::Graph& graph);

/// The draws of one pass on this thread, while this is alive; any graph with draws of its own needs
/// one.
class DrawsOfPass {
public:
    explicit DrawsOfPass(std::span<const float> batch);
    ~DrawsOfPass();
    DrawsOfPass(const DrawsOfPass&) = delete;
    DrawsOfPass& operator=(const DrawsOfPass&) = delete;

    /// What the graph calls before and after each operator that may draw.
    void begin(std::int64_t operator_place);
    void end() { stream_.unlock(); }

private:
    std::span<const float> batch_;
    std::optional<std::uint32_t> checksum_;        ///< of the batch, once it is needed
    std::map<std::int64_t, std::uint32_t> drawn_;  ///< how often, by the operator's place
    std::unique_lock<std::mutex> stream_;
};

/// How often operators have drawn in this process.
std::size_t draws_so_far();

}  // namespace ventral::models
