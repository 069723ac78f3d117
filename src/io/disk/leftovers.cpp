#include "io/disk/leftovers.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <regex>
#include <utility>
#include <vector>

#include "io/disk/entries_of.hpp"
#include "io/disk/writer_suffix.hpp"

namespace ventral::io {
namespace {

namespace fs = std::filesystem;

constexpr auto untouched = std::chrono::hours(24);

bool is_gone(const std::string& process) {
    return kill(static_cast<pid_t>(std::stol(process)), 0) != 0 && errno == ESRCH;
}

/// Of a folder that of whatever in it was written last.
fs::file_time_type last_write(const fs::path& path, std::error_code& absent) {
    auto latest = fs::last_write_time(path, absent);
    if (absent || !fs::is_directory(path, absent)) return latest;
    for (fs::recursive_directory_iterator entry(path, absent), end; !absent && entry != end;
         entry.increment(absent)) {
        const auto written = entry->last_write_time(absent);
        if (absent) break;
        latest = std::max(latest, written);
    }
    return latest;
}

bool is_left(const fs::path& path, fs::file_time_type now) {
    static const std::regex temporary(
        R"((?:.+\.|probe\.)[0-9a-f]{16}(?:\.([0-9a-f]{8})-([0-9]{1,9}))?(\.tmp)?)");
    const auto name = path.filename().string();
    std::smatch parts;
    if (!std::regex_match(name, parts, temporary)) return false;
    if (!parts[3].matched && name.rfind("probe.", 0) != 0) return false;
    const auto here = this_machine();
    if (here != unknown_machine && parts[1].str() == here) return is_gone(parts[2].str());
    std::error_code absent;
    const auto written = last_write(path, absent);
    return !absent && now - written > untouched;
}

std::vector<fs::path> leftovers(const std::string& folder, fs::file_time_type now,
                                const std::string& of) {
    std::vector<fs::path> found;
    for (auto& path : entries_of(folder)) {
        std::error_code ignored;
        const bool may_be_ours =
            fs::is_regular_file(path, ignored) || fs::is_directory(path, ignored);
        if (may_be_ours && path.filename().string().starts_with(of) && is_left(path, now))
            found.push_back(std::move(path));
    }
    return found;
}

}  // namespace

std::size_t remove_leftovers(const std::string& folder, fs::file_time_type now,
                             const std::string& of) {
    std::size_t removed = 0;
    for (const auto& path : leftovers(folder, now, of)) {
        std::error_code failed;
        fs::remove_all(path, failed);
        if (!failed) ++removed;
    }
    return removed;
}

std::uint64_t leftover_bytes(const std::string& folder, fs::file_time_type now) {
    std::uint64_t bytes = 0;
    for (const auto& path : leftovers(folder, now, "")) {
        std::error_code no_file;
        const auto size = fs::file_size(path, no_file);
        if (!no_file) bytes += size;
    }
    return bytes;
}

}  // namespace ventral::io
