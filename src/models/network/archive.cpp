#include "models/network/archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "core/errors.hpp"
#include "models/network/pickle_check.hpp"

namespace ventral::models {
namespace {

// Layouts and signatures: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3.
constexpr std::string_view end_signature{"PK\5\6", 4};
constexpr std::string_view end64_signature{"PK\6\6", 4};
constexpr std::string_view directory_signature{"PK\1\2", 4};
constexpr std::string_view local_signature{"PK\3\4", 4};
constexpr std::uint64_t in_zip64_field = 0xFFFFFFFF;
constexpr std::uint64_t chunk_bytes = 1 << 20;

struct Entry {
    std::string name;
    std::uint64_t method = 0;
    std::uint64_t crc = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;
};

/// Little-endian number of `width` bytes at `position` of `record`.
std::uint64_t number(std::string_view record, std::size_t position, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(record[position + i])} << (8 * i);
    return value;
}

/// zlib's decompressor of a deflated entry, which has no header.
class Inflater {
public:
    Inflater() : is_ready_(inflateInit2(&stream_, -MAX_WBITS) == Z_OK) {}
    ~Inflater() {
        if (is_ready_) inflateEnd(&stream_);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    bool is_ready() const { return is_ready_; }
    z_stream& stream() { return stream_; }

private:
    z_stream stream_{};
    bool is_ready_;
};

class Archive {
public:
    explicit Archive(const std::string& path) : path_(path) {
        if (!std::filesystem::is_regular_file(path))
            throw core::InputError(path + ": no such file of weights");
        file_.open(path, std::ios::binary);
        if (!file_) core::throw_system_error(path + ": cannot be opened", errno);
        bytes_ = std::filesystem::file_size(path);
    }

    std::vector<Entry> entries() {
        const auto directory = read_directory();
        std::vector<Entry> entries;
        for (std::size_t at = 0; at < directory.size();) {
            const std::string_view rest = std::string_view(directory).substr(at);
            if (rest.size() < 46 || !rest.starts_with(directory_signature))
                damaged("the directory breaks off");
            const auto name_bytes = number(rest, 28, 2);
            const auto extra_bytes = number(rest, 30, 2);
            const auto length = 46 + name_bytes + extra_bytes + number(rest, 32, 2);
            if (length > rest.size()) damaged("the directory breaks off");
            Entry entry{.name = std::string(rest.substr(46, name_bytes)),
                        .method = number(rest, 10, 2),
                        .crc = number(rest, 16, 4),
                        .stored_bytes = number(rest, 20, 4),
                        .bytes = number(rest, 24, 4),
                        .offset = number(rest, 42, 4)};
            read_zip64_field(rest.substr(46 + name_bytes, extra_bytes), entry);
            entries.push_back(std::move(entry));
            at += length;
        }
        return entries;
    }

    /// Compares with the checksum; what is inside is returned of pickles, which are small.
    std::string check(const Entry& entry) {
        const auto header = read(entry.offset, 30);
        if (!header.starts_with(local_signature)) damaged("'" + entry.name + "' is not there");
        const auto begin = entry.offset + 30 + number(header, 26, 2) + number(header, 28, 2);
        if (begin > bytes_ || entry.stored_bytes > bytes_ - begin)
            damaged("'" + entry.name + "' breaks off");
        std::string contents;
        auto* keep = entry.name.ends_with("pkl") ? &contents : nullptr;
        const bool whole = entry.method == 0   ? stored_matches(entry, begin, keep)
                           : entry.method == 8 ? deflated_matches(entry, begin, keep)
                                               : false;
        if (!whole) damaged("the checksum of '" + entry.name + "' is wrong");
        return contents;
    }

    void check_pickle(const Entry& entry, std::string_view pickle,
                      const std::map<std::string, std::uint64_t>& storage_bytes) const {
        if (const auto fault = pickle_fault(pickle, storage_bytes))
            damaged("'" + entry.name + "': " + *fault);
    }

private:
    [[noreturn]] void damaged(const std::string& why) const {
        throw core::InputError(path_ + ": damaged TorchScript file (" + why +
                               ") copy or export it again");
    }

    std::string read(std::uint64_t offset, std::uint64_t count) {
        if (offset > bytes_ || count > bytes_ - offset) damaged("it is cut short");
        std::string bytes(count, '\0');
        errno = 0;
        file_.seekg(static_cast<std::streamoff>(offset));
        file_.read(bytes.data(), static_cast<std::streamsize>(count));
        if (!file_) core::throw_system_error(path_ + ": cannot be read", errno);
        return bytes;
    }

