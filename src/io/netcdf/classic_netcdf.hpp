#pragma once
/// @file
/// Files of netCDF's classic formats (CDF-1, CDF-2, CDF-5) that are cut short. netCDF-C opens them
/// and reads what lies beyond their end as zeros.

#include <string>

namespace ventral::io {

/// Throws `InputError` "path: truncated (needs N bytes, has M)" if the file ends before the values
/// of a variable that its header describes, and if the header itself is cut short or damaged. Files
/// of other formats are left alone. The layout is that of the netCDF Users Guide, "File Format
/// Specifications".
void require_whole_classic(const std::string& path);

}  // namespace ventral::io
