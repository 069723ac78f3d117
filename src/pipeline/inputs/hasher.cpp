#include "pipeline/inputs/hasher.hpp"

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"

namespace ventral::pipeline {

std::string Hasher::sha256(const std::string& path) {
    if (const auto found = files_.find(path); found != files_.end()) return found->second.hash;
    const auto hash = known_.of("sha256", {path}, [&] { return core::sha256_of_file(path); });
    files_[path] = {hash.text, hash.state};
    return hash.text;
}

std::string Hasher::sha1(const std::string& path) {
    return known_.of("sha1", {path}, [&] { return core::sha1_of_file(path); }).text;
}

void compare_checksum(const std::string& path, const char* kind, const std::string& stated,
                      const std::string& actual) {
    if (stated.empty())
        core::log_warning_once(path + ": no checksum is stated; " + kind + " = \"" + actual + "\"");
    else if (stated != actual)
        throw core::InputError(path + ": the checksum is wrong (" + kind + " is " + actual +
                               ", stated is " + stated +
                               ") the file was changed or is damaged: get it again, or state the "
                               "new checksum");
}

}  // namespace ventral::pipeline
