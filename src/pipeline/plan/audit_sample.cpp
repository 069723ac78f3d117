#include "pipeline/plan/audit_sample.hpp"

#include <utility>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/number_text.hpp"

namespace ventral::pipeline {
namespace {

/// From 0 to below 1, as if drawn.
double draw(const std::string& key, const std::string& occasion) {
    constexpr int digits = 13;  // 52 bits
    const auto hash = core::KeyBuilder().add("audit", occasion).add("score", key).key();
    return static_cast<double>(std::stoull(hash.substr(0, digits), nullptr, 16)) /
           static_cast<double>(1ULL << (4 * digits));
}

}  // namespace

double parse_share(const std::string& text) {
    const bool percent = !text.empty() && text.back() == '%';
    const auto number = core::parse_number(percent ? text.substr(0, text.size() - 1) : text);
    const double share = number.value_or(0) / (percent ? 100 : 1);
    if (!(share > 0 && share <= 1))
        throw core::InputError("'" + text +
                               "' is not a share of the scores (give for example 0.5%)");
    return share;
}

std::set<std::string> audit_sample(const std::vector<std::string>& keys, double share,
                                   const std::string& occasion, AtLeast at_least) {
    std::set<std::string> sample;
    std::pair<double, std::string> least = {2, ""};
    for (const auto& key : keys) {
        const double drawn = draw(key, occasion);
        if (drawn < share) sample.insert(key);
        least = std::min(least, {drawn, key});
    }
    if (sample.empty() && !keys.empty() && at_least == AtLeast::one) sample.insert(least.second);
    return sample;
}

}  // namespace ventral::pipeline
