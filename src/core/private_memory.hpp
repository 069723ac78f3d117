#pragma once
/// @file
/// What the kernel says of the memory of this process, and what it lets the process take for itself
/// (RLIMIT_DATA).

#include <cstddef>
#include <string>

namespace ventral::core {

/// In bytes: "VmRSS", "VmData" … of /proc/self/status.
double own_memory(const std::string& what);

/// What is in memory and no file's, nor shared with other processes; 0 if the kernel does not say.
std::size_t own_resident_memory() noexcept;

/// What blocks for tensors leave to all that takes little: libraries do not always look whether
/// they have got it. oneDNN writes the code of an operator to where there is no memory.
inline constexpr std::size_t spare_memory = std::size_t{16} << 20;

/// Whether the process may still take so many bytes, as far as RLIMIT_DATA bounds it. Takes
/// nothing, and is safe in signal handlers.
bool has_spare_memory(std::size_t bytes = spare_memory) noexcept;

/// Whether so little is left that a fault, or an error, may be for want of memory.
inline bool is_memory_used_up() noexcept { return !has_spare_memory(2 * spare_memory); }

/// While it lives, the process may take so much less for itself: its share of memory that it has
/// together with others, which the kernel does not count there. Nothing where there is no bound.
class CountsAsPrivate {
public:
    /// Throws `std::bad_alloc` if the process has too much already.
    explicit CountsAsPrivate(std::size_t bytes);
    ~CountsAsPrivate();
    CountsAsPrivate(const CountsAsPrivate&) = delete;
    CountsAsPrivate& operator=(const CountsAsPrivate&) = delete;

private:
    std::size_t bytes_ = 0;
};

}  // namespace ventral::core
