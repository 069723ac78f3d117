#pragma once
/// @file
/// Names of any characters as one text: "5:layer".

#include <string>
#include <vector>

namespace ventral::pipeline {

std::string name_list(const std::vector<std::string>& names);
std::vector<std::string> names_in(const std::string& list);

}  // namespace ventral::pipeline
