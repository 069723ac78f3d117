#include "stats/regression/neuron_to_neuron.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/gram/gram.hpp"
#include "stats/regression/normalised_column.hpp"
#include "stats/regression/slab_correlations.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

/// Correlations that are closer than this to the next best are compared by the reference's formula,
/// so that no fold's choice or margin has bits of the products that it shares with others.
constexpr double window = 4 * correlation_error;
constexpr double none = -std::numeric_limits<double>::infinity();

/// The best feature so far of one target in one fold, by the reference's formula.
struct Best {
    double r = none;
    double next = none;  ///< the largest of all others
    std::size_t feature = 0;
};

/// A feature that could be the best one or the next; `place` is fold × targets + target.
struct Contender {
    std::size_t place;
    std::size_t feature;  ///< within the slab
    double r;
};

struct TopTwo {
    double first = none;
    double second = none;
};

/// Keeps the two largest numbers of all that were taken; NaN is none.
void take(double value, double& first, double& second) {
    const double lower = value > first ? first : value;
    first = value > first ? value : first;
    second = lower > second ? lower : second;
}

TopTwo top_two(const double* values, Index count) {
    constexpr Index lanes = 8;
    std::array<double, lanes> first, second;
    first.fill(none);
    second.fill(none);
    const Index whole = count / lanes * lanes;
    for (Index i = 0; i < whole; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            take(values[i + static_cast<Index>(lane)], first[lane], second[lane]);
    TopTwo top;
    for (const auto& some : {first, second})
        for (const double value : some) take(value, top.first, top.second);
    for (Index i = whole; i < count; ++i) take(values[i], top.first, top.second);
    return top;
}

std::vector<double> entries(const Matrix& matrix, Index column, const std::vector<Index>& rows) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto row : rows) values.push_back(matrix(row, column));
    return values;
}

[[noreturn]] void fail_constant(Index target) {
    throw core::InputError(
        "the recordings of neuroid " + std::to_string(target) +
        " (counted from 0) are constant over the train stimuli of a split, so that no feature "
        "correlates with them (the reference fails too: All-NaN slice) leave such neuroids out");
}

class Search {
public:
    Search(const Problem& problem, std::span<const FoldRows> folds, core::Workers& workers)
        : problem_(problem),
          folds_(folds),
          workers_(workers),
          sum_(column_sum_of(problem.features)),
          targets_(train_targets(problem.targets, folds)),
          best_(folds.size() * target_count()),
          has_constant_target_(best_.size()) {
        for (const auto& fold : folds)
            predictions_.emplace_back(static_cast<Index>(fold.test.size()), problem.targets.cols());
        find_constant_targets();
    }

    void run() {
        const auto rows = static_cast<std::size_t>(problem_.targets.rows());
        std::vector<double> centred(rows * std::min(problem_.features, slab_features));
        for (std::size_t first = 0; first < problem_.features; first += slab_features) {
            const std::size_t width = std::min(slab_features, problem_.features - first);
            const FeatureMatrix slab = problem_.read(first, width);
            settle(slab, first, contenders_of(slab, {slab, targets_, centred, workers_}));
            settle_constant_targets(slab, first);
        }
    }

    std::vector<NeuronToNeuronFold> results() {
        std::vector<NeuronToNeuronFold> results(folds_.size());
        for (std::size_t place = 0; place < best_.size(); ++place) {
            const auto& best = best_[place];
            if (best.r == none)
                throw core::InputError(
                    "no feature correlates with the recordings (all features are constant, NaN or "
                    "infinite over the train stimuli of a split; the reference fails too: All-NaN "
                    "slice)");
            auto& result = results[place / target_count()];
            result.features.push_back(best.feature);
            result.argmax_gap = std::min(result.argmax_gap, best.r - best.next);
        }
        for (std::size_t f = 0; f < results.size(); ++f)
            results[f].prediction = std::move(predictions_[f]);
        return results;
    }

private:
    std::size_t target_count() const { return static_cast<std::size_t>(problem_.targets.cols()); }

