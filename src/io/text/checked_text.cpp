#include "io/text/checked_text.hpp"

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "io/disk/durable_file.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

std::string crc_line(std::string_view text) {
    return "\n{\"crc32c\":" + std::to_string(core::crc32c(text)) + "}\n";
}

}  // namespace

void write_checked_text(const std::string& path, std::string_view text) {
    write_file_durably(path, std::string(text) + crc_line(text));
}

std::optional<std::string> read_checked_text(const std::string& path) {
    if (is_surely_absent(path)) return std::nullopt;
    const auto bytes = read_file(path);
    const auto end = bytes.size() < 2 ? bytes.npos : bytes.rfind('\n', bytes.size() - 2);
    if (end == bytes.npos || bytes.substr(end) != crc_line(bytes.substr(0, end)))
        throw core::InputError(path + ": its CRC is wrong (damaged)");
    return bytes.substr(0, end);
}

}  // namespace ventral::io
