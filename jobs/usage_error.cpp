#include "usage_error.hpp"

#include <algorithm>
#include <vector>

#include "core/errors.hpp"

namespace ventral::jobs {
namespace {

std::vector<std::string> long_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// The first option of words that nobody asked for, which is likely to be mistyped; or nothing.
std::string first_option(const std::vector<std::string>& words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    const auto option =
        std::find_if(words.begin(), end, [](const auto& word) { return word.starts_with("--"); });
    return option == end ? "" : option->substr(0, option->find('='));
}

std::string unexpected(const std::vector<std::string>& words, const std::string& near) {
    std::string text = "not expected:";
    for (const auto& word : words) text += " " + word;
    return text + near;
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    const CLI::App& part = parsed.empty() ? app : *parsed.front();
    const auto words = app.remaining(true);
    const auto option = first_option(words);
    const auto near = option.empty() ? "" : core::near_names(option, long_options(part));
    // What is required is missed first, perhaps since it was mistyped.
    const bool has_more = dynamic_cast<const CLI::ExtrasError*>(&error) && !words.empty();
    return (has_more || !option.empty() ? unexpected(words, near) : error.what()) + "\nventral " +
           (parsed.empty() ? "" : part.get_name() + " ") + "--help tells more";
}

}  // namespace ventral::jobs
