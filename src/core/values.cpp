#include <cassert>
#include <cmath>
#include <numeric>

#include "core/assembly.hpp"
#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "core/number_text.hpp"

namespace ventral::core {
namespace {

std::string label_text(const std::string& label) { return label; }
std::string label_text(std::int64_t label) { return std::to_string(label); }
/// A whole number as the integer that it is equal to.
template <typename Number>
std::string label_text(Number label) {
    constexpr Number exact = 9007199254740992;  // integers below it are exact in float64
    if (std::abs(label) < exact && label == std::trunc(label))
        return std::to_string(static_cast<std::int64_t>(label));
    return number_text(label);
}

/// One pass of a radix sort: stable, by one key.
std::vector<std::size_t> sorted_by(const LabelCodes& key, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> starts(key.distinct + 1, 0);
    for (const auto code : key.codes) ++starts[code + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> sorted(order.size());
    for (const auto position : order) sorted[starts[key.codes[position]]++] = position;
    return sorted;
}

}  // namespace

std::size_t value_count(const Values& values) {
    return std::visit([](const auto& entries) { return entries.size(); }, values);
}

bool are_fractions(const Values& values) {
    return std::holds_alternative<std::vector<float>>(values) ||
           std::holds_alternative<std::vector<double>>(values);
}

std::string type_name(const Values& values) {
    constexpr const char* names[] = {"float32", "float64", "int64", "string"};
    return names[values.index()];
}

Values take(const Values& values, const std::vector<std::size_t>& positions) {
    return std::visit(
        [&](const auto& entries) -> Values {
            std::decay_t<decltype(entries)> taken;
            taken.reserve(positions.size());
            for (const auto position : positions) taken.push_back(entries.at(position));
            return taken;
        },
        values);
}

bool less(const Values& values, std::size_t left, std::size_t right) {
    return std::visit(
        [&](const auto& entries) { return less_label(entries.at(left), entries.at(right)); },
        values);
}

bool equal(const Values& values, std::size_t left, std::size_t right) {
    return !less(values, left, right) && !less(values, right, left);
}

std::string text(const Values& values, std::size_t position) {
    return std::visit([&](const auto& entries) { return label_text(entries.at(position)); },
                      values);
}

std::vector<double> as_float64(const Values& values) {
    return std::visit(
        [](const auto& entries) -> std::vector<double> {
            using Entry = typename std::decay_t<decltype(entries)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>) {
                throw InputError(
                    "values: these are strings (numbers are needed here) name a numeric variable "
                    "or coordinate");
            } else {
                std::vector<double> numbers(entries.size());
                for (std::size_t i = 0; i < entries.size(); ++i)
                    numbers[i] = static_cast<double>(entries[i]);
                return numbers;
            }
        },
        values);
}

std::vector<std::size_t> sorted_positions(const std::vector<const Values*>& keys,
                                          std::size_t size) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = keys.size(); k > 0; --k) {  // the last key decides least
        const auto& labels = *keys[k - 1];
        assert(value_count(labels) == size);
        order = sorted_by(label_codes(labels), order);
    }
    return order;
}

}  // namespace ventral::core
