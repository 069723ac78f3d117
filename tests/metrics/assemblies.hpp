#pragma once
/// @file
/// Small assemblies for the tests of `metrics`.

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/assembly.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::test {

/// Presentations of the stimuli "s00", "s01", … (objects "car" and "face" in turn) × neuroids "n0",
/// "n1", …
inline core::Assembly assembly_of(const stats::Matrix& values) {
    core::Assembly assembly;
    assembly.dims = {{"presentation", static_cast<std::size_t>(values.rows())},
                     {"neuroid", static_cast<std::size_t>(values.cols())}};
    std::vector<double> entries;
    std::vector<std::string> stimuli;
    std::vector<std::string> objects;
    std::vector<std::string> neuroids;
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
        stimuli.push_back(std::string("s") + (i < 10 ? "0" : "") + std::to_string(i));
        objects.emplace_back(i % 2 == 0 ? "car" : "face");
        for (Eigen::Index j = 0; j < values.cols(); ++j) entries.push_back(values(i, j));
    }
    for (Eigen::Index j = 0; j < values.cols(); ++j) neuroids.push_back("n" + std::to_string(j));
    assembly.values = entries;
    assembly.coordinates = {{"stimulus_id", "presentation", stimuli},
                            {"object_name", "presentation", objects},
                            {"neuroid_id", "neuroid", neuroids}};
    return assembly;
}

/// Two presentations × two neuroids × three bins; the entry is 100 presentation + 10 neuroid + bin.
inline core::Assembly three_bins() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 2}, {"neuroid", 2}, {"time_bin", 3}};
    assembly.values = std::vector<double>{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};
    assembly.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"a", "b"}},
                            {"neuroid_id", "neuroid", std::vector<std::string>{"n1", "n0"}},
                            {"time_bin_start", "time_bin", std::vector<std::int64_t>{70, 90, 110}},
                            {"time_bin_end", "time_bin", std::vector<std::int64_t>{90, 110, 130}}};
    return assembly;
}

/// Replaces the labels of a coordinate that is there.
inline void relabel(core::Assembly& assembly, const std::string& name, const core::Values& labels) {
    for (auto& coordinate : assembly.coordinates)
        if (coordinate.name == name) coordinate.values = labels;
}

/// The rows of `first`, then those of `second`, of as many neuroids; coordinates are dropped.
inline core::Assembly one_below_the_other(const core::Assembly& first,
                                          const core::Assembly& second) {
    core::Assembly both = first;
    both.coordinates.clear();
    both.dims[0].size += second.dims[0].size;
    std::visit(
        [&](auto& values) {
            const auto& more = std::get<std::decay_t<decltype(values)>>(second.values);
            values.insert(values.end(), more.begin(), more.end());
        },
        both.values);
    return both;
}

inline std::vector<double> numbers(const core::Assembly& assembly) {
    return std::get<std::vector<double>>(assembly.values);
}

}  // namespace ventral::test
