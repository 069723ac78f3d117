#pragma once
/// @file
/// The network that a model record names, from its file or built in.

#include "models/model_record.hpp"
#include "models/network/network.hpp"

namespace ventral::models {

/// Of a record without stored features, on the device that it means for the rank of this number on
/// its node, the first of which tells what is odd about it. Throws `core::InputError` as
/// `Network::load` and `device_kind` do, and for a built-in network that does not fit the record's
/// preprocessing.
Network load_network(const ModelRecord& model, int local_rank = 0);

}  // namespace ventral::models
