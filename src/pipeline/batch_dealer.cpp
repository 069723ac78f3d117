#include "pipeline/batch_dealer.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace ventral::pipeline {

BatchDealer::BatchDealer(std::size_t batches, std::size_t workers, comm::Communicator& team)
    : batches_(batches), memory_(team.share(words * sizeof(std::uint64_t))) {
    const auto counts = team.all_gather(std::to_string(workers));
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const auto end = std::min(batches, firsts_of_all_ + std::stoul(counts[rank]));
        for (; firsts_of_all_ < end; ++firsts_of_all_)
            if (rank == static_cast<std::size_t>(team.rank())) first_.push_back(firsts_of_all_);
    }
}

std::optional<std::size_t> BatchDealer::next() {
    if (std::atomic_ref(word(ended)).load() != 0) return std::nullopt;
    const auto batch = firsts_of_all_ + std::atomic_ref(word(later)).fetch_add(1);
    if (batch >= batches_) return std::nullopt;
    return batch;
}

void BatchDealer::end() { std::atomic_ref(word(ended)).store(1); }

std::size_t BatchDealer::dealt() const {
    return std::min<std::size_t>(batches_, firsts_of_all_ + std::atomic_ref(word(later)).load());
}

std::uint64_t& BatchDealer::word(Word which) const {
    return reinterpret_cast<std::uint64_t*>(memory_->bytes().data())[which];
}

}  // namespace ventral::pipeline
