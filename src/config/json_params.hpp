#pragma once
/// @file
/// Parameters as a JSON object, each member read by a function of its own. All throw
/// `core::InputError` that says what is wrong; where the parameters stand the caller adds.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace ventral::config {

using MemberReaders = std::map<std::string, std::function<void(const nlohmann::json&)>>;

/// An empty text is an empty object.
nlohmann::json parse_params(const std::string& text);

/// Hands each member to its reader; a member without one is an error. `name` is what the object is
/// called.
void read_members(const nlohmann::json& object, const std::string& name,
                  const MemberReaders& readers);

/// Throws "'key' must be `what`".
[[noreturn]] void refuse_param(const std::string& key, const std::string& what);

std::int64_t whole_number(const std::string& key, const nlohmann::json& value, std::int64_t least,
                          std::int64_t most);
double positive_number(const std::string& key, const nlohmann::json& value);
bool flag(const std::string& key, const nlohmann::json& value);
std::string text(const std::string& key, const nlohmann::json& value);

}  // namespace ventral::config
