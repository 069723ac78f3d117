#include "pipeline/extraction/activations_budget.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/disk/entries_of.hpp"
#include "io/disk/file_lock.hpp"

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
    for (const auto& path : io::entries_of(folder)) {
        if (!is_counted(path)) continue;
        std::error_code gone;
        StoredFile file{path.string(), fs::file_size(path, gone), {}};
        if (!gone) file.used = fs::last_write_time(path, gone);
        if (!gone) files.push_back(std::move(file));
    }
    return files;
}

}  // namespace

bool ActivationsInUse::add(const std::string& path) {
    if (is_there(path)) return true;
    release(path);
    // On a file system that gives a file another number each time, the last one opened is it.
    constexpr int most_replaced = 100;
    for (int replaced = 0;; ++replaced) {
        io::Descriptor file(path, O_RDONLY | O_NONBLOCK);
        if (!file) return false;
        io::wait_for_lock(file, io::LockKind::shared);
        const bool was_replaced = !file.has_name(path);  // or removed, before it was locked
        if (was_replaced && replaced < most_replaced) continue;
        futimens(file.id(), nullptr);
        files_[path] = std::move(file);
        return true;
    }
}

bool ActivationsInUse::is_there(const std::string& path) const {
    const auto found = files_.find(path);
    return found != files_.end() && found->second.has_name(path);
}

void ActivationsInUse::release(const std::string& path) { files_.erase(path); }

void ActivationsInUse::release() { files_.clear(); }

std::uint64_t ActivationsInUse::bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& [path, file] : files_) {
        struct stat status {};
        if (fstat(file.id(), &status) == 0) bytes += static_cast<std::uint64_t>(status.st_size);
    }
    return bytes;
}

Removal remove_unless_in_use(const std::string& path) {
    // For an exclusive lock NFS wants a descriptor that may write.
    const io::Descriptor file(path, O_RDWR);
    if (!file) return Removal::failed;
    const auto answer = io::try_lock(file, io::LockKind::exclusive);
    if (answer == io::LockAnswer::taken_by_another) return Removal::in_use;
    if (answer == io::LockAnswer::no_locks) return Removal::no_locks;
    // Another file may have been given the name since it was opened.
    if (!file.has_name(path)) return Removal::in_use;
    return unlink(path.c_str()) == 0 ? Removal::done : Removal::failed;
}

std::uint64_t activations_bytes(const std::string& folder) {
    std::uint64_t total = 0;
    for (const auto& file : stored_files(folder)) total += file.bytes;
    return total;
}

std::uint64_t keep_within_budget(const std::string& folder, std::uint64_t budget) {
    auto files = stored_files(folder);
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.used < b.used; });
    std::uint64_t total = 0;
    for (const auto& file : files) total += file.bytes;
    for (const auto& file : files) {
        if (total <= budget) return total;
        if (remove_unless_in_use(file.path) != Removal::done) continue;
        total -= file.bytes;
        core::log_info("activations budget: removed " + file.path + " (" +
                       core::bytes_text(static_cast<double>(file.bytes)) + ")");
    }
    if (total > budget)
        core::log_warning(folder + ": takes " + core::bytes_text(static_cast<double>(total)) +
                          ", more than the activations budget (the rest is in use, or the file "
                          "system has no locks)");
    return total;
}

ActivationsBudget::ActivationsBudget(std::string folder, std::uint64_t bytes, std::size_t writers)
    : folder_(std::move(folder)), budget_(bytes), writers_(writers) {}

void ActivationsBudget::have_used(std::uint64_t bytes) {
    if (bytes < share_) {
        share_ -= bytes;
        return;
    }
    const auto total = keep_within_budget(folder_, budget_);
    share_ = total < budget_ ? (budget_ - total) / (2 * writers_) : 0;
}

}  // namespace ventral::pipeline
