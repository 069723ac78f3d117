#include "core/private_memory.hpp"

#include <fstream>
#include <new>

#include <sys/mman.h>
#include <sys/resource.h>

#include "core/allocator.hpp"

namespace ventral::core {
namespace {

bool has_room(const rlimit& limit, std::size_t bytes) {
    return static_cast<double>(limit.rlim_cur) >= own_memory("VmData") + static_cast<double>(bytes);
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
    void* spare = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (spare == MAP_FAILED) return false;
    munmap(spare, bytes);
    return true;
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
