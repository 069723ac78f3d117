#include "io/journal/read_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "io/disk/descriptor.hpp"
#include "io/disk/entries_of.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t most_open = 64;
constexpr std::size_t bytes_at_once = 1 << 20;

/// Takes `name` and the text in quotation marks behind it off the front of `line`; nothing, which
/// it returns then, if that begins otherwise.
std::string_view take_quoted(std::string_view& line, std::string_view name) {
    if (!line.starts_with(name)) return {};
    const auto first = name.size() + 1;
    const auto end = line.find('"', first);
    if (end == line.npos || line[name.size()] != '"') return {};
    const auto text = line.substr(first, end - first);
    line.remove_prefix(end + 1);
    return text;
}

/// Takes a number and the space behind it off the front of `line`.
template <typename T>
std::optional<T> take_number(std::string_view& line, int base) {
    T number{};
    const auto end = line.data() + line.size();
    const auto [next, error] = std::from_chars(line.data(), end, number, base);
    if (error != std::errc{} || next == end || *next != ' ') return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(next - line.data()) + 1);
    return number;
}

/// Calls `take` with each line of the file and its number, without line feeds, and with what
/// follows the last of them nothing. Throws as `read_file`.
void for_each_line_of(const std::string& path,
                      const std::function<void(std::string_view, std::size_t)>& take) {
    require_regular_file(path);
    const Descriptor file(path, O_RDONLY);
    if (!file) core::throw_system_error(path + ": cannot be read", errno);
    std::string bytes;
    for (std::size_t number = 1;;) {
        const auto kept = bytes.size();
        bytes.resize(kept + bytes_at_once);
        const auto more = read(file.id(), bytes.data() + kept, bytes_at_once);
        if (more < 0 && errno == EINTR) {
            bytes.resize(kept);
            continue;
        }
        if (more < 0) core::throw_system_error(path + ": cannot be read", errno);
        bytes.resize(kept + static_cast<std::size_t>(more));
        std::string_view rest = bytes;
        for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
            take(rest.substr(0, end), number++);
            rest.remove_prefix(end + 1);
        }
        bytes.erase(0, bytes.size() - rest.size());
        if (more == 0) break;
    }
    if (!bytes.empty()) core::log(core::LogLevel::debug, path + ": the end of the segment is torn");
}

void read_segment(const std::filesystem::path& path, const TakeLine& take,
                  std::vector<std::string>& warnings) {
    JournalLine line{{}, path.filename().string()};
    std::vector<std::size_t> damaged;
    for_each_line_of(path.string(), [&](std::string_view text, std::size_t number) {
        const auto json = json_of(text);
        if (!json) {
            damaged.push_back(number);
            return;
        }
        line.json.assign(*json);
        line.line = number;
        take(line);
    });
    if (damaged.empty()) return;
    const auto more = damaged.size() - 1;
    warnings.push_back(path.string() + ":" + std::to_string(damaged.front()) +
                       ": the line is damaged and left out" +
                       (more > 0 ? ", and so " + core::counted(more, "more line") + " to " +
                                       std::to_string(damaged.back())
                                 : "") +
                       "; what was recorded there is done again");
}

/// A list that is cut short would pass for all there is.
std::vector<std::filesystem::path> segments(const std::string& folder) {
    std::vector<std::filesystem::path> paths;
    std::error_code error;
    for (auto& path : entries_of(folder, error))
        if (path.extension() == ".journal") paths.push_back(std::move(path));
    if (error && error != std::errc::no_such_file_or_directory)
        core::throw_system_error(folder + ": the journal cannot be listed", error.value());
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace

std::optional<std::string_view> json_of(std::string_view line) {
    const auto length = take_number<std::size_t>(line, 10);
    if (!length) return std::nullopt;
    const auto crc = take_number<std::uint32_t>(line, 16);
    if (!crc || line.size() != *length || core::crc32c(line) != *crc) return std::nullopt;
    return line;
}

std::string_view kind_of(std::string_view json) { return take_quoted(json, R"({"kind":)"); }

std::string_view key_of(std::string_view json) {
    take_quoted(json, R"({"kind":)");
    return take_quoted(json, R"(,"key":)");
}

std::map<std::string, std::uint64_t> segment_sizes(const std::string& folder) {
    std::map<std::string, std::uint64_t> sizes;
    for (const auto& path : entries_of(folder)) {
        if (path.extension() != ".journal") continue;
        std::error_code gone;
        const auto size = std::filesystem::file_size(path, gone);
        if (!gone) sizes[path.filename().string()] = size;
    }
    return sizes;
}

std::vector<std::string> for_each_line(const std::string& folder, const TakeLine& take) {
    std::vector<std::string> warnings;
    for (const auto& path : segments(folder)) {
        try {
            read_segment(path, take, warnings);
        } catch (const core::TransientError&) {
            throw;
        } catch (const core::InputError& error) {
            // What one run has recorded must not pass for nothing because another may not read it.
            std::error_code absent;
            if (std::filesystem::is_regular_file(path, absent)) throw;
            warnings.emplace_back(error.what());
        }
    }
    return warnings;
}

JournalSource lines_of(const std::string& folder) {
    return [folder](const TakeLine& take) { for_each_line(folder, take); };
}

std::ifstream& JournalArrays::file(const std::string& path) {
    if (open_.size() == most_open && !open_.contains(path)) open_.erase(open_.begin());
    auto& file = open_[path];
    if (file.is_open()) return file;
    file.open(path, std::ios::binary);
    if (file.is_open() || open_.size() == 1) return file;
    open_.clear();  // perhaps the process may have no more files open
    open_[path].open(path, std::ios::binary);
    return open_[path];
}

std::optional<std::vector<double>> JournalArrays::read(const std::string& folder,
                                                       const core::ArrayPlace& place) {
    const std::filesystem::path name(place.file);
    if (name.empty() || name.filename() != name) return std::nullopt;
    const auto path = (std::filesystem::path(folder) / name).string();
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error || place.offset > size || place.count > (size - place.offset) / sizeof(double))
        return std::nullopt;
    auto& opened = file(path);
    opened.clear();
    opened.seekg(static_cast<std::streamoff>(place.offset));
    std::vector<double> values(place.count);
    opened.read(reinterpret_cast<char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(double)));
    if (!opened || core::crc32c(std::as_bytes(std::span(values))) != place.crc) return std::nullopt;
    return values;
}

}  // namespace ventral::io
