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

CheckedExpectation unchecked(const BenchmarkRecord& benchmark, const Expectation& expectation) {
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
        if (record.benchmark == benchmark.identifier && record.slice.empty())
            own.push_back(&record);
    std::vector<CheckedExpectation> all;
    for (const auto& expectation : benchmark.expected) {
        const auto checked = unchecked(benchmark, expectation);
        if (expectation.quantity == "ceiling") {
            take_ceiling(all.emplace_back(checked), own);
            continue;
        }
        for (const auto* record : own)
            if (record->committed &&
                (expectation.model.empty() || expectation.model == record->model))
                take_score(all.emplace_back(checked), *record);
    }
    return all;
}

}  // namespace ventral::benchmarks
