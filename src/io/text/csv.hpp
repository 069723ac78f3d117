#pragma once
/// @file
/// Tables as comma-separated text (RFC 4180): quotes, line breaks inside quotes, CRLF or CR alone,
/// a byte order mark. What the fields mean is decided elsewhere.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ventral::io {

struct CsvRow {
    std::size_t line = 0;  ///< where it begins, counted from 1
    std::vector<std::string> fields;
};

/// The header and the rows below it; every row has as many fields as the header.
struct CsvTable {
    std::vector<std::string> names;
    std::vector<CsvRow> rows;
};

/// Parses `text`; empty lines are skipped, and a quote inside a field that does not begin with one
/// is taken as it is. Throws `InputError` that begins with "path:line" for text that is not UTF-8,
/// an empty table, a row that is too short or too long, a column named twice, a quote that is not
/// closed and text after a closing one.
CsvTable parse_csv(const std::string& path, std::string_view text);

/// " (the separator must be a comma, not …)" if `text`, of a header that was not understood, has a
/// separator of other tables; else empty.
std::string separator_hint(std::string_view text);

}  // namespace ventral::io
