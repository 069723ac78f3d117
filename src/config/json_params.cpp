#include "config/json_params.hpp"

#include <vector>

#include "config/unknown_name.hpp"
#include "core/errors.hpp"
#include "io/text/json_problem.hpp"

namespace ventral::config {

using Json = nlohmann::json;

Json parse_params(const std::string& text) {
    try {
        return Json::parse(text.empty() ? "{}" : text);
    } catch (const Json::exception& error) {
        throw core::InputError("not JSON (" + io::json_problem(error, text) + ")");
    }
}

void read_members(const Json& object, const std::string& name, const MemberReaders& readers) {
    if (!object.is_object()) refuse_param(name, "an object");
    for (const auto& [key, value] : object.items()) {
        const auto reader = readers.find(key);
        if (reader == readers.end()) {
            std::vector<std::string> known;
            for (const auto& [each, ignored] : readers) known.push_back(each);
            throw core::InputError(unknown_name("key", key, known) + " in " + name);
        }
        reader->second(value);
    }
}

void refuse_param(const std::string& key, const std::string& what) {
    throw core::InputError("'" + key + "' must be " + what);
}

std::int64_t whole_number(const std::string& key, const Json& value, std::int64_t least,
                          std::int64_t most) {
    // A number beyond the signed ones reads as a negative one.
    const bool fits = value.is_number_integer() && value.get<std::int64_t>() >= least &&
                      value.get<std::int64_t>() <= most;
    if (!fits)
        refuse_param(key, "a whole number of at least " + std::to_string(least) + " and at most " +
                              std::to_string(most));
    return value.get<std::int64_t>();
}

double positive_number(const std::string& key, const Json& value) {
    if (!value.is_number() || !(value.get<double>() > 0)) refuse_param(key, "a number above 0");
    return value.get<double>();
}

bool flag(const std::string& key, const Json& value) {
    if (!value.is_boolean()) refuse_param(key, "true or false");
    return value.get<bool>();
}

std::string text(const std::string& key, const Json& value) {
    if (!value.is_string()) refuse_param(key, "a text");
    return value.get<std::string>();
}

}  // namespace ventral::config
