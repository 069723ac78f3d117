#include "models/readouts/odd_one_out.hpp"

#include <cmath>
#include <map>
#include <set>

#include "core/errors.hpp"
#include "models/readouts/readout_features.hpp"
#include "stats/linear_algebra/pairwise_sum.hpp"

namespace ventral::models {
namespace {

/// The rows of the similarities of each stimulus of the triplets, in the order of their ids.
struct SimilarStimuli {
    std::map<std::string, Eigen::Index> rows;
    core::Assembly features;
};

SimilarStimuli stimuli_of(const core::Assembly& features, const std::vector<Triplet>& triplets) {
    std::map<std::string, std::size_t> first;
    const auto ids = core::texts(features, "stimulus_id");
    for (std::size_t i = 0; i < ids.size(); ++i) first.emplace(ids[i], i);
    std::set<std::string> wanted;
    for (const auto& triplet : triplets) wanted.insert(triplet.begin(), triplet.end());

    SimilarStimuli stimuli;
    std::vector<std::size_t> positions;
    for (const auto& id : wanted) {
        const auto found = first.find(id);
        if (found == first.end())
            throw core::InputError(features.name + ": has no features of stimulus '" + id +
                                   "', which a triplet names");
        stimuli.rows[id] = static_cast<Eigen::Index>(positions.size());
        positions.push_back(found->second);
    }
    stimuli.features = core::take(features, "presentation", positions);
    return stimuli;
}

template <typename Real>
stats::RowTable<Real> norms(const stats::RowTable<Real>& table) {
    const stats::RowTable<Real> squares = table.cwiseProduct(table);
    stats::RowTable<Real> result(table.rows(), 1);
    for (Eigen::Index i = 0; i < table.rows(); ++i)
        result(i, 0) = std::sqrt(stats::pairwise_sum(stats::row_entries(squares, i)));
    return result;
}

template <typename Real>
stats::RowTable<Real> similarities(const core::Assembly& features, Similarity similarity) {
    const auto table = feature_table<Real>(features);
    const auto products = stats::product_with_itself(table);
    if (similarity == Similarity::dot) return products;
    return products.cwiseQuotient(stats::product_with_itself(norms(table)));
}

/// Rows of the features.
template <typename Real>
std::vector<std::size_t> odd_ones(const SimilarStimuli& stimuli,
                                  const std::vector<Triplet>& triplets, Similarity similarity) {
    const auto table = similarities<Real>(stimuli.features, similarity);
    std::vector<std::size_t> choices;
    for (const auto& triplet : triplets) {
        const auto i = stimuli.rows.at(triplet[0]);
        const auto j = stimuli.rows.at(triplet[1]);
        const auto k = stimuli.rows.at(triplet[2]);
        const std::array<Real, 3> pairs = {table(i, j), table(i, k), table(j, k)};
        const auto& odd = triplet[2 - first_largest(std::span<const Real>(pairs))];
        choices.push_back(static_cast<std::size_t>(stimuli.rows.at(odd)));
    }
    return choices;
}

}  // namespace

core::Assembly choose_odd_ones(const core::Assembly& features, const std::vector<Triplet>& triplets,
                               Similarity similarity) {
    if (triplets.empty()) throw core::InputError("triplets: there are none");
    const auto stimuli = stimuli_of(readout_features(features), triplets);
    const auto choices = std::holds_alternative<std::vector<float>>(stimuli.features.values)
                             ? odd_ones<float>(stimuli, triplets, similarity)
                             : odd_ones<double>(stimuli, triplets, similarity);
    std::vector<std::string> names;
    for (const auto& [a, b, c] : triplets) names.push_back(a + "|" + b + "|" + c);
    const auto& ids = core::coordinate(stimuli.features, "stimulus_id");
    return choices_of(core::take(ids.values, choices),
                      {{"stimulus_id", "presentation", std::move(names)}});
}

}  // namespace ventral::models
