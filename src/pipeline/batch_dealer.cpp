#include "pipeline/batch_dealer.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace ventral::pipeline {

BatchDealer::BatchDealer(std::size_t batches, std::size_t workers, comm::Communicator& team)
    : batches_(batches) {
    const auto rank = static_cast<std::size_t>(team.rank());
    const auto counts = team.all_gather(std::to_string(workers));
    for (std::size_t r = 0; r < counts.size(); ++r) {
        const auto end = std::min(batches, begin_ + std::stoul(counts[r]));
        for (; begin_ < end; ++begin_)
            if (r == rank) first_.push_back(begin_);
    }
    constexpr std::size_t size = words * sizeof(std::uint64_t);
    if (team.split_by_node()->size() == team.size()) {
        memory_ = team.share(size);
    } else {
        memory_ = comm::make_serial()->share(size);
        begin_ += rank;
        stride_ = counts.size();
    }
}

std::optional<std::size_t> BatchDealer::next() {
    if (std::atomic_ref(word(ended)).load() != 0) return std::nullopt;
    const auto batch = begin_ + stride_ * std::atomic_ref(word(later)).fetch_add(1);
    if (batch >= batches_) return std::nullopt;
    return batch;
}

void BatchDealer::end() { std::atomic_ref(word(ended)).store(1); }

std::size_t BatchDealer::dealt() const {
    return std::min<std::size_t>(batches_, begin_ + stride_ * std::atomic_ref(word(later)).load());
}

std::uint64_t& BatchDealer::word(Word which) const {
    return reinterpret_cast<std::uint64_t*>(memory_->bytes().data())[which];
}

}  // namespace ventral::pipeline
