#include "io/disk/entries_of.hpp"

namespace ventral::io {

std::vector<std::filesystem::path> entries_of(const std::string& folder, std::error_code& error) {
    std::vector<std::filesystem::path> entries;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        entries.push_back(entry->path());
    return entries;
}

std::vector<std::filesystem::path> entries_of(const std::string& folder) {
    std::error_code ignored;
    return entries_of(folder, ignored);
}

}  // namespace ventral::io
