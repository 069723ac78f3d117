#include "models/readouts/label_readout.hpp"

#include <cstdint>
#include <numeric>

#include "core/errors.hpp"
#include "models/readouts/imagenet_classes.hpp"
#include "models/readouts/readout_features.hpp"
#include "stats/linear_algebra/pairwise_sum.hpp"
#include "stats/logistic/float_exp.hpp"

namespace ventral::models {
namespace {

core::Assembly imagenet_logits(const core::Assembly& logits) {
    auto table = readout_features(logits);
    if (table.dims[1].size != imagenet_classes)
        throw core::InputError(
            logits.name + ": has " + std::to_string(table.dims[1].size) +
            " neuroids (the logits of the 1,000 classes of ImageNet are needed)");
    return table;
}

/// Images × labels.
template <typename Real>
struct LabelMeans {
    /// Added up in the order of the classes, as NumPy adds the columns `p[:, classes]`, which lie
    /// one behind the other.
    stats::RowTable<Real> in_turn;
    /// Added up as NumPy does rows that lie as wholes, which `np.take(p, classes, axis=-1)` gives:
    /// by these the reference chooses, so that their last bits decide between equal labels.
    stats::RowTable<Real> by_pairs;
};

template <typename Real>
LabelMeans<Real> label_means(const core::Assembly& logits, const std::vector<std::string>& labels) {
    auto table = feature_table<Real>(logits);
    const auto columns = static_cast<Eigen::Index>(labels.size());
    LabelMeans<Real> means{{table.rows(), columns}, {table.rows(), columns}};
    for (Eigen::Index i = 0; i < table.rows(); ++i) {
        for (auto& logit : table.row(i)) logit = stats::exponential(logit);
        table.row(i) /= stats::pairwise_sum(stats::row_entries(table, i));
        for (Eigen::Index k = 0; k < columns; ++k) {
            std::vector<Real> of_label;
            for (const auto index : imagenet_indices(labels[static_cast<std::size_t>(k)]))
                of_label.push_back(table(i, static_cast<Eigen::Index>(index)));
            const auto count = static_cast<Real>(of_label.size());
            means.in_turn(i, k) =
                std::accumulate(of_label.begin(), of_label.end(), Real{0}) / count;
            means.by_pairs(i, k) = stats::pairwise_sum(std::span<const Real>(of_label)) / count;
        }
    }
    return means;
}

template <typename Real>
LabelChoices choose(const core::Assembly& logits, const std::vector<std::string>& labels) {
    const auto means = label_means<Real>(logits, labels);
    std::vector<std::string> choices;
    for (Eigen::Index i = 0; i < means.by_pairs.rows(); ++i)
        choices.push_back(labels[first_largest(stats::row_entries(means.by_pairs, i))]);
    auto coordinates = presentation_coordinates(logits);
    LabelChoices result;
    result.mean_probabilities.dims = {logits.dims[0], {"choice", labels.size()}};
    result.mean_probabilities.values = values_of(means.in_turn);
    result.mean_probabilities.coordinates = coordinates;
    result.mean_probabilities.coordinates.push_back({"choice", "choice", labels});
    put_coordinate(coordinates, {"label", "presentation", choices});
    result.choices = choices_of(choices, coordinates);
    return result;
}

template <typename Real>
std::vector<std::int64_t> largest_logits(const core::Assembly& logits) {
    const auto table = feature_table<Real>(logits);
    std::vector<std::int64_t> classes;
    for (Eigen::Index i = 0; i < table.rows(); ++i)
        classes.push_back(static_cast<std::int64_t>(first_largest(stats::row_entries(table, i))));
    return classes;
}

bool is_float32(const core::Assembly& assembly) {
    return std::holds_alternative<std::vector<float>>(assembly.values);
}

}  // namespace

LabelChoices choose_labels(const core::Assembly& logits, const std::vector<std::string>& labels) {
    if (labels.empty()) throw core::InputError("choice_labels: is empty, name at least one label");
    for (const auto& label : labels) imagenet_indices(label);
    const auto table = imagenet_logits(logits);
    return is_float32(table) ? choose<float>(table, labels) : choose<double>(table, labels);
}

core::Assembly choose_imagenet_synsets(const core::Assembly& logits) {
    const auto table = imagenet_logits(logits);
    const auto classes =
        is_float32(table) ? largest_logits<float>(table) : largest_logits<double>(table);
    std::vector<std::string> synsets;
    for (const auto index : classes)
        synsets.push_back(imagenet_synset(static_cast<std::size_t>(index)));
    auto coordinates = presentation_coordinates(table);
    put_coordinate(coordinates, {"label", "presentation", synsets});
    put_coordinate(coordinates, {"synset", "presentation", synsets});
    put_coordinate(coordinates, {"logit", "presentation", classes});
    return choices_of(synsets, coordinates);
}

}  // namespace ventral::models
