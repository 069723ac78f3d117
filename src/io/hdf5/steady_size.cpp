#include "io/hdf5/steady_size.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/errors.hpp"
#include "io/input_file.hpp"

namespace ventral::io {

SteadySize::SteadySize(const std::string& path) {
    require_regular_file(path);
    file_ = Descriptor(path, O_RDONLY);
    size_ = bytes(path);
}

std::uint64_t SteadySize::bytes(const std::string& path) const {
    struct stat status {};
    if (!file_ || fstat(file_.id(), &status) != 0)
        core::throw_system_error(path + ": cannot be read", errno);
    return static_cast<std::uint64_t>(status.st_size);
}

void SteadySize::require(const std::string& path) const {
    const auto now = bytes(path);
    if (now == size_) return;
    throw core::TransientError(path + ": was changed while it was read (it ends at byte " +
                               std::to_string(now) + ", ended at " + std::to_string(size_) +
                               ") run again when nothing writes to it");
}

}  // namespace ventral::io
