#pragma once
/// @file
/// Reads TOML strictly: every key is either asked for or an error, and every error begins with
/// file:line:column, or with the name alone of what was not read from a text. The only header that
/// knows the TOML library.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

namespace ventral::config {

/// The contents of a file. Throws `InputError` if it cannot be read or is not TOML.
toml::table parse_toml(const std::string& path);

class Table;

/// One value of a file, read as what it should be. Every reading throws `InputError` at the value
/// if it is something else. The parsed file must outlive it.
class Value {
public:
    /// `name` is how messages call it: "'layers'", "entry 2 of 'layers'"; `path` is that of its key
    /// from the top of the file, "assemblies.target".
    Value(std::string file, std::string name, const toml::node& node, std::string path = "");

    std::string text() const;  ///< not empty
    std::string choice(const std::vector<std::string>& choices) const;
    std::int64_t integer(std::int64_t minimum, std::int64_t maximum) const;
    /// Finite; an integer is a number too.
    double number() const;
    double positive_number() const;
    double part() const;  ///< a fraction above 0 and below 1, or a whole number of at least 1
    bool flag() const;
    std::vector<Value> list() const;         ///< not empty
    std::vector<std::string> texts() const;  ///< a list of different strings
    Table table() const;

    /// The entries of a list, or the value itself if it is none.
    std::vector<Value> list_or_one() const;

    bool is_text() const { return node_->is_string(); }
    bool is_integer() const { return node_->is_integer(); }
    bool is_number() const { return node_->is_number(); }
    bool is_flag() const { return node_->is_boolean(); }
    bool is_list() const { return node_->is_array(); }
    bool is_table() const { return node_->is_table(); }

    std::string place() const;  ///< file:line:column
    [[noreturn]] void fail(const std::string& problem) const;
    [[noreturn]] void fail_type(const std::string& wanted) const;

private:
    std::string file_;
    std::string name_;
    const toml::node* node_;
    std::string path_;
};

/// Which of `all` a value names, as their `name_of` does.
template <typename Enum>
Enum choice_of(const Value& value, const std::vector<Enum>& all) {
    std::vector<std::string> names;
    for (const auto each : all) names.push_back(name_of(each));
    const auto chosen = std::find(names.begin(), names.end(), value.choice(names));
    return all[static_cast<std::size_t>(chosen - names.begin())];
}

/// One table of a file while it is turned into a struct: ask for its keys, then `finish`.
class Table {
public:
    /// `path` is where it stands, as TOML names it; empty for the top one.
    Table(std::string file, const toml::table& table, std::string path = "");
    /// Of keys from several places: `origins` says in place of a file's name where each is from.
    Table(std::map<std::string, std::string> origins, const toml::table& table);

    /// Throws `InputError` as `fail_missing` does if the key is missing.
    Value need(const std::string& key);
    std::optional<Value> find(const std::string& key);
    /// All keys with their values, for tables whose keys are names that the user chooses.
    std::vector<std::pair<std::string, Value>> entries();

    /// Throws `InputError` at the first key that nobody asked for.
    void finish() const;

    std::string place() const;
    [[noreturn]] void fail(const std::string& problem) const;
    /// Fails at a key that looks like one of `keys` and that nobody has asked for so far, as a slip
    /// of the pen; without one at the table, which lacks the first of them, with `hint` behind.
    [[noreturn]] void fail_missing(const std::vector<std::string>& keys,
                                   const std::string& hint) const;

private:
    const std::string& origin_of(const std::string& key) const;
    Value value_of(const std::string& key, const toml::node& node) const;
    std::string in_table() const;  ///< " in [preprocessing]", and nothing for the top table

    std::string file_;
    std::map<std::string, std::string> origins_;  ///< by key; of others it is the file
    const toml::table* table_;
    std::string path_;
    std::set<std::string> known_;
};

}  // namespace ventral::config
