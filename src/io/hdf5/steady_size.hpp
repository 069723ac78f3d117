#pragma once
/// @file
/// The size of a file that HDF5 or netCDF has open. Both read what lies beyond a file's end as
/// zeros, so that one that is cut short or grows meanwhile has to be found out here.

#include <cstdint>
#include <string>

#include "io/disk/descriptor.hpp"

namespace ventral::io {

class SteadySize {
public:
    /// To be made before the file is opened elsewhere. Throws as `require_regular_file`.
    explicit SteadySize(const std::string& path);

    /// To be called after each reading. Throws `core::TransientError`, for trying again helps, if
    /// the file that had this name then has another size by now, whatever has the name now.
    void require(const std::string& path) const;

private:
    std::uint64_t bytes(const std::string& path) const;

    Descriptor file_;
    std::uint64_t size_ = 0;
};

}  // namespace ventral::io
