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

/// Of words that nobody asked for the first option, which is likely to be mistyped.
std::string unexpected(const CLI::App& app, const std::vector<std::string>& words) {
    std::string text = "not expected:";
    for (const auto& word : words) text += " " + word;
    const auto option = std::find_if(words.begin(), words.end(),
                                     [](const auto& word) { return word.starts_with("--"); });
    if (option == words.end()) return text;
    return text + core::near_names(option->substr(0, option->find('=')), long_options(app));
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    const CLI::App& part = parsed.empty() ? app : *parsed.front();
    const auto words = app.remaining(true);
    const bool has_more = dynamic_cast<const CLI::ExtrasError*>(&error) && !words.empty();
    return "error: " + (has_more ? unexpected(part, words) : error.what()) + "\nventral " +
           (parsed.empty() ? "" : part.get_name() + " ") + "--help tells more\n";
}

}  // namespace ventral::jobs
