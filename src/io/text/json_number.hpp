#pragma once
/// @file
/// Numbers and labels in JSON, which has neither NaN (null here) nor infinities ("inf" and "-inf"
/// here).

#include <nlohmann/json_fwd.hpp>

#include "core/assembly.hpp"

namespace ventral::io {

nlohmann::ordered_json json_number(double value);

/// A list of numbers or texts.
nlohmann::ordered_json json_values(const core::Values& values);

/// `values` as `json["values"]`; with `json["dtype"]` where they could be taken for texts.
void put_labels(nlohmann::ordered_json& json, const core::Values& values);

/// These again: texts, int64 if all are integers, else float64. Throws like `number_from_json`.
core::Values labels_from_json(const nlohmann::ordered_json& json);

/// The number again. Throws `core::InputError` for another text, the JSON library's own error for
/// what is neither number nor text.
double number_from_json(const nlohmann::ordered_json& json);

}  // namespace ventral::io
