#include "pipeline/simulation/shared_disk.hpp"

#include <algorithm>

namespace ventral::pipeline {

void SharedDisk::begin(double now, std::size_t node, double bytes) {
    go_to(now);
    end_of_node_[node] = served_ + bytes;
    ends_.emplace(served_ + bytes, node);
}

void SharedDisk::cancel(double now, std::size_t node) {
    go_to(now);
    const auto found = end_of_node_.find(node);
    if (found == end_of_node_.end()) return;
    ends_.erase({found->second, node});
    end_of_node_.erase(found);
}

std::optional<double> SharedDisk::next_end() const {
    if (ends_.empty()) return std::nullopt;
    return now_ + (ends_.begin()->first - served_) / speed();
}

std::size_t SharedDisk::end_next() {
    now_ = *next_end();
    const auto [end, node] = *ends_.begin();
    served_ = end;
    ends_.erase(ends_.begin());
    end_of_node_.erase(node);
    return node;
}

double SharedDisk::speed() const {
    return std::min(node_, whole_ / static_cast<double>(ends_.size()));
}

void SharedDisk::go_to(double now) {
    if (!ends_.empty()) served_ += (now - now_) * speed();
    now_ = now;
}

}  // namespace ventral::pipeline
