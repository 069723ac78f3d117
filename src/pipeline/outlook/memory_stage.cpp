#include "pipeline/outlook/memory_stage.hpp"

#include <algorithm>

#include "comm/spare_memory.hpp"

namespace ventral::pipeline {

void MemoryStage::share(double block) {
    shared += block;
    if (block <= static_cast<double>(comm::largest_spare_bytes)) kept += block;
}

double MemoryStage::of_node(std::size_t ranks) const {
    return shared + first_rank + static_cast<double>(ranks - 1) * other_ranks +
           static_cast<double>(ranks) * a_rank;
}

void add_spare_memory(std::vector<MemoryStage>& stages, std::size_t ranks) {
    if (ranks == 1) return;
    double most_shared = 0;
    double spare = 0;
    for (auto& stage : stages) {
        const double with_spare = std::min(most_shared, stage.shared + spare);
        most_shared = std::max(most_shared, stage.shared);
        spare = std::min(spare + stage.kept, static_cast<double>(comm::most_spare_bytes));
        stage.shared = std::max(stage.shared, with_spare);
    }
}

}  // namespace ventral::pipeline
