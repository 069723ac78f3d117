#include "io/input_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "core/errors.hpp"

namespace ventral::io {
namespace {

// Deflate reaches 1032 to 1; the sum is for small files that are all headers.
constexpr std::uint64_t largest_compression = 1100;
constexpr std::uint64_t always_allowed = std::uint64_t{64} << 20;

}  // namespace

bool is_there(const std::string& path) {
    std::error_code unknown;
    return std::filesystem::exists(path, unknown);
}

bool is_surely_absent(const std::string& path) {
    std::error_code unknown;
    return !std::filesystem::exists(path, unknown) && !unknown;
}

std::uint64_t file_bytes(const std::string& path) {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(path, unknown);
    return unknown ? 0 : bytes;
}

void require_regular_file(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        throw core::InputError(path + ": no such file");
    }
    if (status.type() == std::filesystem::file_type::none) {
        core::throw_system_error(path + ": cannot be read", error.value());
    }
    if (std::filesystem::is_directory(status)) {
        throw core::InputError(path + ": is a folder, not a file");
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw core::InputError(path + ": is not a regular file");
    }
    if (access(path.c_str(), R_OK) != 0) {
        core::throw_system_error(path + ": cannot be read", errno);
    }
}

void require_plausible_size(const std::string& path, std::uint64_t count, std::uint64_t item_size) {
    const auto limit = std::filesystem::file_size(path) * largest_compression + always_allowed;
    if (count <= limit / item_size) return;
    throw core::InputError(path + ": claims an array of " + std::to_string(count) +
                           " values, more than a file of its size can hold (damaged)");
}

std::string read_file(const std::string& path) {
    require_regular_file(path);
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    if (file) bytes << file.rdbuf();
    const int error = errno;  // of an empty file there is none
    if (!file || (!bytes && error != 0)) core::throw_system_error(path + ": cannot be read", error);
    if (!bytes && std::filesystem::file_size(path) > 0)
        throw core::InputError(path + ": cannot be read to its end");
    return bytes.str();
}

}  // namespace ventral::io
