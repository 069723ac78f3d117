#include "benchmarks/expectations.hpp"

#include <cmath>

namespace ventral::benchmarks {
namespace {

using Records = std::vector<const core::ScoreRecord*>;

std::string why_missing(const core::ScoreRecord& record) {
    return record.failure ? "failed: " + record.failure->reason : "is not scored";
}

void take_score(CheckedExpectation& checked, const core::ScoreRecord& record) {
    checked.model = record.model;
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
        if (!unchecked.model.empty() && unchecked.model != record->model) continue;
        if (record->committed) take_score(all.emplace_back(unchecked), *record);
        has_others = true;
    }
    if (all.size() > before) return;
    all.push_back(unchecked);
    all.back().is_planned = false;
    all.back().missing =
        has_others ? "not in this run (which scores no committed layer)" : "not in this run";
}

CheckedExpectation unchecked_of(const BenchmarkRecord& benchmark, const Expectation& expectation) {
    CheckedExpectation checked;
    checked.benchmark = benchmark.identifier;
    checked.quantity = expectation.quantity;
    checked.model = expectation.model;
    checked.expected = expectation.value;
    checked.tolerance = expectation.tolerance;
    return checked;
}

}  // namespace

bool CheckedExpectation::holds() const { return found && std::abs(*found - expected) <= tolerance; }

std::vector<CheckedExpectation> check_expectations(const BenchmarkRecord& benchmark,
                                                   const std::vector<core::ScoreRecord>& records) {
    Records own;
    for (const auto& record : records)
        if (record.benchmark == benchmark.identifier) own.push_back(&record);
    std::vector<CheckedExpectation> all;
    for (const auto& expectation : benchmark.expected) {
        const auto unchecked = unchecked_of(benchmark, expectation);
        if (expectation.quantity == "ceiling")
            take_ceiling(all.emplace_back(unchecked), own);
        else
            take_scores(all, unchecked, own);
    }
    return all;
}

}  // namespace ventral::benchmarks
