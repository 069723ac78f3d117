#pragma once
/// @file
/// Reads benchmarks/*.toml: a benchmark, or a family of them where dataset, region, metric, ceiling
/// or normalisation is a list; lists multiply.

#include <string>
#include <vector>

#include "benchmarks/benchmark_record.hpp"

namespace ventral::config {

/// A member of a family, and where its identifier and the name of its dataset stand.
struct BenchmarkEntry {
    benchmarks::BenchmarkRecord record;
    std::string place;
    std::string dataset_place;
};

/// Identifiers, parents and labels in `select` are templates with the placeholders {dataset},
/// {region}, {metric}, {ceiling} and {normalisation}. Throws `InputError` with file:line:column,
/// also if two members have one identifier.
std::vector<BenchmarkEntry> read_benchmark_file(const std::string& path);

}  // namespace ventral::config
