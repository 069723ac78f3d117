#include "config/table.hpp"

#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/errors.hpp"
#include "core/known_names.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace ventral::config {
namespace {

/// What was not read from a text has no lines.
std::string place_of(const std::string& file, const toml::source_region& source) {
    if (source.begin.line == 0) return file;
    return file + ":" + std::to_string(source.begin.line) + ":" +
           std::to_string(source.begin.column);
}

std::string type_of(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "an integer";
        case toml::node_type::floating_point:
            return "a number";
        case toml::node_type::boolean:
            return "true or false";
        case toml::node_type::array:
            return "a list";
        case toml::node_type::table:
            return "a table";
        default:
            return "a date or time";
    }
}

std::string allowed_range(std::int64_t minimum, std::int64_t maximum) {
    if (maximum == std::numeric_limits<std::int64_t>::max())
        return "at least " + std::to_string(minimum);
    return "from " + std::to_string(minimum) + " to " + std::to_string(maximum);
}

}  // namespace

toml::table parse_toml(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    // Reading into the stream fails for a folder, which opens like a file, and for an empty file.
    const bool has_text = file && file.peek() != std::ifstream::traits_type::eof();
    if (has_text) text << file.rdbuf();
    if (!file.is_open() && errno == ENOENT) throw core::InputError(path + ": no such file");
    if (errno == EISDIR) throw core::InputError(path + ": is a folder, give a TOML file");
    if (!file.is_open() || file.bad() || (has_text && !text))
        core::throw_system_error(path + ": cannot be read", errno);
    if (text.view().starts_with("PK\x03\x04"))
        throw core::InputError(path + ": is a ZIP file (a network?), name its record (TOML)");
    try {
        return toml::parse(text.str(), path);
    } catch (const toml::parse_error& error) {
        throw core::InputError(place_of(path, error.source()) +
                               ": not TOML: " + std::string(error.description()));
    }
}

Value::Value(std::string file, std::string name, const toml::node& node, std::string path)
    : file_(std::move(file)), name_(std::move(name)), node_(&node), path_(std::move(path)) {}

std::string Value::text() const {
    const auto* value = node_->as_string();
    if (!value) fail_type("a string");
    if (value->get().empty()) fail(name_ + " may not be empty");
    return value->get();
}

std::string Value::choice(const std::vector<std::string>& choices) const {
    const auto chosen = text();
    for (const auto& each : choices)
        if (each == chosen) return chosen;
    fail(name_ + " may not be '" + chosen + "'" + core::near_names(chosen, choices) +
         " (allowed: " + core::joined(choices) + ")");
}

std::int64_t Value::integer(std::int64_t minimum, std::int64_t maximum) const {
    const auto* value = node_->as_integer();
    if (!value) fail_type("an integer");
    if (value->get() < minimum || value->get() > maximum)
        fail(name_ + " must be " + allowed_range(minimum, maximum) + ", not " +
             std::to_string(value->get()));
    return value->get();
}

double Value::number() const {
    if (!node_->is_number()) fail_type("a number");
    if (const auto* whole = node_->as_integer()) return static_cast<double>(whole->get());
    const auto value = node_->value<double>();
    if (!value || !std::isfinite(*value)) fail(name_ + " must be a finite number");
    return *value;
}

double Value::positive_number() const {
    const auto value = number();
    if (value <= 0) fail(name_ + " must be above 0, not " + core::number_text(value));
    return value;
}

double Value::part() const {
    const auto value = number();
    const bool is_count = is_integer() && value >= 1;
    if (!is_count && (value <= 0 || value >= 1))
        fail(name_ + " must be above 0 and below 1, or a whole number of at least 1, not " +
             (is_integer() || value < 1 ? "" : "the fraction ") + core::number_text(value));
    return value;
}

bool Value::flag() const {
    const auto* value = node_->as_boolean();
    if (!value) fail_type("true or false");
    return value->get();
}

std::vector<Value> Value::list() const {
    const auto* array = node_->as_array();
    if (!array) fail_type("a list");
    if (array->empty()) fail(name_ + " may not be empty");
    std::vector<Value> entries;
    for (const auto& entry : *array)
        entries.emplace_back(file_, "entry " + std::to_string(entries.size() + 1) + " of " + name_,
                             entry, path_);
    return entries;
}

std::vector<std::string> Value::texts() const {
    std::vector<std::string> all;
    std::set<std::string> seen;
    for (const auto& entry : list()) {
        all.push_back(entry.text());
        if (!seen.insert(all.back()).second) entry.fail("'" + all.back() + "' is listed twice");
    }
    return all;
}

Table Value::table() const {
    const auto* table = node_->as_table();
    if (!table) fail_type("a table");
    return {file_, *table, path_};
}

std::vector<Value> Value::list_or_one() const {
    return is_list() ? list() : std::vector<Value>{*this};
}

std::string Value::place() const { return place_of(file_, node_->source()); }

void Value::fail(const std::string& problem) const {
    throw core::InputError(place() + ": " + problem);
}

void Value::fail_type(const std::string& wanted) const {
    fail(name_ + " must be " + wanted + ", not " + type_of(*node_));
}

Table::Table(std::string file, const toml::table& table, std::string path)
    : file_(std::move(file)), table_(&table), path_(std::move(path)) {}

Table::Table(std::map<std::string, std::string> origins, const toml::table& table)
    : origins_(std::move(origins)), table_(&table) {}

const std::string& Table::origin_of(const std::string& key) const {
    const auto origin = origins_.find(key);
    return origin == origins_.end() ? file_ : origin->second;
}

Value Table::value_of(const std::string& key, const toml::node& node) const {
    return {origin_of(key), "'" + key + "'", node, path_.empty() ? key : path_ + "." + key};
}

std::string Table::in_table() const { return path_.empty() ? "" : " in [" + path_ + "]"; }

Value Table::need(const std::string& key) {
    if (const auto value = find(key)) return *value;
    std::string present;
    for (const auto& entry : *table_) core::add_part(present, entry.first.str());
    fail_missing({key}, " (there are: " + (present.empty() ? "none" : present) + ")");
}

void Table::fail_missing(const std::vector<std::string>& keys, const std::string& hint) const {
    for (const auto& [present, node] : *table_) {
        const std::string name(present.str());
        const auto meant = core::near_names(name, keys);
        if (known_.count(name) == 0 && !meant.empty())
            throw core::InputError(place_of(origin_of(name), present.source()) + ": unknown key '" +
                                   name + "'" + in_table() + meant);
    }
    fail("key '" + keys.at(0) + "' is missing" + in_table() + hint);
}

std::optional<Value> Table::find(const std::string& key) {
    known_.insert(key);
    const auto* node = table_->get(key);
    if (!node) return std::nullopt;
    return value_of(key, *node);
}

std::vector<std::pair<std::string, Value>> Table::entries() {
    std::vector<std::pair<std::string, Value>> all;
    for (const auto& [key, node] : *table_) {
        const std::string name(key.str());
        known_.insert(name);
        all.emplace_back(name, value_of(name, node));
    }
    return all;
}

void Table::finish() const {
    for (const auto& [key, node] : *table_) {
        const std::string name(key.str());
        if (known_.count(name) == 0)
            throw core::InputError(place_of(origin_of(name), key.source()) + ": unknown key '" +
                                   name + "'" + in_table() +
                                   core::known_names(name, {known_.begin(), known_.end()}));
    }
}

std::string Table::place() const { return place_of(file_, table_->source()); }

void Table::fail(const std::string& problem) const {
    throw core::InputError(place() + ": " + problem);
}

}  // namespace ventral::config
