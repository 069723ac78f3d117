#include "benchmarks/expectations.hpp"

#include <cmath>

namespace ventral::benchmarks {
namespace {

using Records = std::vector<const core::ScoreRecord*>;

std::string why_missing(const core::ScoreRecord& record) {
    return record.failure ? "failed: " + record.failure->reason : "is not scored";
}

void take_score(CheckedExpectation& checked, const core::ScoreRecord& record) {
    checked.expectation.model = record.model;
    checked.found = record.value;
    if (!record.value) checked.missing = why_missing(record);
}

/// The ceiling is the same in all records of a benchmark.
void take_ceiling(CheckedExpectation& checked, const Records& records) {
    checked.missing = "no score with a ceiling";
    for (const auto* record : records) {
        if (record->failure) checked.missing = "no score has it (" + why_missing(*record) + ")";
        if (!record->ceiling) continue;
        checked.found = record->ceiling->value;
        checked.missing.clear();
        return;
    }
}

/// Every record of committed layers that the expectation is about.
void take_scores(std::vector<CheckedExpectation>& all, const CheckedExpectation& unchecked,
                 const Records& records) {
    const auto before = all.size();
    bool has_others = false;
    for (const auto* record : records) {
        const auto& model = unchecked.expectation.model;
        if (!model.empty() && model != record->model) continue;
        if (record->committed) take_score(all.emplace_back(unchecked), *record);
        has_others = true;
    }
    if (all.size() > before) return;
    all.push_back(unchecked);
    all.back().is_planned = false;
    all.back().missing =
        has_others ? "not in this run (which scores no committed layer)" : "not in this run";
}

}  // namespace

bool CheckedExpectation::holds() const {
    return found && std::abs(*found - expectation.value) <= expectation.tolerance;
}

std::vector<CheckedExpectation> check_expectations(const BenchmarkRecord& benchmark,
                                                   const std::vector<core::ScoreRecord>& records) {
    Records own;
    for (const auto& record : records)
        if (record.benchmark == benchmark.identifier) own.push_back(&record);
    std::vector<CheckedExpectation> all;
    for (const auto& expectation : benchmark.expected) {
        const CheckedExpectation unchecked{benchmark.identifier, expectation};
        if (expectation.quantity == Quantity::ceiling)
            take_ceiling(all.emplace_back(unchecked), own);
        else
            take_scores(all, unchecked, own);
    }
    return all;
}

}  // namespace ventral::benchmarks
