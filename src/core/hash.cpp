#include "core/hash.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <nmmintrin.h>
#include <openssl/evp.h>

#include "core/errors.hpp"

namespace ventral::core {
namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const auto byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

/// OpenSSL's incremental digest of one algorithm.
class Digest {
public:
    explicit Digest(const EVP_MD* algorithm) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
        require(context_ && EVP_DigestInit_ex(context_.get(), algorithm, nullptr));
    }

    void add(std::string_view bytes) {
        require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
    }

    std::string hexadecimal_text() {
        unsigned char bytes[EVP_MAX_MD_SIZE];
        unsigned int size = 0;
        require(EVP_DigestFinal_ex(context_.get(), bytes, &size));
        return hexadecimal({bytes, size});
    }

private:
    static void require(int success) {
        if (!success) throw std::runtime_error("OpenSSL cannot compute a digest");
    }

    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

[[noreturn]] void throw_unreadable(const std::string& path, int error) {
    throw_system_error(path + ": cannot be read", error, "check the path and its permissions");
}

std::string digest_of_file(const std::string& path, const EVP_MD* algorithm,
                           const std::function<void()>& on_block) {
    std::error_code ignored;
    // Opening a FIFO would wait for somebody to write to it, and a device may have no end.
    if (std::filesystem::is_other(path, ignored))
        throw InputError(path + ": is no regular file (one that can be read twice is wanted)");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw_unreadable(path, errno);
    Digest digest(algorithm);
    std::vector<char> block(1 << 20);
    while (file) {
        errno = 0;
        file.read(block.data(), static_cast<std::streamsize>(block.size()));
        digest.add({block.data(), static_cast<std::size_t>(file.gcount())});
        if (on_block) on_block();
    }
    if (!file.eof()) throw_unreadable(path, errno);
    return digest.hexadecimal_text();
}

/// Of `Count` parts of the same size, step by step together.
template <std::size_t Count>
std::array<std::uint32_t, Count> crc32cs(std::span<const std::byte> parts) {
    const std::size_t size = parts.size() / Count;
    std::array<std::uint64_t, Count> crcs;
    crcs.fill(0xFFFFFFFF);
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t))
        for (std::size_t i = 0; i < Count; ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, parts.data() + i * size + at, sizeof word);
            crcs[i] = _mm_crc32_u64(crcs[i], word);
        }
    std::array<std::uint32_t, Count> finished;
    for (std::size_t i = 0; i < Count; ++i) {
        auto rest = static_cast<std::uint32_t>(crcs[i]);
        for (const auto byte : parts.subspan(i * size + at, size - at))
            rest = _mm_crc32_u8(rest, std::to_integer<unsigned char>(byte));
        finished[i] = ~rest;
    }
    return finished;
}

std::string size_text(std::size_t size) { return std::to_string(size) + ":"; }

}  // namespace

std::string sha256(std::string_view bytes) {
    Digest digest(EVP_sha256());
    digest.add(bytes);
    return digest.hexadecimal_text();
}

std::string sha256_of_file(const std::string& path, const std::function<void()>& on_block) {
    return digest_of_file(path, EVP_sha256(), on_block);
}

std::string sha1_of_file(const std::string& path) { return digest_of_file(path, EVP_sha1(), {}); }

std::uint32_t crc32c(std::span<const std::byte> bytes) { return crc32cs<1>(bytes)[0]; }

std::uint32_t crc32c(std::string_view bytes) { return crc32c(std::as_bytes(std::span(bytes))); }

std::vector<std::uint32_t> crc32c_of_each(std::span<const std::byte> parts, std::size_t size) {
    if (size == 0 || parts.size() % size != 0)
        throw std::invalid_argument("crc32c: no whole parts");
    constexpr std::size_t at_once = 4;  // hide the three cycles that each step takes
    std::vector<std::uint32_t> crcs;
    for (; parts.size() >= at_once * size; parts = parts.subspan(at_once * size))
        for (const auto crc : crc32cs<at_once>(parts.first(at_once * size))) crcs.push_back(crc);
    for (; !parts.empty(); parts = parts.subspan(size)) crcs.push_back(crc32c(parts.first(size)));
    return crcs;
}

KeyBuilder& KeyBuilder::add(std::string_view name, std::string_view value) {
    parts_ += "s" + size_text(name.size()) + std::string(name) + size_text(value.size());
    parts_ += value;
    return *this;
}

KeyBuilder& KeyBuilder::add(std::string_view name, std::int64_t value) {
    parts_ += "i" + size_text(name.size()) + std::string(name) + std::to_string(value) + ";";
    return *this;
}

KeyBuilder& KeyBuilder::add(std::string_view name, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    parts_ += "d" + size_text(name.size()) + std::string(name) + std::to_string(bits) + ";";
    return *this;
}

std::string KeyBuilder::key() const { return sha256(parts_); }

}  // namespace ventral::core
