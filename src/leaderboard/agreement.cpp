#include "leaderboard/agreement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/number_text.hpp"
#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

struct Quantity {
    std::string name;
    std::optional<double> number;
};

std::vector<Quantity> quantities(const core::ScoreRecord& record) {
    std::optional<double> ceiling, ceiling_error;
    if (record.ceiling) {
        ceiling = record.ceiling->value;
        ceiling_error = record.ceiling->error;
    }
    std::vector<Quantity> all = {{"value", record.value},
                                 {"error", record.error},
                                 {"raw value", record.raw_value},
                                 {"ceiling", ceiling},
                                 {"ceiling's error", ceiling_error}};
    for (const auto& slice : record.slices) {
        all.push_back({"value of " + slice.name, slice.value});
        all.push_back({"error of " + slice.name, slice.error});
        all.push_back({"raw value of " + slice.name, slice.raw_value});
        all.push_back({"ceiling of " + slice.name, slice.ceiling});
        all.push_back({"ceiling's error of " + slice.name, slice.ceiling_error});
    }
    return all;
}

bool have_equal_bits(double left, double right) {
    return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
}

bool agree(std::optional<double> left, std::optional<double> right, double tolerance) {
    if (!left || !right) return left.has_value() == right.has_value();
    if (std::isnan(*left) || std::isnan(*right)) return std::isnan(*left) == std::isnan(*right);
    return have_equal_bits(*left, *right) || std::abs(*left - *right) <= tolerance;
}

/// Less than the distance of any two doubles that differ, and of 0 from −0.
constexpr double bits_only = -1;

/// "host NAME", with the segment of the journal that it is in.
std::string place_of(const core::ScoreRecord& record) {
    const auto host = core::provenance_of(record, "host");
    return "host " + (host.empty() ? "(unknown)" : host) +
           (record.raw ? " (" + record.raw->file + ")" : "");
}

/// The first quantity in which two records are further apart than `tolerance`, in words. One that
/// was read from a table of numbers alone (it says nothing of a fingerprint) is compared as far as
/// it goes.
std::optional<std::string> difference(const core::ScoreRecord& left, const core::ScoreRecord& right,
                                      double tolerance) {
    const auto said = [&](const std::string& name, const std::string& one,
                          const std::string& other) {
        return name + " is " + one + " on " + place_of(left) + " and " + other + " on " +
               place_of(right);
    };
    const auto text = [](const std::optional<double>& number) {
        return number ? core::number_text(*number) : "none";
    };
    const auto lefts = quantities(left);
    const auto rights = quantities(right);
    const bool are_whole = !core::provenance_of(left, "fingerprint").empty() &&
                           !core::provenance_of(right, "fingerprint").empty();
    if (are_whole && left.slices.size() != right.slices.size())
        return said("number of slices", std::to_string(left.slices.size()),
                    std::to_string(right.slices.size()));
    for (std::size_t i = 0; i < std::min(lefts.size(), rights.size()); ++i)
        if (!agree(lefts[i].number, rights[i].number, tolerance))
            return said(lefts[i].name, text(lefts[i].number), text(rights[i].number));
    return std::nullopt;
}

/// Records of scores of stored features name no device.
bool is_of_network(const core::ScoreRecord& record) {
    return !core::provenance_of(record, "device").empty();
}

/// Whether both have raw values and these differ in a bit.
bool have_other_raw_values(const core::ScoreRecord& left, const core::ScoreRecord& right) {
    return left.raw && right.raw &&
           (left.raw->count != right.raw->count || left.raw->crc != right.raw->crc);
}

}  // namespace

bool is_same_fingerprint(const core::ScoreRecord& left, const core::ScoreRecord& right) {
    return core::provenance_of(left, "fingerprint") == core::provenance_of(right, "fingerprint");
}

bool is_repetition(const core::ScoreRecord& left, const core::ScoreRecord& right) {
    return is_same_fingerprint(left, right) && !difference(left, right, bits_only) &&
           !have_other_raw_values(left, right);
}

std::optional<std::string> disagreement(const core::ScoreRecord& left,
                                        const core::ScoreRecord& right) {
    const bool same = is_same_fingerprint(left, right);
    const bool of_network = is_of_network(left) || is_of_network(right);
    const double tolerance = of_network ? network_agreement_tolerance : agreement_tolerance;
    const auto found = difference(left, right, same ? bits_only : tolerance);
    if (!found && same && have_other_raw_values(left, right))
        return score_name(left) + ": the raw values differ in some bit on " + place_of(left) +
               " and " + place_of(right) + " (equal fingerprints must give equal bits), key " +
               left.key;
    if (!found) return std::nullopt;
    return score_name(left) + ": " + *found +
           (same ? " (equal fingerprints must give equal bits)"
                 : std::string(" (different fingerprints must agree to ") +
                       (of_network ? "1e-5, the network's activations being float32)" : "1e-9)")) +
           ", key " + left.key;
}

}  // namespace ventral::leaderboard
