#include "support/shared.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>

namespace ventral::test {
namespace {

std::atomic<bool>& missing() {
    static std::atomic<bool> value{false};
    return value;
}

}  // namespace

std::optional<std::string> shared_path(const std::string& relative) {
    const char* root = std::getenv("VENTRAL_SHARED");
    if (root) {
        const auto path = std::filesystem::path(root) / relative;
        if (std::filesystem::exists(path)) return path.string();
    }
    missing() = true;
    return std::nullopt;
}

bool shared_path_was_missing() { return missing(); }

}  // namespace ventral::test