    /// The reference correlates each target for itself.
    void find_constant_targets() {
        for (std::size_t place = 0; place < best_.size(); ++place) {
            const auto& fold = targets_.folds[place / target_count()];
            const auto target = static_cast<Index>(place % target_count());
            if (!std::isnan(fold.scale(target))) continue;
            const auto& train = fold.rows->train;
            const double value = problem_.targets(train.front(), target);
            // It may be constant only once the mean of all rows is subtracted.
            const bool is_constant = std::all_of(train.begin(), train.end(), [&](Index row) {
                return problem_.targets(row, target) == value;
            });
            if (is_constant && has_exact_mean(value, train.size(), ColumnSum::pairwise))
                fail_constant(target);
            has_constant_target_[place] = 1;
        }
    }

    /// Sets the correlations with features that are constant in the fold, but not about NumPy's
    /// mean of them, to 0: they are NaN.
    void zero_rounded_constants(const FeatureMatrix& slab, std::size_t first_feature,
                                const FoldRows& fold, Matrix& r) const {
        std::vector<std::size_t> undefined;
        for (Index j = 0; j < r.rows(); ++j)
            if (r.row(j).array().isNaN().all())
                undefined.push_back(first_feature + static_cast<std::size_t>(j));
        // Most of them are features that are never active, that is zero.
        const Matrix values = values_of(slab, std::span(fold.train).first(1), undefined);
        for (std::size_t k = 0; k < undefined.size(); ++k) {
            const double value = values(0, static_cast<Index>(k));
            if (has_exact_mean(value, fold.train.size(), sum_)) continue;
            const Matrix x = values_of(slab, fold.train, std::span(undefined).subspan(k, 1));
            if ((x.array() == value).all())
                r.row(static_cast<Index>(undefined[k] - first_feature)).setZero();
        }
    }

    /// Looks through one block's correlations in one fold.
    void scan(const Matrix& r, std::size_t first_feature, std::size_t first_place,
              std::vector<Contender>& found) const {
        for (Index t = 0; t < r.cols(); ++t) {
            const std::size_t place = first_place + static_cast<std::size_t>(t);
            if (has_constant_target_[place]) continue;
            const double* values = r.col(t).data();
            const auto top = top_two(values, r.rows());
            const double threshold = std::max(top.second, best_[place].next) - window;
            if (top.first < threshold) continue;
            for (Index j = 0; j < r.rows(); ++j)
                if (values[j] >= threshold)
                    found.push_back(
                        {place, first_feature + static_cast<std::size_t>(j), values[j]});
        }
    }

    /// The features of the slab that could be among the two best of some target, by place, then
    /// feature.
    std::vector<Contender> contenders_of(const FeatureMatrix& slab,
                                         const SlabCorrelations& correlations) {
        const std::size_t blocks = correlations.target_blocks();
        std::vector<std::vector<Contender>> found(correlations.feature_blocks() * blocks);
        workers_.parallel_for(found.size(), [&](std::size_t task) {
            const std::size_t features = task / blocks;
            const std::size_t targets = task % blocks;
            const auto first = static_cast<std::size_t>(SlabCorrelations::first_target(targets));
            const std::size_t first_feature = SlabCorrelations::first_feature(features);
            correlations.visit(features, targets, [&](std::size_t fold, Matrix& r) {
                zero_rounded_constants(slab, first_feature, folds_[fold], r);
                scan(r, first_feature, fold * target_count() + first, found[task]);
            });
        });
        return still_near_the_top(found);
    }

    /// Of what blocks found by themselves, what comes near the two best of all of them.
    std::vector<Contender> still_near_the_top(
        const std::vector<std::vector<Contender>>& found) const {
        std::vector<TopTwo> top(best_.size());
        for (std::size_t place = 0; place < top.size(); ++place)
            top[place] = {best_[place].r, best_[place].next};
        for (const auto& block : found)
            for (const auto& each : block)
                take(each.r, top[each.place].first, top[each.place].second);
        std::vector<Contender> kept;
        for (const auto& block : found)
            for (const auto& each : block)
                if (each.r >= top[each.place].second - window) kept.push_back(each);
        std::sort(kept.begin(), kept.end(), [](const Contender& a, const Contender& b) {
            return std::tie(a.place, a.feature) < std::tie(b.place, b.feature);
        });
        return kept;
    }

