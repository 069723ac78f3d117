#pragma once
/// @file
/// The argument MODEL of the subcommands that are about one model.

#include <string>

#include "config/places.hpp"
#include "models/model_record.hpp"

namespace ventral::jobs {

/// The record in a TOML file (a path that ends so, or of any file that is there), or that of an
/// identifier among the models of the folder `configs`. Throws `core::InputError`, of an unknown
/// identifier with the known ones.
models::ModelRecord model_named(const std::string& model, const std::string& configs,
                                const config::ConfigPlaces& places);

}  // namespace ventral::jobs
