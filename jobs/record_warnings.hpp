#pragma once
/// @file
/// What a model's record may say and mostly says by mistake.

#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "models/model_record.hpp"

namespace ventral::jobs {

/// A crop that is larger than the resized image, a mean or standard deviation that is not of pixels
/// from 0 to 1: "ORIGIN: …" each.
std::vector<std::string> preprocessing_warnings(const models::ModelRecord& model);
/// Logs them, of all models of the run.
void warn_of_preprocessing(const config::RunRecord& run);

/// The same after what is left out of the run, and then which models commit layers to a region of
/// the run's benchmarks that are not among those which the run scores, so that the model has no
/// place in the leaderboard.
void warn_of_records(const config::RunRecord& run);

/// One for each region, and for the readout layer, that names a layer which the network does not
/// have, and one if forward fails behind the layers that are wanted. Loads the network; one that
/// cannot be loaded, or stored features, give none.
std::vector<std::string> layer_warnings(const models::ModelRecord& model);

}  // namespace ventral::jobs
