#include "stats/gram/gram_block.hpp"

#include <algorithm>

#include <unistd.h>

#include "core/ceil_divide.hpp"
#include "core/large_pages.hpp"

namespace ventral::stats {
namespace {

/// Of the panels that are in work, of which few features do not need all.
std::size_t panel_bytes(std::size_t rows, std::size_t features) {
    const auto panels = std::min(panels_in_work(rows), core::ceil_divide(features, panel_features));
    return panels * gram_sizes(rows, features).panel * sizeof(double);
}

}  // namespace

GramBlock::GramBlock(std::size_t rows, std::size_t features)
    : mapped_(core::map_zeros(gram_sizes(rows, features).total() * sizeof(double))),
      kept_bytes_(gram_sizes(rows, features).kept() * sizeof(double)),
      used_bytes_(std::min(mapped_.size(), kept_bytes_ + panel_bytes(rows, features))),
      memory_(
          gram_memory({reinterpret_cast<double*>(mapped_.data()), mapped_.size() / sizeof(double)},
                      rows, features)) {}

// A part at a time: whoever else wants memory of the system waits for as long as it gives one.
void GramBlock::touch(const std::atomic<bool>& stop) const {
    constexpr std::size_t at_once = std::size_t{16} << 20;
    for (std::size_t first = 0; first < used_bytes_ && !stop; first += at_once) {
        const auto part = mapped_.subspan(first, std::min(at_once, used_bytes_ - first));
        // An older system refuses, and gives the memory as it is used.
        if (!core::populate(part)) return;
    }
}

void GramBlock::drop_scratch() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t kept = std::min(core::round_up(kept_bytes_, page), mapped_.size());
    const auto scratch = mapped_.subspan(kept);
    if (!scratch.empty()) core::unmap(scratch);
    mapped_ = mapped_.first(kept);
    for (auto* parts : {&memory_.panels, &memory_.means, &memory_.row_parts, &memory_.sparse_rows})
        for (auto& part : *parts) part = {};
    memory_.second_lane = {};
    memory_.started = memory_.centred = memory_.added = {};
}

GramBlock::~GramBlock() { core::unmap(mapped_); }

}  // namespace ventral::stats
