#include "stimuli/decode.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "stimuli/decode_png.hpp"
#include "stimuli/jpeg.hpp"

namespace ventral::stimuli {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read_file(const std::string& path) {
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(status))
        throw core::InputError(path + ": is a folder (an image file is wanted)");
    // Opening a FIFO would wait for somebody to write to it.
    if (std::filesystem::is_other(status))
        throw core::InputError(path + ": is no regular file (an image file is wanted)");
    errno = 0;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
        core::throw_system_error(path + ": cannot be opened", errno,
                                 "check the path and the permissions");
    const auto size = static_cast<std::streamoff>(file.tellg());
    Bytes bytes(size > 0 ? static_cast<std::size_t>(size) : 0);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (file.bad()) core::throw_system_error(path + ": cannot be read", errno);
    if (!file) throw core::InputError(path + ": cannot be read");
    return bytes;
}

bool begins_with(const Bytes& bytes, std::string_view signature) {
    return bytes.size() >= signature.size() &&
           std::equal(signature.begin(), signature.end(), bytes.begin(),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

}  // namespace

Image decode(const std::string& path) {
    const auto bytes = read_file(path);
    if (begins_with(bytes, "\x89PNG\r\n\x1a\n")) return decode_png(bytes, path);
    if (begins_with(bytes, "\xff\xd8\xff")) return decode_jpeg(bytes, path);
    if (bytes.empty()) throw core::InputError(path + ": is empty (an image file is wanted)");
    throw core::InputError(path + ": is neither PNG nor JPEG (by its first bytes) convert it");
}

}  // namespace ventral::stimuli
