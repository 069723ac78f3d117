#pragma once
/// @file
/// Files as bytes, for tests that damage them.

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ventral::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

inline void write_bytes(const std::string& path, const Bytes& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

inline Bytes bytes_of(const std::string& text) { return Bytes(text.begin(), text.end()); }

}  // namespace ventral::test
