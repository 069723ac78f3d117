#include "core/select.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace ventral::core {
namespace {

std::string condition_text(const Condition& condition) {
    auto text = "'" + condition.coordinate + "'";
    if (!condition.values.empty()) text += " one of " + joined(condition.values);
    if (condition.minimum) text += " at least " + number_text(*condition.minimum);
    if (condition.maximum) text += " at most " + number_text(*condition.maximum);
    return text;
}

/// Which labels a condition may be about, for the message that none fits.
std::string labels_there(const Coordinate& coordinate) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < value_count(coordinate.values); ++i)
        labels.push_back(text(coordinate.values, i));
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    constexpr std::size_t shown = 10;
    if (labels.size() > shown) {
        labels.resize(shown);
        labels.emplace_back("…");
    }
    return joined(labels);
}

std::vector<bool> matches_values(const Coordinate& coordinate,
                                 const std::vector<std::string>& values) {
    std::vector<bool> fits(value_count(coordinate.values));
    for (std::size_t i = 0; i < fits.size(); ++i) {
        const auto label = text(coordinate.values, i);
        fits[i] = std::find(values.begin(), values.end(), label) != values.end();
    }
    return fits;
}

/// NaN lies in no range.
std::vector<bool> matches_range(const Coordinate& coordinate, const Condition& condition) {
    const auto labels = as_float64(coordinate.values);
    std::vector<bool> fits(labels.size());
    for (std::size_t i = 0; i < fits.size(); ++i) {
        fits[i] = labels[i] == labels[i] && !(labels[i] < condition.minimum.value_or(labels[i])) &&
                  !(labels[i] > condition.maximum.value_or(labels[i]));
    }
    return fits;
}

std::vector<std::size_t> matching_positions(const Assembly& assembly, const Condition& condition) {
    const auto& labels = coordinate(assembly, condition.coordinate);
    std::vector<bool> fits(value_count(labels.values), true);
    const auto restrict_to = [&](const std::vector<bool>& others) {
        for (std::size_t i = 0; i < fits.size(); ++i) fits[i] = fits[i] && others[i];
    };
    if (!condition.values.empty()) restrict_to(matches_values(labels, condition.values));
    if (condition.minimum || condition.maximum) {
        if (type_name(labels.values) == "string") {
            throw InputError(assembly.name + ": coordinate '" + labels.name +
                             "' cannot be compared with a range (its labels are text) list the "
                             "labels that are wanted");
        }
        restrict_to(matches_range(labels, condition));
    }
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < fits.size(); ++i) {
        if (fits[i]) positions.push_back(i);
    }
    return positions;
}

}  // namespace

Positions matching(const Assembly& assembly, const std::vector<Condition>& conditions) {
    Positions kept;
    Assembly left{assembly.name, assembly.dims, {}, {}, {}};
    for (const auto& condition : conditions) {
        const auto& all = coordinate(assembly, condition.coordinate);
        const auto before = kept.find(all.dim);
        left.coordinates = {{all.name, all.dim,
                             before == kept.end() ? all.values : take(all.values, before->second)}};
        auto positions = matching_positions(left, condition);
        const auto& labels = left.coordinates[0];
        if (positions.empty()) {
            throw InputError(assembly.name + ": nothing is left of dimension '" + labels.dim +
                             "' (no entry has " + condition_text(condition) +
                             ") its labels are: " + labels_there(labels));
        }
        if (positions.size() == value_count(labels.values)) continue;
        if (before != kept.end())
            for (auto& position : positions) position = before->second[position];
        kept[all.dim] = std::move(positions);
    }
    return kept;
}

std::vector<std::string> values_without_entries(const Assembly& assembly,
                                                const std::vector<Condition>& conditions) {
    std::vector<std::string> absent;
    for (const auto& condition : conditions) {
        if (condition.values.size() < 2) continue;
        const auto labels = texts(assembly, condition.coordinate);
        for (const auto& value : condition.values)
            if (std::find(labels.begin(), labels.end(), value) == labels.end())
                absent.push_back("'" + condition.coordinate + "' " + value);
    }
    return absent;
}

Assembly take(Assembly assembly, const Positions& positions) {
    for (const auto& [dim, wanted] : positions) assembly = take(assembly, dim, wanted);
    return assembly;
}

Assembly select(Assembly assembly, const std::vector<Condition>& conditions) {
    const auto positions = matching(assembly, conditions);
    return take(std::move(assembly), positions);
}

}  // namespace ventral::core
