#include "start_again.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace ventral::jobs {
namespace {

constexpr const char* own_executable = "/proc/self/exe";

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

std::string beside(const std::string& program) {
    char* const path = realpath(program.c_str(), nullptr);
    const std::string found = path ? path : program;
    std::free(path);
    return found.substr(0, found.rfind('/') + 1) + networks_program;
}

/// With the words for the loader before the program, which `replace` may replace.
template <class Replace>
StartCommand command(std::vector<std::string> arguments, const Replace& replace) {
    if (!was_given_to_loader()) return {replace(own_executable), std::move(arguments)};
    const auto* program = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    auto words = all_words();
    const auto found = program ? std::find(words.begin(), words.end(), program) : words.end();
    if (found == words.end()) return {own_executable, std::move(arguments)};
    *found = replace(*found);
    if (access(found->c_str(), X_OK) != 0) return {*found, std::move(arguments)};  // fails as such
    words.erase(found + 1, words.end());
    words.insert(words.end(), arguments.begin() + 1, arguments.end());
    return {own_executable, std::move(words)};
}

}  // namespace

StartCommand command_to_start(std::vector<std::string> arguments) {
    return command(std::move(arguments), [](const std::string& program) { return program; });
}

StartCommand command_to_start_networks(std::vector<std::string> arguments) {
    return command(std::move(arguments), beside);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace ventral::jobs
