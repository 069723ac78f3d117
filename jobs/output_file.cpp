#include "output_file.hpp"

#include <filesystem>
#include <system_error>

#include "core/errors.hpp"

namespace ventral::jobs {
namespace {

namespace fs = std::filesystem;

void check_free(const std::string& path, Existing existing) {
    const auto folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder))
        throw core::InputError(path + ": its folder does not exist");
    if (!fs::exists(fs::symlink_status(path))) return;
    if (fs::exists(path) && !fs::is_regular_file(path))
        throw core::InputError(path +
                               ": is no regular file (nothing replaces it) give another --out");
    if (existing == Existing::keep)
        throw core::InputError(path + ": is there already, --force replaces it");
}

void check_no_input(const std::string& path, const std::vector<std::string>& inputs) {
    std::error_code absent;
    if (!fs::exists(path, absent)) return;
    for (const auto& input : inputs)
        if (!input.empty() && fs::equivalent(path, input, absent))
            throw core::InputError(path + ": is read by this command (" + input +
                                   ") give another --out");
}

}  // namespace

void check_output(const std::string& path, Existing existing,
                  const std::vector<std::string>& inputs) {
    check_free(path, existing);
    check_no_input(path, inputs);
}

}  // namespace ventral::jobs
