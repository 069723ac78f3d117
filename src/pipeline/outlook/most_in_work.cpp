#include "pipeline/outlook/most_in_work.hpp"

#include <algorithm>

namespace ventral::pipeline {
namespace {

/// Groups of one score that are in work at a time.
struct ScoreInWork {
    const metrics::FitBuffers* buffers = nullptr;
    std::size_t groups = 0;
    bool is_made = false;  ///< what they share

    std::size_t folds() const { return groups * buffers->folds_a_group; }
    double kept() const {
        return groups > 0 ? buffers->task + static_cast<double>(groups) * buffers->group : 0;
    }
    double making() const { return groups > 0 && !is_made ? buffers->making : 0; }
};

/// With workers to spare, who take any folds. By two bounds: no worker computes two at a time, and
/// no score has any in work before what they share is made.
double helped(const std::vector<ScoreInWork>& scores, std::size_t threads) {
    const auto at_once = [&](std::size_t folds) {
        return static_cast<double>(std::min(folds, threads));
    };
    double by_workers = 0;
    double by_scores = 0;
    double largest_fold = 0;
    std::size_t folds = 0;
    for (const auto& score : scores) {
        const auto& buffers = *score.buffers;
        by_workers += std::max(score.kept(), score.making());
        by_scores += std::max(score.kept() + at_once(score.folds()) * buffers.fold, score.making());
        folds += score.folds();
        if (score.groups > 0) largest_fold = std::max(largest_fold, buffers.fold);
    }
    return std::min(by_workers + at_once(folds) * largest_fold, by_scores);
}

/// As long as each worker has a group of its own to work on, nobody takes folds of another one.
double in_work(const std::vector<ScoreInWork>& scores, std::size_t threads) {
    std::size_t groups = 0;
    for (const auto& score : scores) groups += score.groups;
    if (groups < threads) return helped(scores, threads);
    double most = 0;
    for (const auto& score : scores)
        most += std::max(score.kept() + static_cast<double>(score.groups) * score.buffers->fold,
                         score.making());
    for (std::size_t first = 0; first < scores.size(); ++first) {
        auto rest = scores;
        --rest[first].groups;  // the first that is done
        rest[first].is_made = true;
        most = std::max(most, helped(rest, threads));
    }
    return most;
}

/// The groups of all scores as ranks take them.
class Dealt {
public:
    enum class Order { in_turn, in_rows };

    Dealt(const std::vector<metrics::FitBuffers>& scores, const Workforce& workforce)
        : workforce_(workforce) {
        for (const auto& buffers : scores) groups_.insert(groups_.end(), buffers.groups, &buffers);
    }

    std::size_t groups() const { return groups_.size(); }

    /// By one rank, if group `first` is the first that any of them takes.
    double held(std::size_t first, std::size_t rank, Order order) const {
        const auto [ranks, threads] = workforce_;
        std::vector<ScoreInWork> together;
        for (std::size_t i = 0; i < threads; ++i) {
            const auto group =
                first + (order == Order::in_turn ? rank + i * ranks : rank * threads + i);
            if (group >= groups_.size()) break;
            if (together.empty() || together.back().buffers != groups_[group])
                together.push_back({groups_[group], 0, false});
            ++together.back().groups;
        }
        return in_work(together, threads);
    }

private:
    Workforce workforce_;
    std::vector<const metrics::FitBuffers*> groups_;  ///< of whose score each is
};

}  // namespace

MostInWork most_in_work(const std::vector<metrics::FitBuffers>& scores,
                        const Workforce& workforce) {
    const Dealt dealt(scores, workforce);
    const auto [ranks, threads] = workforce;
    MostInWork most;
    // A rank alone takes up where it was; of several any may begin at any group.
    for (std::size_t first = 0; first < dealt.groups(); first += ranks == 1 ? threads : 1)
        for (const auto how : {Dealt::Order::in_turn, Dealt::Order::in_rows}) {
            double node = 0;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                const double held = dealt.held(first, rank, how);
                most.rank = std::max(most.rank, held);
                node += held;
            }
            most.node = std::max(most.node, node);
        }
    double copies = 0;
    for (const auto& buffers : scores) copies = std::max(copies, buffers.rank);
    return {most.rank + copies, most.node + static_cast<double>(ranks) * copies};
}

}  // namespace ventral::pipeline
