#pragma once
/// @file
/// What layers that answer in time give, as features in time bins.

#include <string>

#include "models/model_record.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::models {

/// The model's [time] must be there: `shape`, of one stimulus, without the axis of time; {1} if
/// there is no other. Throws `core::InputError` with the model's file and the layer if the shape
/// has no such axis, or one of another length than there are time bins.
LayerShape shape_in_time_bin(const LayerShape& shape, const ModelRecord& model,
                             const std::string& layer);

/// The features of every stimulus one time bin after the other, `shape` being that of one of them.
/// Throws the same.
LayerOutput time_first(const LayerOutput& output, const ModelRecord& model,
                       const std::string& layer);

}  // namespace ventral::models