    /// The central directory, found from the record at the end of the file.
    std::string read_directory() {
        const auto tail_bytes = std::min<std::uint64_t>(bytes_, 22 + 0xFFFF);
        const auto tail_begin = bytes_ - tail_bytes;
        const auto tail = read(tail_begin, tail_bytes);
        const auto at = tail.rfind(end_signature);
        if (at == std::string::npos || tail.size() - at < 22)
            throw core::InputError(path_ +
                                   ": not a TorchScript file (no zip archive, or cut short)"
                                   " export the network with torch.jit.save");
        auto size = number(tail, at + 12, 4);
        auto offset = number(tail, at + 16, 4);
        if (offset == in_zip64_field || number(tail, at + 10, 2) == 0xFFFF) {
            if (at < 20) damaged("the record of a large archive is missing");
            const auto record = read(number(tail, at - 20 + 8, 8), 56);
            if (!record.starts_with(end64_signature))
                damaged("the record of a large archive is missing");
            size = number(record, 40, 8);
            offset = number(record, 48, 8);
        }
        // An empty or shortened list would leave entries unchecked that libtorch may still find.
        if (size == 0 || offset > tail_begin + at || size > tail_begin + at - offset)
            damaged("its directory is not there");
        return read(offset, size);
    }

    /// Replaces the sizes and the offset that do not fit into 32 bits.
    void read_zip64_field(std::string_view extra, Entry& entry) const {
        while (extra.size() >= 4) {
            const auto length = number(extra, 2, 2);
            if (length > extra.size() - 4) damaged("the directory breaks off");
            if (number(extra, 0, 2) == 1) {
                auto field = extra.substr(4, length);
                for (auto* value : {&entry.bytes, &entry.stored_bytes, &entry.offset}) {
                    if (*value != in_zip64_field) continue;
                    if (field.size() < 8) damaged("the directory breaks off");
                    *value = number(field, 0, 8);
                    field.remove_prefix(8);
                }
            }
            extra.remove_prefix(4 + length);
        }
    }

    bool stored_matches(const Entry& entry, std::uint64_t begin, std::string* keep) {
        auto crc = crc32(0, nullptr, 0);
        for (std::uint64_t done = 0; done < entry.stored_bytes; done += chunk_bytes) {
            const auto part = read(begin + done, std::min(chunk_bytes, entry.stored_bytes - done));
            crc = add_to(crc, part);
            if (keep) *keep += part;
        }
        return crc == entry.crc && entry.stored_bytes == entry.bytes;
    }

    bool deflated_matches(const Entry& entry, std::uint64_t begin, std::string* keep) {
        std::string packed;
        std::uint64_t taken = 0;
        Inflater inflater;
        if (!inflater.is_ready()) return false;
        z_stream& stream = inflater.stream();
        auto crc = crc32(0, nullptr, 0);
        int status = Z_OK;
        while (status == Z_OK) {
            if (stream.avail_in == 0 && taken < entry.stored_bytes) {
                packed = read(begin + taken, std::min(chunk_bytes, entry.stored_bytes - taken));
                taken += packed.size();
                stream.next_in = reinterpret_cast<Bytef*>(packed.data());
                stream.avail_in = static_cast<uInt>(packed.size());
            }
            std::array<Bytef, 1 << 16> part;
            stream.next_out = part.data();
            stream.avail_out = part.size();
            status = inflate(&stream, Z_NO_FLUSH);
            const auto count = part.size() - stream.avail_out;
            crc = crc32(crc, part.data(), static_cast<uInt>(count));
            if (keep) keep->append(reinterpret_cast<const char*>(part.data()), count);
        }
        return status == Z_STREAM_END && crc == entry.crc && stream.total_out == entry.bytes;
    }

    static uLong add_to(uLong crc, const std::string& bytes) {
        return crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()),
                     static_cast<uInt>(bytes.size()));
    }

    std::string path_;
    std::ifstream file_;
    std::uint64_t bytes_ = 0;
};

/// Sizes of the storages that a pickle "NAME.pkl" can refer to, the entries in "NAME/", by key.
std::map<std::string, std::uint64_t> storage_bytes(const std::vector<Entry>& entries,
                                                   const Entry& pickle) {
    const auto folder = pickle.name.substr(0, pickle.name.rfind('.')) + "/";
    std::map<std::string, std::uint64_t> bytes;
    for (const auto& entry : entries) {
        if (!entry.name.starts_with(folder)) continue;
        const auto [known, is_new] = bytes.emplace(entry.name.substr(folder.size()), entry.bytes);
        if (!is_new) known->second = std::min(known->second, entry.bytes);
    }
    return bytes;
}

}  // namespace

void check_archive(const std::string& path) {
    Archive archive(path);
    const auto entries = archive.entries();
    for (const auto& entry : entries) {
        const auto pickle = archive.check(entry);
        if (!pickle.empty()) archive.check_pickle(entry, pickle, storage_bytes(entries, entry));
    }
}

}  // namespace ventral::models
