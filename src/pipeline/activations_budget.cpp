#include "pipeline/activations_budget.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/log.hpp"
#include "core/number_text.hpp"

namespace ventral::pipeline {
namespace {

namespace fs = std::filesystem;

bool has_name(int descriptor, const std::string& path) {
    struct stat held {
    }, named{};
    return fstat(descriptor, &held) == 0 && stat(path.c_str(), &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

struct StoredFile {
    std::string path;
    std::uint64_t bytes;
    fs::file_time_type used;
};

/// Activations, and projections of them.
bool is_counted(const fs::path& file) {
    return file.extension() == ".h5" || file.extension() == ".nc";
}

std::vector<StoredFile> stored_files(const std::string& folder) {
    std::vector<StoredFile> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code gone;
        if (!is_counted(entry->path())) continue;
        StoredFile file{entry->path().string(), entry->file_size(gone), {}};
        if (!gone) file.used = entry->last_write_time(gone);
        if (!gone) files.push_back(std::move(file));
    }
    return files;
}

Removal remove_locked(int descriptor, const std::string& path) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? Removal::in_use : Removal::no_locks;
    // Another file may have been given the name since it was opened.
    if (!has_name(descriptor, path)) return Removal::in_use;
    return unlink(path.c_str()) == 0 ? Removal::done : Removal::failed;
}

}  // namespace

ActivationsInUse::~ActivationsInUse() { release(); }

bool ActivationsInUse::add(const std::string& path) {
    if (is_there(path)) return true;
    release(path);
    // On a file system that gives a file another number each time, the last one opened is it.
    constexpr int most_replaced = 100;
    for (int replaced = 0;; ++replaced) {
        const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor < 0) return false;
        flock(descriptor, LOCK_SH);
        if (has_name(descriptor, path) || replaced == most_replaced) {
            futimens(descriptor, nullptr);
            descriptors_[path] = descriptor;
            return true;
        }
        close(descriptor);  // it was removed or replaced before it was locked
    }
}

bool ActivationsInUse::is_there(const std::string& path) const {
    const auto found = descriptors_.find(path);
    return found != descriptors_.end() && has_name(found->second, path);
}

void ActivationsInUse::release(const std::string& path) {
    const auto found = descriptors_.find(path);
    if (found == descriptors_.end()) return;
    close(found->second);
    descriptors_.erase(found);
}

void ActivationsInUse::release() {
    for (const auto& [path, descriptor] : descriptors_) close(descriptor);
    descriptors_.clear();
}

Removal remove_unless_in_use(const std::string& path) {
    // For an exclusive lock NFS wants a descriptor that may write.
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return Removal::failed;
    const auto removal = remove_locked(descriptor, path);
    close(descriptor);
    return removal;
}

void keep_within_budget(const std::string& folder, std::uint64_t budget) {
    auto files = stored_files(folder);
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.used < b.used; });
    std::uint64_t total = 0;
    for (const auto& file : files) total += file.bytes;
    for (const auto& file : files) {
        if (total <= budget) return;
        if (remove_unless_in_use(file.path) != Removal::done) continue;
        total -= file.bytes;
        core::log_info("activations budget: removed " + file.path + " (" +
                       core::bytes_text(static_cast<double>(file.bytes)) + ")");
    }
    if (total > budget)
        core::log_warning(folder + ": takes " + core::bytes_text(static_cast<double>(total)) +
                          ", more than the activations budget (the rest is in use, or the file "
                          "system has no locks)");
}

}  // namespace ventral::pipeline
