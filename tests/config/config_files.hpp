#pragma once
/// @file
/// Small files for the tests of `config`, and the text of the error that reading them gives.

#include <filesystem>
#include <fstream>
#include <string>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"

namespace ventral::test {

/// Writes `folder`/`name`, with the folders on the way, and returns its path.
inline std::string write_file(const TemporaryFolder& folder, const std::string& name,
                              const std::string& text) {
    const auto path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
}

/// The message of the `InputError` that `action` throws, without `prefix`; "" if it throws none.
template <typename Action>
std::string input_error(Action action, const std::string& prefix = "") {
    try {
        action();
    } catch (const core::InputError& error) {
        const std::string text = error.what();
        return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    }
    return "";
}

}  // namespace ventral::test
