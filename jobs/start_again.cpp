#include "start_again.hpp"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace ventral::jobs {
namespace {

/// Of a program that asks for a loader the kernel says where that is; one that is a loader itself
/// asks for none.
bool was_given_to_loader() { return getauxval(AT_BASE) == 0; }

/// What this process was started with: the loader takes its own words out of the arguments. Read
/// without streams, which need the libraries.
std::vector<std::string> all_words() {
    std::vector<std::string> words;
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    std::string word;
    for (char byte = 0; file >= 0 && read(file, &byte, 1) == 1;) {
        if (byte == '\0')
            words.push_back(std::exchange(word, {}));
        else
            word += byte;
    }
    if (file >= 0) close(file);
    return words;
}

}  // namespace

std::vector<std::string> command_to_start(std::vector<std::string> arguments) {
    if (!was_given_to_loader()) return arguments;
    const auto* program = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    auto words = all_words();
    const auto found = program ? std::find(words.begin(), words.end(), program) : words.end();
    if (found == words.end()) return arguments;
    words.erase(found + 1, words.end());
    words.insert(words.end(), arguments.begin() + 1, arguments.end());
    return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace ventral::jobs
