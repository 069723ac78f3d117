#include "pipeline/inputs/hash_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/utf8.hpp"
#include "io/text/checked_text.hpp"

namespace ventral::pipeline {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr int format = 1;
/// Longer than a tick of any file system's clock, and than clocks that are kept alike differ.
constexpr std::int64_t settled_ns = 10'000'000'000;

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t nanoseconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

/// What changes when files change, and when they last did. The device is left out: the same file
/// has another one on every node that mounts it.
struct FileStates {
    std::string digest;
    std::int64_t newest_ns = 0;
};

/// Nothing if one of them cannot be looked at.
std::optional<FileStates> states_of(const std::vector<std::string>& files) {
    core::KeyBuilder key;
    FileStates states;
    for (const auto& file : files) {
        struct stat found {};
        if (stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
        const auto written = nanoseconds(found.st_mtim);
        const auto changed = nanoseconds(found.st_ctim);
        key.add("size", std::int64_t{found.st_size})
            .add("inode", static_cast<std::int64_t>(found.st_ino))
            .add("written", written)
            .add("changed", changed);
        states.newest_ns = std::max({states.newest_ns, written, changed});
    }
    states.digest = key.key();
    return states;
}

std::string entry_name(const std::string& what, const std::vector<std::string>& files) {
    core::KeyBuilder key;
    key.add("what", what);
    for (const auto& file : files) key.add("file", fs::absolute(file).lexically_normal().string());
    return key.key();
}

}  // namespace

std::string state_of(const std::vector<std::string>& files) {
    const auto states = states_of(files);
    return states ? states->digest : "";
}

HashCache::HashCache(std::string path, Trust trust, Clock now)
    : path_(std::move(path)), trust_(trust), now_(std::move(now)) {
    if (trust_ == Trust::yes) entries_ = read(path_);
}

HashCache::Entries HashCache::read(const std::string& path) {
    Entries entries;
    try {
        const auto text = io::read_checked_text(path);
        if (!text) return entries;
        const auto json = Json::parse(*text);
        if (json.at("format") != format) return entries;
        for (const auto& [name, entry] : json.at("known").items())
            entries[name] = {entry.at(0), entry.at(1)};
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) + "; all files are read again");
        entries.clear();
    } catch (const Json::exception&) {
        entries.clear();
    }
    return entries;
}

FromContent HashCache::of(const std::string& what, const std::vector<std::string>& files,
                          const std::function<std::string()>& compute) {
    const auto before = states_of(files);
    if (!before) return {compute()};
    const auto name = entry_name(what, files);
    const auto known = entries_.find(name);
    if (known != entries_.end() && known->second.state == before->digest)
        return {known->second.text};
    const bool is_settled = !path_.empty() && before->newest_ns + settled_ns <= nanoseconds(now_());
    auto text = compute();
    const auto after = states_of(files);
    if (!after || after->digest != before->digest) return {std::move(text)};
    // JSON holds nothing but UTF-8.
    if (is_settled && core::is_utf8(text)) added_[name] = {before->digest, text};
    return {std::move(text), before->digest};
}

bool HashCache::has(const std::string& what, const std::vector<std::string>& files) const {
    const auto states = states_of(files);
    const auto known = entries_.find(entry_name(what, files));
    return states && known != entries_.end() && known->second.state == states->digest;
}

void HashCache::save() {
    if (added_.empty()) return;
    std::error_code ignored;
    if (!fs::is_directory(fs::path(path_).parent_path(), ignored)) return;
    auto all = read(path_);
    for (const auto& [name, entry] : added_) all[name] = entry;
    Json known = Json::object();
    for (const auto& [name, entry] : all) known[name] = {entry.state, entry.text};
    try {
        io::write_checked_text(path_, Json({{"format", format}, {"known", known}}).dump());
        added_.clear();
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) + "; the next start reads all files again");
    }
}

std::string hashes_path(const std::string& out) { return out + "/hashes.json"; }

}  // namespace ventral::pipeline
