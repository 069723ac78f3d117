#include "core/log.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

using namespace ventral::core;

namespace {

/// What `action` writes to the file descriptor `descriptor`.
template <typename Action>
std::string written_to(int descriptor, const Action& action) {
    const ventral::test::TemporaryFolder folder;
    const auto path = folder.file("captured");
    std::fflush(nullptr);
    const int saved = dup(descriptor);
    const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(file, descriptor);
    action();
    std::fflush(nullptr);
    dup2(saved, descriptor);
    close(file);
    close(saved);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("messages are lines on stderr with level and prefix") {
    configure_log({LogLevel::info, "rank 3: "});
    CHECK(written_to(STDERR_FILENO, [] { log_info("half done"); }) == "rank 3: info: half done\n");
    CHECK(written_to(STDOUT_FILENO, [] { log_error("not a result"); }).empty());
}

TEST_CASE("what is printed before a message comes before it in a file that gets both") {
    configure_log({LogLevel::info, ""});
    const auto both = written_to(STDERR_FILENO, [] {
        const int out = dup(STDOUT_FILENO);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        std::cout << "a result ";
        log_info("done");
        dup2(out, STDOUT_FILENO);
        close(out);
    });
    CHECK(both == "a result info: done\n");
}

TEST_CASE("messages and prefixes are shown as they are") {
    configure_log({LogLevel::info, "100% {}: "});
    CHECK(written_to(STDERR_FILENO, [] { log_warning("50% {} %v"); }) ==
          "100% {}: warning: 50% {} %v\n");
}

TEST_CASE("a warning that is to be shown once is not repeated") {
    configure_log({LogLevel::info, ""});
    CHECK(written_to(STDERR_FILENO, [] {
              for (const auto* text : {"a width", "another", "a width"}) log_warning_once(text);
          }) == "warning: a width\nwarning: another\n");
}

TEST_CASE("messages below the chosen level are not shown") {
    configure_log({LogLevel::warning, ""});
    CHECK(written_to(STDERR_FILENO, [] { log_info("detail"); }).empty());
    CHECK(written_to(STDERR_FILENO, [] { log_error("broken"); }) == "error: broken\n");
}
