#include "core/private_memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <new>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/allocator.hpp"

namespace ventral::core {
namespace {

bool has_room(const rlimit& limit, std::size_t bytes) {
    return static_cast<double>(limit.rlim_cur) >= own_memory("VmData") + static_cast<double>(bytes);
}

/// Of /proc/self/statm, in its order.
struct MemoryStatus {
    enum Field : std::size_t { resident = 1, of_files_and_shared = 2, data = 5, count = 7 };
    std::array<std::size_t, count> bytes{};
};

/// All 0 if the kernel does not say. By system calls alone.
MemoryStatus memory_status() noexcept {
    MemoryStatus status;
    std::array<char, 256> text{};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return status;
    const auto size = read(file, text.data(), text.size());
    close(file);
    std::size_t field = 0;
    for (ssize_t i = 0; i < size && field < MemoryStatus::count; ++i) {
        const char letter = text[static_cast<std::size_t>(i)];
        auto& pages = status.bytes[field];
        if (letter == ' ')
            ++field;
        else if (letter != '\n')
            pages = 10 * pages + static_cast<std::size_t>(letter - '0');
    }
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (auto& pages : status.bytes) pages *= page;
    return status;
}

}  // namespace

double own_memory(const std::string& what) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
        if (word == what + ":") {
            double kibibytes = 0;
            status >> kibibytes;
            return kibibytes * 1024;
        }
    return 0;
}

std::size_t own_resident_memory() noexcept {
    const auto bytes = memory_status().bytes;
    return bytes[MemoryStatus::resident] -
           std::min(bytes[MemoryStatus::resident], bytes[MemoryStatus::of_files_and_shared]);
}

bool has_spare_memory(std::size_t bytes) noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    // What the kernel compares with the limit, and the stack.
    return memory_status().bytes[MemoryStatus::data] + bytes <= limit.rlim_cur;
}

CountsAsPrivate::CountsAsPrivate(std::size_t bytes) {
    rlimit limit{};
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    if (!has_room(limit, bytes)) give_back_freed_memory();
    if (!has_room(limit, bytes)) throw std::bad_alloc();
    limit.rlim_cur -= bytes;
    if (setrlimit(RLIMIT_DATA, &limit) == 0) bytes_ = bytes;
}

CountsAsPrivate::~CountsAsPrivate() {
    if (bytes_ == 0) return;
    rlimit limit{};
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    limit.rlim_cur += bytes_;
    setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace ventral::core
