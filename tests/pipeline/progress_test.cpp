#include "pipeline/watch/progress.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "core/log.hpp"
#include "io/input_file.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::Progress;

namespace {

/// While it lives, stderr is `file`.
class Redirected {
public:
    explicit Redirected(int file) : kept_(dup(STDERR_FILENO)) { dup2(file, STDERR_FILENO); }
    ~Redirected() {
        dup2(kept_, STDERR_FILENO);
        close(kept_);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;

private:
    int kept_;
};

/// What `work` writes to stderr when that is a file.
std::string logged(const std::function<void()>& work) {
    const test::TemporaryFolder folder;
    const int file = open(folder.file("log").c_str(), O_CREAT | O_WRONLY, 0600);
    {
        const Redirected redirected(file);
        work();
    }
    close(file);
    return io::read_file(folder.file("log"));
}

/// What `work` writes to stderr when that is a terminal; nothing where none can be had.
std::optional<std::string> drawn(const std::function<void()>& work) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0) {
        WARN("skipped: no pseudo-terminal can be opened (is /dev/pts mounted?)");
        return std::nullopt;
    }
    REQUIRE(grantpt(terminal) == 0);
    REQUIRE(unlockpt(terminal) == 0);
    const int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    REQUIRE(screen >= 0);
    {
        const Redirected redirected(screen);
        work();
    }
    close(screen);
    std::string text;
    std::array<char, 4096> part{};
    // In pieces; with the other side closed the end is an error.
    for (ssize_t size = 0; (size = read(terminal, part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(size));
    close(terminal);
    return text;
}

}  // namespace

TEST_CASE("a log names the work, and no stage that is short") {
    const auto log = logged([] {
        Progress progress(Progress::Shown::yes);
        progress.begin("alexnet on v4 (1 of 4)");
        for (std::size_t i = 1; i <= 3; ++i) progress.step("extract", i, 3);
        progress.step("fit", 1, 2);
    });
    CHECK(log == "info: alexnet on v4 (1 of 4)\n");
}

TEST_CASE("a terminal has a bar of the stage, gone at the end") {
    const auto text = drawn([] {
        Progress progress(Progress::Shown::yes);
        progress.begin("alexnet");
        progress.step("extract", 1, 3);
        core::log_info("a message");
        progress.step("fit", 1, 1);
    });
    if (!text) return;
    // A third of 30 signs.
    CHECK_THAT(*text, Catch::Contains("[##########....................] alexnet: extract 1/3"));
    CHECK_THAT(*text, Catch::Contains("extract 1/3\r\x1b[Kinfo: a message"));
    CHECK_THAT(*text, Catch::EndsWith("\r\x1b[K"));
}

TEST_CASE("a stage without steps is drawn as done") {
    const auto text = drawn([] {
        Progress progress(Progress::Shown::yes);
        progress.step("fit", 0, 0);
    });
    if (!text) return;
    CHECK_THAT(*text, Catch::Contains("[" + std::string(30, '#') + "]"));
}

TEST_CASE("the other ranks show nothing") {
    const auto silent = [] {
        Progress progress(Progress::Shown::no);
        progress.begin("alexnet");
        progress.step("extract", 1, 3);
    };
    CHECK(logged(silent).empty());
}
