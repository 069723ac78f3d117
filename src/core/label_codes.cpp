#include "core/label_codes.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ventral::core {
namespace {

template <std::floating_point T>
LabelCodes codes_of(const std::vector<T>& labels) {
    auto distinct = labels;
    std::sort(distinct.begin(), distinct.end(), less_label<T>);
    const auto same = [](T left, T right) {
        return !less_label(left, right) && !less_label(right, left);
    };
    distinct.erase(std::unique(distinct.begin(), distinct.end(), same), distinct.end());
    LabelCodes result{std::vector<std::size_t>(labels.size()), distinct.size()};
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto place =
            std::lower_bound(distinct.begin(), distinct.end(), labels[i], less_label<T>);
        result.codes[i] = static_cast<std::size_t>(place - distinct.begin());
    }
    return result;
}

/// Many rows share few labels: hashing each row is cheaper than sorting all of them.
template <typename Key, typename T>
LabelCodes hashed_codes_of(const std::vector<T>& labels) {
    std::unordered_map<Key, std::size_t> code_of;
    for (const auto& label : labels) code_of.try_emplace(label, 0);
    std::vector<Key> distinct;
    distinct.reserve(code_of.size());
    for (const auto& entry : code_of) distinct.push_back(entry.first);
    std::sort(distinct.begin(), distinct.end());
    for (std::size_t i = 0; i < distinct.size(); ++i) code_of[distinct[i]] = i;

    LabelCodes result{std::vector<std::size_t>(labels.size()), distinct.size()};
    for (std::size_t i = 0; i < labels.size(); ++i) result.codes[i] = code_of.at(labels[i]);
    return result;
}

LabelCodes codes_of(const std::vector<std::int64_t>& labels) {
    return hashed_codes_of<std::int64_t>(labels);
}

LabelCodes codes_of(const std::vector<std::string>& labels) {
    return hashed_codes_of<std::string_view>(labels);
}

}  // namespace

LabelCodes label_codes(const Values& labels) {
    return std::visit([](const auto& entries) { return codes_of(entries); }, labels);
}

}  // namespace ventral::core