    /// Compares the contenders by the reference's formula.
    void settle(const FeatureMatrix& slab, std::size_t first_feature,
                const std::vector<Contender>& contenders) {
        std::vector<std::size_t> features;
        for (const auto& each : contenders) features.push_back(each.feature);
        std::sort(features.begin(), features.end());
        features.erase(std::unique(features.begin(), features.end()), features.end());
        const Columns columns{first_feature, features, columns_of_slab(slab, features)};

        std::vector<std::size_t> starts;
        for (std::size_t i = 0; i < contenders.size(); ++i)
            if (i == 0 || contenders[i].place != contenders[i - 1].place) starts.push_back(i);
        starts.push_back(contenders.size());
        constexpr std::size_t together = 32;
        const std::size_t places = starts.size() - 1;
        workers_.parallel_for(core::ceil_divide(places, together), [&](std::size_t task) {
            for (std::size_t i = task * together; i < std::min((task + 1) * together, places); ++i)
                settle_place(columns,
                             std::span(contenders).subspan(starts[i], starts[i + 1] - starts[i]));
        });
    }

    /// With a constant target rounding decides, so that every feature counts.
    void settle_constant_targets(const FeatureMatrix& slab, std::size_t first_feature) {
        constexpr std::size_t together = 256;
        for (std::size_t first = 0; first < slab.features; first += together) {
            std::vector<Contender> all;
            for (std::size_t place = 0; place < best_.size(); ++place)
                for (std::size_t j = first; j < std::min(first + together, slab.features); ++j)
                    if (has_constant_target_[place]) all.push_back({place, j, 0.0});
            if (!all.empty()) settle(slab, first_feature, all);
        }
    }

    /// Whole columns of a slab.
    struct Columns {
        std::size_t first_feature;
        std::vector<std::size_t> features;  ///< within the slab, ascending
        Matrix values;                      ///< rows × features
    };

    Matrix columns_of_slab(const FeatureMatrix& slab, const std::vector<std::size_t>& features) {
        constexpr std::size_t together = 64;
        std::vector<Index> rows(slab.rows);
        std::iota(rows.begin(), rows.end(), Index{0});
        Matrix values(static_cast<Index>(slab.rows), static_cast<Index>(features.size()));
        workers_.parallel_for(core::ceil_divide(features.size(), together), [&](std::size_t task) {
            const std::size_t first = task * together;
            const auto some =
                std::span(features).subspan(first, std::min(together, features.size() - first));
            values.middleCols(static_cast<Index>(first), static_cast<Index>(some.size())) =
                values_of(slab, rows, some);
        });
        return values;
    }

    void settle_place(const Columns& columns, std::span<const Contender> contenders) {
        const std::size_t place = contenders.front().place;
        const auto& fold = folds_[place / target_count()];
        const auto target = static_cast<Index>(place % target_count());
        const auto y =
            normalised_column(entries(problem_.targets, target, fold.train), ColumnSum::pairwise);
        auto& best = best_[place];
        Index chosen = -1;
        for (const auto& each : contenders) {
            const auto found =
                std::lower_bound(columns.features.begin(), columns.features.end(), each.feature);
            const Index column = found - columns.features.begin();
            const auto x = normalised_column(entries(columns.values, column, fold.train), sum_);
            const double r = dot_as_numpy(x, y, sum_);
            if (r > best.r) {
                best.next = std::max(best.next, best.r);
                best.r = r;
                best.feature = columns.first_feature + each.feature;
                chosen = column;
            } else if (r > best.next) {
                best.next = r;
            }
        }
        if (chosen < 0) return;
        auto& prediction = predictions_[place / target_count()];
        for (std::size_t i = 0; i < fold.test.size(); ++i)
            prediction(static_cast<Index>(i), target) = columns.values(fold.test[i], chosen);
    }

    const Problem& problem_;
    std::span<const FoldRows> folds_;
    core::Workers& workers_;
    ColumnSum sum_;  // of the features
    TrainTargets targets_;
    std::vector<Best> best_;                 // by place
    std::vector<char> has_constant_target_;  // by place: over the train rows
    std::vector<Matrix> predictions_;
};

}  // namespace

std::vector<NeuronToNeuronFold> neuron_to_neuron_predict(const Problem& problem,
                                                         std::span<const FoldRows> folds,
                                                         core::Workers& workers) {
    if (!problem.read)
        throw core::InputError(
            "neuron_to_neuron needs the features themselves (they are no longer at hand) run with "
            "--activations keep");
    Search search(problem, folds, workers);
    search.run();
    return search.results();
}

}  // namespace ventral::stats
