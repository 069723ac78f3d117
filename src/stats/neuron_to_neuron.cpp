#include "stats/neuron_to_neuron.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/errors.hpp"
#include "stats/gram.hpp"
#include "stats/slab_correlations.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

/// Correlations that are closer than this are compared by the reference's formula.
constexpr double window = 4 * correlation_error;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double none = -std::numeric_limits<double>::infinity();

/// The best feature so far of one target in one fold.
struct Best {
    double r = none;     ///< by the reference's formula
    double next = none;  ///< the largest of all others
    std::size_t feature = 0;
};

/// A feature that could be the best one; `place` is fold × targets + target.
struct Contender {
    std::size_t place;
    std::size_t feature;  ///< within the slab
    double r;
};

/// What a block of features has for a block of targets.
struct Findings {
    std::vector<Contender> contenders;
    std::vector<std::pair<std::size_t, double>> others;  ///< place, and the largest r but theirs
};

/// The largest entry, NaN skipped.
double largest(const double* values, Index count) {
    constexpr Index lanes = 8;
    std::array<double, lanes> most;
    most.fill(none);
    const Index whole = count / lanes * lanes;
    for (Index i = 0; i < whole; i += lanes)
        for (Index lane = 0; lane < lanes; ++lane) {
            double& m = most[static_cast<std::size_t>(lane)];
            m = values[i + lane] > m ? values[i + lane] : m;
        }
    double result = *std::max_element(most.begin(), most.end());
    for (Index i = whole; i < count; ++i) result = values[i] > result ? values[i] : result;
    return result;
}

/// Centred and of unit length, added up first to last as the reference does; NaN if constant.
std::vector<double> normalised(std::vector<double> values) {
    const bool constant = std::all_of(values.begin(), values.end(),
                                      [&](double value) { return value == values.front(); });
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double squares = 0;
    for (double& value : values) {
        value -= mean;
        squares += value * value;
    }
    const double length = constant ? 0.0 : std::sqrt(squares);
    for (double& value : values) value = length > 0 ? value / length : nan;
    return values;
}

std::vector<double> entries(const Matrix& matrix, Index column, const std::vector<Index>& rows) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto row : rows) values.push_back(matrix(row, column));
    return values;
}

class Search {
public:
    Search(const Problem& problem, std::span<const FoldRows> folds, core::Workers& workers)
        : problem_(problem),
          folds_(folds),
          workers_(workers),
          targets_(train_targets(problem.targets, folds)),
          best_(folds.size() * target_count()) {
        for (const auto& fold : folds)
            predictions_.emplace_back(static_cast<Index>(fold.test.size()), problem.targets.cols());
    }

    void run() {
        const auto rows = static_cast<std::size_t>(problem_.targets.rows());
        std::vector<double> centred(rows * std::min(problem_.features, slab_features));
        for (std::size_t first = 0; first < problem_.features; first += slab_features) {
            const std::size_t width = std::min(slab_features, problem_.features - first);
            const FeatureMatrix slab = problem_.read(first, width);
            auto contenders = contenders_of({slab, targets_, centred, workers_});
            settle(slab, first, contenders);
        }
    }

    std::vector<NeuronToNeuronFold> results() {
        std::vector<NeuronToNeuronFold> results(folds_.size());
        for (std::size_t place = 0; place < best_.size(); ++place) {
            const auto& best = best_[place];
            if (best.r == none)
                throw core::InputError(
                    "no feature correlates with the recordings (all features are constant over the "
                    "train stimuli of a split; the reference fails too: All-NaN slice)");
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

    /// Looks through one block's correlations in one fold.
    void scan(const Matrix& r, std::size_t first_feature, std::size_t first_place,
              Findings& found) const {
        for (Index t = 0; t < r.cols(); ++t) {
            const std::size_t place = first_place + static_cast<std::size_t>(t);
            const double* values = r.col(t).data();
            const double top = largest(values, r.rows());
            const double threshold = std::max(top, best_[place].r) - window;
            double other = none;
            if (top < threshold) {
                other = top;
            } else {
                for (Index j = 0; j < r.rows(); ++j)
                    if (values[j] >= threshold)
                        found.contenders.push_back(
                            {place, first_feature + static_cast<std::size_t>(j), values[j]});
                    else if (values[j] > other)
                        other = values[j];
            }
            found.others.emplace_back(place, other);
        }
    }

    /// The features of the slab that could be the best of some target, by place, then feature.
    std::vector<Contender> contenders_of(const SlabCorrelations& correlations) {
        const std::size_t blocks = correlations.target_blocks();
        std::vector<Findings> found(correlations.feature_blocks() * blocks);
        workers_.parallel_for(found.size(), [&](std::size_t task) {
            const std::size_t features = task / blocks;
            const std::size_t targets = task % blocks;
            const auto first = static_cast<std::size_t>(SlabCorrelations::first_target(targets));
            correlations.visit(features, targets, [&](std::size_t fold, const Matrix& r) {
                scan(r, SlabCorrelations::first_feature(features), fold * target_count() + first,
                     found[task]);
            });
        });
        return still_near_the_top(found);
    }

    /// Of what blocks found by themselves, what comes near the best of all of them.
    std::vector<Contender> still_near_the_top(const std::vector<Findings>& found) {
        std::vector<double> top(best_.size());
        for (std::size_t place = 0; place < top.size(); ++place) top[place] = best_[place].r;
        for (const auto& block : found)
            for (const auto& each : block.contenders)
                top[each.place] = std::max(top[each.place], each.r);
        std::vector<Contender> kept;
        for (const auto& block : found) {
            for (const auto& [place, r] : block.others)
                best_[place].next = std::max(best_[place].next, r);
            for (const auto& each : block.contenders)
                if (each.r >= top[each.place] - window)
                    kept.push_back(each);
                else
                    best_[each.place].next = std::max(best_[each.place].next, each.r);
        }
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
        workers_.parallel_for((places + together - 1) / together, [&](std::size_t task) {
            for (std::size_t i = task * together; i < std::min((task + 1) * together, places); ++i)
                settle_place(columns,
                             std::span(contenders).subspan(starts[i], starts[i + 1] - starts[i]));
        });
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
        workers_.parallel_for((features.size() + together - 1) / together, [&](std::size_t task) {
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
        const auto y = normalised(entries(problem_.targets, target, fold.train));
        auto& best = best_[place];
        Index chosen = -1;
        for (const auto& each : contenders) {
            const auto found =
                std::lower_bound(columns.features.begin(), columns.features.end(), each.feature);
            const Index column = found - columns.features.begin();
            const auto x = normalised(entries(columns.values, column, fold.train));
            const double r = std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
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
    TrainTargets targets_;
    std::vector<Best> best_;  // by place
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
