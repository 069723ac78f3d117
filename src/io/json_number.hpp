#pragma once
/// @file
/// Numbers in JSON, which has neither NaN (null here) nor infinities ("inf" and "-inf" here).

#include <nlohmann/json_fwd.hpp>

#include "core/assembly.hpp"

namespace ventral::io {

nlohmann::ordered_json json_number(double value);

/// A list of numbers or texts.
nlohmann::ordered_json json_values(const core::Values& values);

/// The number again. Throws `core::InputError` for another text, the JSON library's own error for
/// what is neither number nor text.
double number_from_json(const nlohmann::ordered_json& json);

}  // namespace ventral::io
