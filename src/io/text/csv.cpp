#include "io/text/csv.hpp"

#include <set>

#include "core/errors.hpp"
#include "core/utf8.hpp"

namespace ventral::io {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool begins_as_utf16(std::string_view text) {
    return text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF";
}

bool begins_as_netcdf(std::string_view text) {
    return text.starts_with("\x89HDF") || text.starts_with("CDF\x01") ||
           text.starts_with("CDF\x02") || text.starts_with("CDF\x05");
}

bool begins_as_image(std::string_view text) {
    return text.starts_with("\x89PNG") || text.starts_with("\xFF\xD8\xFF");
}

/// Of the byte at `position`, counted from 1.
std::size_t line_at(std::string_view text, std::size_t position) {
    std::size_t line = 1;
    for (std::size_t i = 0; i < position; ++i)
        if (text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n")) ++line;
    return line;
}

class Parser {
public:
    Parser(const std::string& path, std::string_view text) : path_(path), text_(text) {
        check_encoding();
        if (text_.substr(0, byte_order_mark.size()) == byte_order_mark) {
            text_.remove_prefix(byte_order_mark.size());
        }
    }

    bool at_end() const { return position_ == text_.size(); }

    CsvRow next_row() {
        CsvRow row;
        row.line = line_;
        do {
            row.fields.push_back(peek() == '"' ? quoted_field() : plain_field());
        } while (accept(','));
        end_line();
        return row;
    }

    [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
        throw core::InputError(path_ + ":" + std::to_string(line) + ": " + problem);
    }

private:
    void check_encoding() const {
        if (begins_as_image(text_))
            throw core::InputError(path_ + ": is an image, name its folder or a stimulus table");
        if (begins_as_netcdf(text_))
            throw core::InputError(path_ + ": is netCDF or HDF5, name a stimulus table (CSV)");
        if (begins_as_utf16(text_)) fail(1, "is UTF-16, save it as UTF-8");
        if (const auto zero = text_.find('\0'); zero != text_.npos)
            fail(line_at(text_, zero), "has a zero byte (UTF-16?), save it as UTF-8");
        if (const auto position = core::first_not_utf8(text_))
            fail(line_at(text_, *position), "is not UTF-8, save it as UTF-8");
    }

    /// The next character; a line feed at the end and for a carriage return.
    char peek() const {
        if (at_end()) return '\n';
        return text_[position_] == '\r' ? '\n' : text_[position_];
    }

    bool accept(char wanted) {
        if (at_end() || text_[position_] != wanted) return false;
        ++position_;
        return true;
    }

    void end_line() {
        if (at_end()) return;
        accept('\r');
        accept('\n');
        ++line_;
    }

    std::string plain_field() {
        const auto start = position_;
        while (peek() != ',' && peek() != '\n') ++position_;
        return std::string(text_.substr(start, position_ - start));
    }

    std::string quoted_field() {
        const auto first_line = line_;
        std::string field;
        for (accept('"'); !at_end(); ++position_) {
            const char character = text_[position_];
            if (character == '\n' || (character == '\r' && !crlf())) ++line_;
            if (character == '"') {
                ++position_;
                if (at_end() || text_[position_] != '"') return closed(std::move(field));
            }
            field += character;
        }
        fail(first_line, "a quote is opened and never closed");
    }

    std::string closed(std::string field) const {
        if (peek() != ',' && peek() != '\n')
            fail(line_, "text after the closing quote of a field" +
                            separator_hint(text_.substr(position_, 1)));
        return field;
    }

    bool crlf() const { return text_.substr(position_, 2) == "\r\n"; }

    const std::string& path_;
    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t line_ = 1;
};

bool is_blank(const CsvRow& row) { return row.fields.size() == 1 && row.fields[0].empty(); }

void check_names(const Parser& parser, const CsvRow& header) {
    std::set<std::string> seen;
    for (const auto& name : header.fields) {
        if (!name.empty() && !seen.insert(name).second) {
            parser.fail(header.line, "two columns are named '" + name + "'");
        }
    }
}

}  // namespace

CsvTable parse_csv(const std::string& path, std::string_view text) {
    Parser parser(path, text);
    CsvTable table;
    while (!parser.at_end()) {
        auto row = parser.next_row();
        if (is_blank(row)) continue;
        if (table.names.empty()) {
            check_names(parser, row);
            table.names = std::move(row.fields);
            continue;
        }
        if (row.fields.size() != table.names.size()) {
            parser.fail(row.line, "has " + std::to_string(row.fields.size()) +
                                      " fields where the header has " +
                                      std::to_string(table.names.size()) +
                                      separator_hint(table.names.front()));
        }
        table.rows.push_back(std::move(row));
    }
    if (table.names.empty()) parser.fail(1, "the table is empty (it needs a header line)");
    return table;
}

std::string separator_hint(std::string_view text) {
    const auto hint = [](const std::string& separator) {
        return " (the separator must be a comma, not " + separator + ")";
    };
    if (text.find('\t') != text.npos) return hint("a tab");
    return text.find(';') == text.npos ? "" : hint("';'");
}

}  // namespace ventral::io
