#include "core/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/number_text.hpp"

namespace ventral::core {
namespace {

enum class Version { one, two };

/// A folder of the process's own group or of one above it.
struct Group {
    Version version;
    std::string folder;
};

std::vector<std::string> words(const std::string& text, char separator) {
    std::istringstream stream(text);
    std::vector<std::string> found;
    for (std::string word; std::getline(stream, word, separator);) found.push_back(word);
    return found;
}

bool contains(const std::vector<std::string>& all, const std::string& wanted) {
    return std::find(all.begin(), all.end(), wanted) != all.end();
}

/// A line of /proc/self/cgroup, "4:cpu,cpuacct:/a/b", or of version 2 "0::/a/b".
struct Membership {
    std::vector<std::string> controllers;
    std::string path;

    bool is_of(Version version, const std::string& controller) const {
        return version == Version::two ? controllers.empty() : contains(controllers, controller);
    }
};

std::vector<Membership> memberships(const std::string& root) {
    std::ifstream file(root + "/proc/self/cgroup");
    std::vector<Membership> all;
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        all.push_back(
            {words(line.substr(first + 1, second - first - 1), ','), line.substr(second + 1)});
    }
    return all;
}

/// A line of /proc/self/mountinfo that mounts groups: proc(5).
struct Mount {
    Version version;
    std::string group;  ///< which one is seen at its top; "/": all there are
    std::string folder;
    std::vector<std::string> options;
};

std::optional<Mount> mount_of(const std::string& line) {
    const auto fields = words(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 5 || fields.end() - dash < 4) return std::nullopt;
    if (dash[1] != "cgroup" && dash[1] != "cgroup2") return std::nullopt;
    const auto version = dash[1] == "cgroup2" ? Version::two : Version::one;
    return Mount{version, fields[3], fields[4], words(dash[3], ',')};
}

/// Where a group lies below a mount at whose top another one is seen; "" at the top itself.
std::string seen_path(const std::string& group, const std::string& top) {
    if (group == "/" || group == top) return "";
    return top != "/" && group.rfind(top + "/", 0) == 0 ? group.substr(top.size()) : group;
}

/// The groups of the controller from the process's own to the top one that can be seen. In a
/// container the path may be the host's, of which only the end or nothing is mounted: what is not
/// there has no files.
std::vector<Group> groups_of(const std::string& root, const std::string& controller) {
    const auto all = memberships(root);
    std::vector<Group> groups;
    std::ifstream file(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        const auto mount = mount_of(line);
        if (!mount) continue;
        if (mount->version == Version::one && !contains(mount->options, controller)) continue;
        for (const auto& own : all) {
            if (!own.is_of(mount->version, controller)) continue;
            for (std::string path = seen_path(own.path, mount->group);;) {
                groups.push_back({mount->version, root + mount->folder + path});
                if (path.empty()) break;
                const auto end = path.rfind('/');
                path.erase(end == std::string::npos ? 0 : end);
            }
        }
    }
    return groups;
}

/// The first word of a file as a number; nothing for "max", "-1" and files that are not there.
std::optional<double> number_in(const std::string& path) {
    std::ifstream file(path);
    std::string word;
    if (!(file >> word)) return std::nullopt;
    const auto number = parse_number(word);
    return number && *number >= 0 ? number : std::nullopt;
}

/// Of a file with lines "name number".
double entry(const std::string& path, const std::string& wanted) {
    std::ifstream file(path);
    std::string name;
    double number = 0;
    while (file >> name >> number)
        if (name == wanted) return number;
    return 0;
}

double used_memory(const Group& group) {
    const auto path = group.folder + "/memory.stat";
    if (group.version == Version::two) return entry(path, "anon") + entry(path, "shmem");
    return entry(path, "total_rss") + entry(path, "total_shmem");
}

/// Version 1 says "no limit" with the largest number of pages.
constexpr double unlimited = 9e18;

std::optional<double> processors_of(const Group& group) {
    if (group.version == Version::two) {
        std::ifstream file(group.folder + "/cpu.max");
        std::string quota;
        double period = 0;
        if (!(file >> quota >> period) || period <= 0) return std::nullopt;
        const auto microseconds = parse_number(quota);
        return microseconds ? std::optional(*microseconds / period) : std::nullopt;
    }
    const auto quota = number_in(group.folder + "/cpu.cfs_quota_us");
    const auto period = number_in(group.folder + "/cpu.cfs_period_us");
    return quota && period && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

/// Of "0-3,8".
std::size_t count_in(const std::string& list) {
    std::size_t count = 0;
    for (const auto& range : words(list, ',')) {
        const auto ends = words(range, '-');
        const auto first = ends.empty() ? std::nullopt : parse_integer(ends.front());
        const auto last = ends.empty() ? std::nullopt : parse_integer(ends.back());
        if (first && last && *first <= *last) count += static_cast<std::size_t>(*last - *first + 1);
    }
    return count;
}

}  // namespace

std::optional<GroupMemory> group_memory(const std::string& root) {
    std::optional<GroupMemory> tightest;
    for (const auto& group : groups_of(root, "memory"))
        for (const auto* name : {"memory.max", "memory.high", "memory.limit_in_bytes"}) {
            const auto file = group.folder + "/" + name;
            const auto bytes = number_in(file);
            if (bytes && *bytes < unlimited && (!tightest || *bytes < tightest->bytes))
                tightest = {*bytes, used_memory(group), file};
        }
    return tightest;
}

std::optional<double> group_processors(const std::string& root) {
    std::optional<double> tightest;
    for (const auto& group : groups_of(root, "cpu"))
        if (const auto processors = processors_of(group))
            tightest = std::min(*processors, tightest.value_or(*processors));
    return tightest;
}

std::optional<std::size_t> group_cpuset(const std::string& root) {
    for (const auto& group : groups_of(root, "cpuset"))
        for (const auto* name : {"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"}) {
            std::ifstream file(group.folder + "/" + name);
            std::string list;
            if (file >> list && count_in(list) > 0) return count_in(list);
        }
    return std::nullopt;
}

}  // namespace ventral::core
