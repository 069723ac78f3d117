#include "pipeline/schedule/batch_dealer.hpp"

#include <algorithm>
#include <atomic>

#include "comm/records.hpp"
#include "core/ceil_divide.hpp"

namespace ventral::pipeline {

BatchDealer::BatchDealer(std::size_t batches, std::size_t workers, comm::Communicator& team)
    : batches_(batches), steps_a_round_(batches) {
    const auto rank = static_cast<std::size_t>(team.rank());
    const auto counts = comm::gather_records(team, workers);
    std::size_t most_workers = 1;
    for (std::size_t r = 0; r < counts.size(); ++r) {
        most_workers = std::max(most_workers, counts[r]);
        const auto end = std::min(batches, begin_ + counts[r]);
        for (; begin_ < end; ++begin_)
            if (r == rank) first_.push_back(begin_);
    }
    constexpr std::size_t size = words * sizeof(std::uint64_t);
    if (team.split_by_node()->size() == team.size()) {
        memory_ = team.share(size);
    } else {
        constexpr std::size_t batches_a_worker = 4;
        memory_ = comm::make_serial()->share(size);
        stride_ = counts.size();
        steps_a_round_ = batches_a_worker * most_workers;
        const auto in_a_round = stride_ * steps_a_round_;
        rounds_left_ = core::ceil_divide(batches - begin_, in_a_round);
        begin_ += rank;
    }
}

bool BatchDealer::begin_round() {
    if (rounds_left_ == 0) return false;
    --rounds_left_;
    end_of_round_ += steps_a_round_;
    return true;
}

std::optional<std::size_t> BatchDealer::next() {
    const std::atomic_ref dealt(word(later));
    if (std::atomic_ref(word(ended)).load() != 0 || dealt.load() >= end_of_round_)
        return std::nullopt;
    const auto batch = begin_ + stride_ * dealt.fetch_add(1);
    if (batch >= batches_) return std::nullopt;
    return batch;
}

void BatchDealer::end() { std::atomic_ref(word(ended)).store(1); }

void BatchDealer::count_done() { std::atomic_ref(word(finished)).fetch_add(1); }

std::size_t BatchDealer::done() const {
    return std::min<std::size_t>(batches_, stride_ * std::atomic_ref(word(finished)).load());
}

std::uint64_t& BatchDealer::word(Word which) const { return memory_->as<std::uint64_t>()[which]; }

}  // namespace ventral::pipeline
