#include "core/private_memory.hpp"

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

}  // namespace

namespace {

/// What the kernel compares with the limit, and the stack; 0 if it does not say. By system calls
/// alone.
std::size_t data_bytes() noexcept {
    constexpr int field = 6;  // of /proc/self/statm, in pages
    std::array<char, 256> text{};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const auto size = read(file, text.data(), text.size());
    close(file);
    std::size_t pages = 0;
    int at = 1;
    for (ssize_t i = 0; i < size && at <= field; ++i) {
        const char letter = text[static_cast<std::size_t>(i)];
        if (letter == ' ')
            ++at;
        else if (at == field)
            pages = 10 * pages + static_cast<std::size_t>(letter - '0');
    }
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
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

bool has_spare_memory(std::size_t bytes) noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    return data_bytes() + bytes <= limit.rlim_cur;
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
