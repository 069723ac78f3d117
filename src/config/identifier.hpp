#pragma once
/// @file
/// Identifiers of models, benchmarks and datasets, and templates that make a family of them.

#include <map>
#include <string>

#include "config/table.hpp"

namespace ventral::config {

/// Throws `InputError` at `value` if `identifier` cannot be one: identifiers stand in lists on the
/// command line and in names of files, so they have no blanks, commas, slashes, quotes or braces,
/// and no dot first.
void check_identifier(const Value& value, const std::string& identifier);

std::string read_identifier(const Value& value);

/// What the names in braces of a template stand for.
using Placeholders = std::map<std::string, std::string>;

/// The text of `value` with each {name} replaced: "V4-{metric}" → "V4-pls". Throws `InputError` at
/// `value` for a name that is no placeholder.
std::string read_template(const Value& value, const Placeholders& placeholders);

}  // namespace ventral::config
