#include "support/shared.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>

namespace ventral::test {
namespace {

std::atomic<bool>& skipped() {
    static std::atomic<bool> value{false};
    return value;
}

}  // namespace

void skip() { skipped() = true; }

bool is_skipped() { return skipped(); }

std::optional<std::string> shared_path(const std::string& relative) {
    const char* root = std::getenv("VENTRAL_SHARED");
    if (root) {
        const auto path = std::filesystem::path(root) / relative;
        if (std::filesystem::exists(path)) return path.string();
    }
    skip();
    return std::nullopt;
}

}  // namespace ventral::test
