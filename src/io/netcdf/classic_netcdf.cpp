#include "io/netcdf/classic_netcdf.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "core/errors.hpp"

namespace ventral::io {
namespace {

constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? unbounded : result;
}

std::uint64_t total(std::uint64_t a, std::uint64_t b) {
    std::uint64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? unbounded : result;
}

std::uint64_t padded(std::uint64_t bytes) { return total(bytes, 3) & ~std::uint64_t{3}; }

/// The big-endian numbers of a header, in the widths of its version.
class HeaderReader {
public:
    explicit HeaderReader(const std::string& path)
        : path_(path), size_(std::filesystem::file_size(path)), file_(path, std::ios::binary) {
        std::array<char, 4> magic{};
        read(magic.data(), magic.size());
        if (file_ && magic[0] == 'C' && magic[1] == 'D' && magic[2] == 'F') version_ = magic[3];
    }

    bool is_classic() const { return version_ == 1 || version_ == 2 || version_ == 5; }
    std::uint64_t file_size() const { return size_; }

    std::uint64_t tag() { return number(4); }
    std::uint64_t count() { return number(version_ == 5 ? 8 : 4); }
    std::uint64_t offset() { return number(version_ == 1 ? 4 : 8); }
    /// All bits set: the number of records was never written, as many as there are count.
    bool is_streaming(std::uint64_t records) const {
        return records == (version_ == 5 ? unbounded : std::numeric_limits<std::uint32_t>::max());
    }

    void skip_padded(std::uint64_t bytes) {
        const auto here = static_cast<std::uint64_t>(file_.tellg());
        if (padded(bytes) > size_ - here) fail_cut();
        file_.seekg(static_cast<std::streamoff>(padded(bytes)), std::ios::cur);
    }

    [[noreturn]] void fail_damaged() const {
        throw core::InputError(path_ + ": the header of this netCDF file is damaged");
    }
    [[noreturn]] void fail_cut() const {
        throw core::InputError(path_ + ": truncated (its header goes on after the " +
                               std::to_string(size_) + " bytes that it has)");
    }
    [[noreturn]] void fail_cut(std::uint64_t needed) const {
        throw core::InputError(path_ + ": truncated (needs " + std::to_string(needed) +
                               " bytes, has " + std::to_string(size_) + ")");
    }

private:
    void read(char* bytes, std::size_t count) {
        errno = 0;
        file_.read(bytes, static_cast<std::streamsize>(count));
        if (file_.bad()) core::throw_system_error(path_ + ": cannot be read", errno);
    }

    std::uint64_t number(std::size_t width) {
        std::array<unsigned char, 8> bytes{};
        read(reinterpret_cast<char*>(bytes.data()), width);
        if (!file_) fail_cut();
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width; ++i) value = value << 8 | bytes[i];
        return value;
    }

    const std::string& path_;
    std::uint64_t size_;
    std::ifstream file_;
    char version_ = 0;
};

std::uint64_t type_size(const HeaderReader& header, std::uint64_t type) {
    constexpr std::array<std::uint64_t, 12> sizes{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    if (type == 0 || type >= sizes.size()) header.fail_damaged();
    return sizes[type];
}

/// Number of entries of a list that begins with its tag, both zero where there is none.
std::uint64_t list_length(HeaderReader& header, std::uint64_t tag) {
    const auto found = header.tag();
    const auto length = header.count();
    if (found != tag && !(found == 0 && length == 0)) header.fail_damaged();
    return length;
}

/// netCDF 4.9.0 copies names and lists of dimensions into arrays of its largest sizes unseen.
constexpr std::uint64_t longest_name = 256;
constexpr std::uint64_t most_dimensions = 1024;

void skip_name(HeaderReader& header) {
    const auto length = header.count();
    if (length > longest_name) header.fail_damaged();
    header.skip_padded(length);
}

void skip_attributes(HeaderReader& header) {
    constexpr std::uint64_t tag = 12;
    for (auto left = list_length(header, tag); left > 0; --left) {
        skip_name(header);
        const auto size = type_size(header, header.tag());
        header.skip_padded(product(header.count(), size));
    }
}

std::vector<std::uint64_t> read_dimensions(HeaderReader& header) {
    constexpr std::uint64_t tag = 10;
    std::vector<std::uint64_t> dimensions;
    for (auto left = list_length(header, tag); left > 0; --left) {
        skip_name(header);
        dimensions.push_back(header.count());
    }
    return dimensions;
}

/// Where a variable's values begin and how long they are: all of them, or those of one record.
struct Extent {
    std::uint64_t begin;
    std::uint64_t bytes;
    bool is_record;
};

/// The stated size is not used: it is capped in large files. The record dimension has length 0.
Extent read_variable(HeaderReader& header, const std::vector<std::uint64_t>& dimensions) {
    skip_name(header);
    Extent extent{0, 1, false};
    const auto rank = header.count();
    if (rank > most_dimensions) header.fail_damaged();
    for (std::uint64_t i = 0; i < rank; ++i) {
        const auto id = header.count();
        if (id >= dimensions.size()) header.fail_damaged();
        if (i == 0 && dimensions[id] == 0)
            extent.is_record = true;
        else
            extent.bytes = product(extent.bytes, dimensions[id]);
    }
    skip_attributes(header);
    extent.bytes = product(extent.bytes, type_size(header, header.tag()));
    header.count();
    extent.begin = header.offset();
    return extent;
}

/// The records of all variables lie interleaved; that of a single variable is not padded.
std::uint64_t record_bytes(const std::vector<Extent>& variables) {
    std::uint64_t unpadded = 0;
    std::uint64_t sum = 0;
    std::size_t count = 0;
    for (const auto& variable : variables) {
        if (!variable.is_record) continue;
        ++count;
        unpadded = variable.bytes;
        sum = total(sum, padded(variable.bytes));
    }
    return count == 1 ? unpadded : sum;
}

std::uint64_t needed_bytes(const std::vector<Extent>& variables, std::uint64_t records) {
    const auto stride = record_bytes(variables);
    std::uint64_t needed = 0;
    for (const auto& variable : variables) {
        if (variable.bytes == 0 || (variable.is_record && records == 0)) continue;
        const auto before = variable.is_record ? product(records - 1, stride) : 0;
        needed = std::max(needed, total(total(variable.begin, before), variable.bytes));
    }
    return needed;
}

}  // namespace

void require_whole_classic(const std::string& path) {
    HeaderReader header(path);
    if (!header.is_classic()) return;
    const auto stated = header.count();
    const auto records = header.is_streaming(stated) ? 0 : stated;
    const auto dimensions = read_dimensions(header);
    skip_attributes(header);
    constexpr std::uint64_t tag = 11;
    std::vector<Extent> variables;
    for (auto left = list_length(header, tag); left > 0; --left)
        variables.push_back(read_variable(header, dimensions));
    const auto needed = needed_bytes(variables, records);
    if (needed > header.file_size()) header.fail_cut(needed);
}

}  // namespace ventral::io
