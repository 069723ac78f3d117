#include "config/file_value.hpp"

#include <cstddef>

namespace ventral::config {
namespace {

char lower_hexadecimal(char digit) {
    return digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit;
}

}  // namespace

std::string read_checksum(const Value& value, Checksum kind) {
    const std::size_t digits = kind == Checksum::sha1 ? 40 : 64;
    auto digest = value.text();
    for (auto& digit : digest) digit = lower_hexadecimal(digit);
    if (digest.size() != digits ||
        digest.find_first_not_of("0123456789abcdef") != std::string::npos)
        value.fail("a checksum of " + std::to_string(digits) + " hexadecimal digits is wanted");
    return digest;
}

NamedFile read_file_value(const Value& value, Checksum kind, const std::string& toml_file,
                          const ConfigPlaces& places) {
    NamedFile file;
    if (value.is_text()) {
        file.path = resolve(value.text(), toml_file, places);
        return file;
    }
    if (!value.is_table()) value.fail_type("a table { file = … } or the name of a file");
    auto table = value.table();
    file.path = resolve(table.need("file").text(), toml_file, places);
    if (kind != Checksum::none)
        if (const auto digest = table.find(kind == Checksum::sha1 ? "sha1" : "sha256"))
            file.checksum = read_checksum(*digest, kind);
    if (kind != Checksum::sha256)
        if (const auto variable = table.find("variable")) file.variable = variable->text();
    if (kind == Checksum::sha1) {
        if (const auto rename = table.find("rename"))
            for (const auto& [from, to] : rename->table().entries()) file.renamed[from] = to.text();
        if (const auto drop = table.find("drop"))
            for (const auto& name : drop->texts())
                if (!file.renamed.emplace(name, "").second)
                    drop->fail("coordinate '" + name + "' is renamed and dropped");
    }
    table.finish();
    return file;
}

}  // namespace ventral::config
