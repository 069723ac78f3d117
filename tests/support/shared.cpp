#include "support/shared.hpp"

#include <cstdlib>
#include <filesystem>

namespace ventral::test {

std::optional<std::string> shared_path(const std::string& relative) {
    const char* root = std::getenv("VENTRAL_SHARED");
    if (!root) return std::nullopt;
    const auto path = std::filesystem::path(root) / relative;
    if (!std::filesystem::exists(path)) return std::nullopt;
    return path.string();
}

}  // namespace ventral::test
