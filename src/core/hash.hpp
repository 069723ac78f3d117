#pragma once
/// @file
/// Hashes of content: for keys (SHA-256), for the checksums that data sets state (SHA-1, SHA-256)
/// and for journal lines (CRC-32C).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ventral::core {

/// Lower-case hexadecimal digests.
std::string sha256(std::string_view bytes);
/// Of a file; `on_block` is called after each MiB, as a sign of life. Throws `InputError` naming
/// the file if it cannot be read, or would have to be waited for (a FIFO).
std::string sha256_of_file(const std::string& path, const std::function<void()>& on_block = {});
std::string sha1_of_file(const std::string& path);

/// CRC-32C (Castagnoli) as iSCSI and ext4 use it; crc32c("123456789") = 0xE3069283.
std::uint32_t crc32c(std::span<const std::byte> bytes);
std::uint32_t crc32c(std::string_view bytes);
/// The same of each `size` bytes of `parts`: several take little longer than one. Throws
/// `std::invalid_argument` unless these are whole.
std::vector<std::uint32_t> crc32c_of_each(std::span<const std::byte> parts, std::size_t size);

/// Builds a key out of named parts, so that no two different lists of parts hash alike.
class KeyBuilder {
public:
    KeyBuilder& add(std::string_view name, std::string_view value);
    KeyBuilder& add(std::string_view name, std::int64_t value);
    /// The bits of the double, not a decimal form of it.
    KeyBuilder& add(std::string_view name, double value);
    /// SHA-256 of everything added, hexadecimal.
    std::string key() const;

private:
    std::string parts_;
};

}  // namespace ventral::core
