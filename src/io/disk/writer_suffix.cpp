#include "io/disk/writer_suffix.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <random>
#include <sstream>

#include <unistd.h>

#include "core/hash.hpp"
#include "core/where_and_when.hpp"

namespace ventral::io {

std::string unique_suffix() {
    std::random_device source;
    constexpr char digits[] = "0123456789abcdef";
    std::string suffix;
    for (int word = 0; word < 2; ++word) {
        std::uint32_t bits = source();
        for (int digit = 0; digit < 8; ++digit, bits >>= 4) suffix += digits[bits & 15];
    }
    return suffix;
}

std::string writer_suffix() {
    return unique_suffix() + "." + this_machine() + "-" + std::to_string(getpid());
}

std::string this_machine() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::error_code absent;
    const auto processes = std::filesystem::read_symlink("/proc/self/ns/pid", absent).string();
    if (boot.empty() || processes.empty()) return unknown_machine;
    std::ostringstream digits;
    digits << std::hex << std::setw(8) << std::setfill('0')
           << core::crc32c(core::host_name() + " " + boot + " " + processes);
    return digits.str();
}

}  // namespace ventral::io
