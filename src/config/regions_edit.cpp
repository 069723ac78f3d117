#include "config/regions_edit.hpp"

#include <algorithm>

#include "config/table.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "io/input_file.hpp"

namespace ventral::config {
namespace {

/// In double quotes, as in the records that there are; the library writes single ones.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') out += '\\';
        if (code < 0x20 || code == 0x7f) {
            out += "\\u00";
            for (const int digit : {code / 16, code % 16}) out += "0123456789ABCDEF"[digit];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string key_text(const std::string& key) {
    const auto is_bare = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    return !key.empty() && std::all_of(key.begin(), key.end(), is_bare) ? key : quoted(key);
}

std::string list_text(const std::vector<std::string>& layers) {
    std::string text;
    for (const auto& layer : layers) core::add_part(text, quoted(layer));
    return "[" + text + "]";
}

/// TOML counts code points, from 1.
std::size_t offset_of(const std::string& text, const toml::source_position& position) {
    std::size_t at = 0;
    for (toml::source_index line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
    for (toml::source_index column = 1; column < position.column && at < text.size(); ++column) do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
    return at;
}

std::string line_end(const std::string& text) {
    return text.find("\r\n") == std::string::npos ? "\n" : "\r\n";
}

void insert_line(std::string& text, std::size_t at, const std::string& line) {
    text.insert(at, line + line_end(text));
}

/// After the line that `at` is in, which gets an end if it has none.
void insert_line_below(std::string& text, std::size_t at, const std::string& line) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) text += line_end(text);
    insert_line(text, end == std::string::npos ? text.size() : end + 1, line);
}

/// Adds the entry to regions that there are, in the form in which they are written.
void add_entry(std::string& text, const toml::table& regions, const std::string& entry) {
    const std::size_t at = offset_of(text, regions.source().begin);
    if (regions.is_inline())
        text.insert(at + 1, " " + entry + (regions.empty() ? " " : ","));
    else if (text[at] == '[')
        insert_line_below(text, at, entry);
    else  // regions.V4 = …
        insert_line(text, text.rfind('\n', at) + 1, "regions." + entry);
}

std::string edited(std::string text, const toml::table& record, const std::string& region,
                   const std::vector<std::string>& layers) {
    const auto entry = region_entry(region, layers);
    const auto* regions = record["regions"].as_table();
    if (!regions) {
        if (!text.empty() && text.back() != '\n') text += line_end(text);
        for (const auto& line : {std::string(), std::string("[regions]"), entry})
            insert_line(text, text.size(), line);
        return text;
    }
    const auto* present = regions->get(region);
    if (!present) {
        add_entry(text, *regions, entry);
        return text;
    }
    const std::size_t begin = offset_of(text, present->source().begin);
    const std::size_t end = offset_of(text, present->source().end);
    return text.replace(begin, end - begin, list_text(layers));
}

/// What the file should say afterwards.
toml::table wanted(toml::table record, const std::string& region,
                   const std::vector<std::string>& layers) {
    toml::array list;
    for (const auto& layer : layers) list.push_back(layer);
    if (!record.contains("regions")) record.insert("regions", toml::table{});
    record["regions"].as_table()->insert_or_assign(region, std::move(list));
    return record;
}

bool says(const std::string& text, const toml::table& record) {
    try {
        return toml::parse(text) == record;
    } catch (const toml::parse_error&) {
        return false;
    }
}

}  // namespace

std::string region_entry(const std::string& region, const std::vector<std::string>& layers) {
    return key_text(region) + " = " + list_text(layers);
}

std::string with_region(const std::string& path, const std::string& region,
                        const std::vector<std::string>& layers) {
    const auto record = parse_toml(path);
    if (record.contains("regions") && !record["regions"].is_table())
        throw core::InputError(path + ": 'regions' must be a table");
    auto text = edited(io::read_file(path), record, region, layers);
    if (!says(text, wanted(record, region, layers)))
        throw core::InputError(path + ": the entry of region '" + region +
                               "' cannot be changed (it is written in an unusual form) put " +
                               region_entry(region, layers) + " under [regions] by hand");
    return text;
}

}  // namespace ventral::config
