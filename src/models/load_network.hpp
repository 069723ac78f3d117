#pragma once
/// @file
/// The network that a model record names, from its file or built in.

#include "models/model_record.hpp"
#include "models/network.hpp"

namespace ventral::models {

/// Of a record without stored features. Throws `core::InputError` as `Network::load` does, and for
/// a built-in network that does not fit the record's preprocessing.
Network load_network(const ModelRecord& model);

}  // namespace ventral::models
