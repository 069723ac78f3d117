#include "io/disk/leftovers.hpp"

#include <chrono>
#include <fstream>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "io/disk/writer_suffix.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::remove_leftovers;
using std::filesystem::exists;

namespace {

using Time = std::filesystem::file_time_type;

const std::string unique = ".0123456789abcdef";

/// A file that was last written `hours` ago.
std::string left(const test::TemporaryFolder& folder, const std::string& name, int hours) {
    const auto path = folder.file(name);
    std::ofstream(path) << "half";
    std::filesystem::last_write_time(path, Time::clock::now() - std::chrono::hours(hours));
    return path;
}

/// The suffix of a process of this machine that has ended.
std::string suffix_of_dead_writer() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    const auto mine = io::writer_suffix();
    return mine.substr(0, mine.rfind('-') + 1) + std::to_string(child);
}

}  // namespace

TEST_CASE("what a process of this machine has left goes once it is dead, however young") {
    const test::TemporaryFolder folder;
    const auto dead = suffix_of_dead_writer();
    const auto mine = left(folder, "a.h5." + io::writer_suffix() + ".tmp", 100);
    const auto theirs = left(folder, "a.h5." + dead + ".tmp", 0);
    const auto probe = left(folder, "probe." + dead, 0);
    const auto at = folder.path().string();
    CHECK(io::leftover_bytes(at, Time::clock::now()) == 2 * std::string("half").size());
    CHECK(remove_leftovers(at, Time::clock::now()) == 2);
    CHECK(io::leftover_bytes(at, Time::clock::now()) == 0);
    CHECK(exists(mine));
    CHECK_FALSE(exists(theirs));
    CHECK_FALSE(exists(probe));
}

TEST_CASE("what another machine, or an older version, has left goes after a day") {
    const test::TemporaryFolder folder;
    const auto elsewhere = "b.h5" + unique + ".00000000-1.tmp";
    const auto young = left(folder, elsewhere, 23);
    const auto old = left(folder, "c.h5" + unique + ".00000000-1.tmp", 25);
    const auto young_of_before = left(folder, "d.h5" + unique + ".tmp", 23);
    const auto old_of_before = left(folder, "e.h5" + unique + ".tmp", 25);
    const auto old_probe = left(folder, "probe" + unique, 25);
    CHECK(remove_leftovers(folder.path().string(), Time::clock::now()) == 3);
    CHECK((exists(young) && exists(young_of_before)));
    CHECK_FALSE((exists(old) || exists(old_of_before) || exists(old_probe)));
}

TEST_CASE("folders go with all that is in them, when nothing there is young") {
    const test::TemporaryFolder folder;
    const auto make = [&](const std::string& name, int hours) {
        std::filesystem::create_directory(folder.file(name));
        left(folder, name + "/scores", hours);
        std::filesystem::last_write_time(folder.file(name),
                                         Time::clock::now() - std::chrono::hours(100));
        return folder.file(name);
    };
    const auto dead = make("audit." + suffix_of_dead_writer() + ".tmp", 0);
    const auto mine = make("audit." + io::writer_suffix() + ".tmp", 100);
    const auto at_work = make("audit" + unique + ".00000000-1.tmp", 23);
    const auto old = make("audit" + unique + ".00000000-2.tmp", 25);
    const auto kept = make("audit" + unique, 100);
    CHECK(remove_leftovers(folder.path().string(), Time::clock::now()) == 2);
    CHECK_FALSE((exists(dead) || exists(old)));
    CHECK((exists(mine) && exists(at_work) && exists(kept)));
}

TEST_CASE("nothing else goes") {
    const test::TemporaryFolder folder;
    for (const auto& name : {"a.h5", "a.h5.tmp", "notes.tmp", "local-r0.0123456789abcdef.journal",
                             "audit.0123456789abcdef", "probe.txt"})
        left(folder, name, 1000);
    std::filesystem::create_directory(folder.file("f.0123456789abcdef.tmp"));
    CHECK(remove_leftovers(folder.path().string(), Time::clock::now()) == 0);
    CHECK(remove_leftovers(folder.file("absent"), Time::clock::now()) == 0);
}
