#include "pipeline/activations_budget.hpp"

#include <algorithm>
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

/// Not if another holds its lock, or if the file system has none.
bool remove_unless_in_use(const std::string& path) {
    // For an exclusive lock NFS wants a descriptor that may write.
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool removed = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && unlink(path.c_str()) == 0;
    close(descriptor);
    return removed;
}

}  // namespace

ActivationsInUse::~ActivationsInUse() { release(); }

bool ActivationsInUse::add(const std::string& path) {
    if (descriptors_.count(path) > 0) return true;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    flock(descriptor, LOCK_SH);
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || status.st_nlink == 0) {
        close(descriptor);
        return false;
    }
    futimens(descriptor, nullptr);
    descriptors_[path] = descriptor;
    return true;
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

void keep_within_budget(const std::string& folder, std::uint64_t budget) {
    auto files = stored_files(folder);
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.used < b.used; });
    std::uint64_t total = 0;
    for (const auto& file : files) total += file.bytes;
    for (const auto& file : files) {
        if (total <= budget) return;
        if (!remove_unless_in_use(file.path)) continue;
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
