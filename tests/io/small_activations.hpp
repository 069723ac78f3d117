#pragma once
/// @file
/// Files of activations whose values follow from row, layer and place.

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "comm/communicator.hpp"
#include "core/assembly.hpp"
#include "io/activations/activations_file.hpp"
#include "io/activations/activations_writer.hpp"

namespace ventral::test {

inline constexpr std::size_t batch = 3;

inline io::ActivationsHeader header_of(std::size_t rows) {
    io::ActivationsHeader header;
    header.key = "0123abc";
    header.provenance = {{"commit", "deadbeef"}};
    header.layers = {{"features.5", {2, 3, 4}}, {"logits", {5000}}, {"block 1", {2, 3}}};
    header.batch_size = batch;
    header.stimuli.identifier = "set";
    core::Column names{"object name", std::vector<std::string>{}};
    core::Column angles{"x", std::vector<double>{}};
    for (std::size_t row = 0; row < rows; ++row) {
        header.stimuli.stimulus_ids.push_back("s" + std::to_string(row));
        std::get<std::vector<std::string>>(names.values).push_back(row % 2 ? "dög" : "");
        std::get<std::vector<double>>(angles.values).push_back(0.5 * static_cast<double>(row));
    }
    header.stimuli.columns = {names, angles};
    return header;
}

inline float activation(std::size_t layer, std::size_t row, std::size_t feature) {
    return static_cast<float>(layer * 1000000 + row * 10000 + feature);
}

inline std::vector<float> batch_rows(const io::ActivationsHeader& header, std::size_t layer,
                                     std::size_t first) {
    std::vector<float> values;
    const auto end = std::min(first + batch, header.stimuli.stimulus_ids.size());
    for (auto row = first; row < end; ++row) {
        for (std::size_t i = 0; i < io::feature_count(header.layers[layer]); ++i) {
            values.push_back(activation(layer, row, i));
        }
    }
    return values;
}

/// Every rank writes every size-th batch; ranks without a batch in a round give no rows.
inline void write_all_rows(io::ActivationsWriter& writer, const comm::Communicator& comm,
                           const io::ActivationsHeader& header) {
    const auto rows = header.stimuli.stimulus_ids.size();
    const auto ranks = static_cast<std::size_t>(comm.size());
    for (std::size_t start = 0; start < rows; start += ranks * batch) {
        const auto first = start + static_cast<std::size_t>(comm.rank()) * batch;
        for (std::size_t layer = 0; layer < header.layers.size(); ++layer) {
            const auto values = batch_rows(header, layer, first);
            writer.write_rows(layer, first < rows ? first : 0, values);
        }
    }
}

}  // namespace ventral::test
