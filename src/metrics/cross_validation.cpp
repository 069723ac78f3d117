#include "metrics/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "core/number_text.hpp"
#include "stats/folds/splits.hpp"

namespace ventral::metrics {
namespace {

/// What is split: one entry per value, `rows[i]` the row that stands for it.
struct SplitValues {
    std::vector<std::size_t> codes;  ///< of every row of the assembly
    std::vector<std::size_t> rows;
};

SplitValues split_values(const core::Assembly& assembly, const CrossValidationOptions& options) {
    const auto& labels = core::coordinate(assembly, options.split_coordinate);
    if (labels.dim != "presentation")
        throw core::InputError("cannot split by '" + labels.name +
                               "' (it is no coordinate of the presentations)");
    SplitValues values;
    const auto coded = core::label_codes(labels.values);
    values.codes = coded.codes;
    if (!options.unique_split_values) {
        for (std::size_t row = 0; row < values.codes.size(); ++row) values.rows.push_back(row);
        return values;
    }
    values.rows.assign(coded.distinct, values.codes.size());
    for (std::size_t row = values.codes.size(); row-- > 0;) values.rows[values.codes[row]] = row;
    return values;
}

const std::string no_strata =
    "set stratification = \"none\" (in --params: \"crossvalidation_kwargs\": "
    "{\"stratification_coord\": null})";

/// scikit-learn refuses labels that are no numbers, or infinite, too.
void check_are_there(const core::Values& strata, const std::string& name) {
    if (!core::are_fractions(strata)) return;
    const auto numbers = core::as_float64(strata);
    const auto missing = std::count_if(numbers.begin(), numbers.end(),
                                       [](double number) { return !std::isfinite(number); });
    if (missing > 0)
        throw core::InputError("cannot stratify by '" + name + "' (it is NaN or infinite for " +
                               std::to_string(missing) + " of " + std::to_string(numbers.size()) +
                               ") name another coordinate, or " + no_strata);
}

/// Numbers instead of labels: in sorted order of the labels, or by first appearance.
enum class Numbering { sorted, first_appearance };

std::vector<std::size_t> strata_of(const core::Assembly& assembly, const std::string& name,
                                   const std::vector<std::size_t>& rows, Numbering numbering) {
    const auto* labels = core::find_coordinate(assembly, name, "presentation");
    if (!labels)
        throw core::InputError(assembly.name + ": no coordinate '" + name +
                               "' along 'presentation' (its values are the strata of the splits) "
                               "name another one, or " +
                               no_strata);
    const auto values = core::take(labels->values, rows);
    check_are_there(values, name);
    auto strata = core::label_codes(values).codes;
    if (numbering == Numbering::sorted) return strata;
    std::map<std::size_t, std::size_t> number;
    for (auto& stratum : strata) stratum = number.emplace(stratum, number.size()).first->second;
    return strata;
}

/// scikit-learn's StratifiedKFold takes other numbers for continuous values, of which each would be
/// a class of its own.
void check_are_classes(const core::Assembly& assembly, const std::string& name) {
    const auto* labels = core::find_coordinate(assembly, name);
    if (!labels || !core::are_fractions(labels->values)) return;
    for (const double number : core::as_float64(labels->values))
        if (!std::isfinite(number) || number != std::trunc(number))
            throw core::InputError("kfold = true cannot stratify by '" + name + "', which has " +
                                   core::number_text(number) +
                                   " (classes are text or whole numbers) name another "
                                   "coordinate, or " +
                                   no_strata);
}

std::vector<stats::Split> draw(const core::Assembly& assembly,
                               const CrossValidationOptions& options,
                               const std::vector<std::size_t>& rows) {
    const auto& strata = options.stratification_coordinate;
    if (options.kfold) {
        if (has_size_beside_kfold(options)) throw core::InputError(no_size_beside_kfold);
        if (!strata) return stats::k_fold(rows.size(), options.splits, options.random_state);
        check_are_classes(assembly, *strata);
        return stats::stratified_k_fold(
            strata_of(assembly, *strata, rows, Numbering::first_appearance), options.splits,
            options.random_state);
    }
    stats::SplitSizes sizes{options.train_size, options.test_size};
    if (!sizes.train && !sizes.test) sizes.train = default_part;
    if (!strata)
        return stats::shuffle_split(rows.size(), options.splits, sizes, options.random_state);
    return stats::stratified_shuffle_split(strata_of(assembly, *strata, rows, Numbering::sorted),
                                           options.splits, sizes, options.random_state);
}

std::vector<Eigen::Index> rows_of_values(const std::vector<std::size_t>& drawn,
                                         const SplitValues& values) {
    std::vector<char> is_drawn(values.codes.size());  // of each code
    for (const auto value : drawn) is_drawn[values.codes[values.rows[value]]] = 1;
    std::vector<Eigen::Index> rows;
    for (std::size_t row = 0; row < values.codes.size(); ++row)
        if (is_drawn[values.codes[row]]) rows.push_back(static_cast<Eigen::Index>(row));
    return rows;
}

void check_same_labels(const std::string& name, std::vector<std::string> ours,
                       std::vector<std::string> theirs) {
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    if (ours == theirs) return;
    const auto [one, other] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    const std::string first = one == ours.end() ? "nothing" : "'" + *one + "'";
    const std::string second = other == theirs.end() ? "nothing" : "'" + *other + "'";
    throw core::InputError("the model's features and the recordings have other labels '" + name +
                           "' (sorted, " + first + " stands against " + second +
                           "; the reference refuses them too) label both by the same stimuli");
}

}  // namespace

CrossValidationOptions of_compared_parts(CrossValidationOptions options) {
    if (!options.train_size && !options.test_size) options.test_size = default_part;
    return options;
}

bool has_size_beside_kfold(const CrossValidationOptions& options) {
    return options.kfold &&
           (options.test_size || options.train_size.value_or(default_part) != default_part);
}

SplitLabels split_labels(const core::Assembly& assembly, const CrossValidationOptions& options) {
    SplitLabels labels;
    const auto add = [&](const std::string& name) {
        if (!core::find_coordinate(assembly, name, "presentation")) return;
        auto& texts = labels[name] = core::texts(assembly, name);
        for (auto& text : texts) {  // netCDF has booleans as numbers
            if (text == "True") text = "1";
            if (text == "False") text = "0";
        }
    };
    if (options.split_coordinate != "stimulus_id") add(options.split_coordinate);
    if (options.stratification_coordinate) add(*options.stratification_coordinate);
    return labels;
}

void check_split_labels(const SplitLabels& source, const SplitLabels& target) {
    for (const auto& [name, labels] : source) {
        const auto other = target.find(name);
        if (other != target.end()) check_same_labels(name, labels, other->second);
    }
}

void check_split_labels(const core::Assembly& source, const core::Assembly& target,
                        const CrossValidationOptions& options) {
    check_split_labels(split_labels(source, options), split_labels(target, options));
}

std::vector<stats::FoldRows> cross_validation_splits(const core::Assembly& assembly,
                                                     const CrossValidationOptions& options) {
    if (options.splits == 0) throw core::InputError("cross-validation needs at least one split");
    const auto values = split_values(assembly, options);
    std::vector<stats::FoldRows> folds;
    for (const auto& split : draw(assembly, options, values.rows))
        folds.push_back({rows_of_values(split.train, values), rows_of_values(split.test, values)});
    for (const auto& fold : folds)
        if (fold.test.size() < 2)
            throw core::InputError(
                std::to_string(values.codes.size()) +
                " presentations leave fewer than two to test on (a correlation needs two) use "
                "fewer splits, a larger test_size, or more stimuli");
    return folds;
}

}  // namespace ventral::metrics
