#include "io/disk/direct_writes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "io/disk/direct_reads.hpp"
#include "io/file_size_limit.hpp"
#include "io/page_cache.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

constexpr std::size_t page = io::direct_alignment;
constexpr std::size_t mib = std::size_t{1} << 20;

/// No two pages of it are alike.
std::vector<std::byte> made_up(std::size_t size, unsigned start = 0) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>((start + i) % 251 + i / page);
    return bytes;
}

/// A file whose places are there already, as those of activations are.
class OpenFile {
public:
    OpenFile(const std::string& path, std::size_t size)
        : path_(path), descriptor_(open(path.c_str(), O_RDWR | O_CREAT, 0600)) {
        REQUIRE(descriptor_ >= 0);
        if (fallocate(descriptor_, 0, 0, static_cast<off_t>(size)) != 0)
            REQUIRE(ftruncate(descriptor_, static_cast<off_t>(size)) == 0);
    }
    ~OpenFile() { close(descriptor_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int descriptor() const { return descriptor_; }

    bool holds(std::size_t place, std::span<const std::byte> bytes) const {
        std::vector<std::byte> read(bytes.size());
        const auto count = pread(descriptor_, read.data(), read.size(), static_cast<off_t>(place));
        return count == static_cast<ssize_t>(bytes.size()) &&
               std::equal(bytes.begin(), bytes.end(), read.begin());
    }

    /// The others that this process has of the file are from now on such as nobody can write to.
    void spoil_other_descriptors() const {
        const int unwritable = open("/dev/null", O_RDONLY);
        int spoilt = 0;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code is_no_file;
            const int other = std::stoi(entry.path().filename());
            if (other == descriptor_ ||
                !std::filesystem::equivalent(entry.path(), path_, is_no_file))
                continue;
            REQUIRE(dup2(unwritable, other) == other);
            ++spoilt;
        }
        close(unwritable);
        REQUIRE(spoilt > 0);
    }

private:
    std::string path_;
    int descriptor_;
};

/// Returns how much was not taken.
std::size_t write(io::DirectWrites& direct, std::size_t place, std::span<const std::byte> bytes) {
    const auto at = static_cast<std::int64_t>(place);
    const auto taken = direct.take(at, bytes);
    REQUIRE(taken <= bytes.size());
    const auto rest = bytes.subspan(taken);
    CHECK(direct.write_rest(at + static_cast<std::int64_t>(taken), rest) == 0);
    return rest.size();
}

}  // namespace

TEST_CASE("what was taken is in the file, in pieces of any size and order, beside its cache") {
    const test::TemporaryFolder folder;
    const auto bytes = made_up(24 * mib);
    const OpenFile file(folder.file("a"), bytes.size());
    const std::size_t piece = GENERATE(64 << 10, 128 << 10, 17 * 4096, mib, 3 * mib);
    io::DirectWrites direct(file.descriptor());
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < bytes.size(); place += piece) places.push_back(place);
    const bool is_backwards = GENERATE(false, true);
    if (is_backwards) std::reverse(places.begin(), places.end());
    std::size_t by_cache = 0;
    for (const auto place : places)
        by_cache += write(direct, place,
                          std::span(bytes).subspan(place, std::min(piece, bytes.size() - place)));
    CHECK(direct.close() == 0);
    if (!test::keeps_files_in_memory(folder.file("a"))) {
        // Many small pieces that are not in a row take more memory than there is.
        if (!is_backwards) CHECK(by_cache < piece);
        CHECK(test::bytes_in_memory(file.descriptor(), bytes.size()) <= by_cache);
    }
    CHECK(file.holds(0, bytes));
}

TEST_CASE("of more than the memory holds nothing is lost") {
    const test::TemporaryFolder folder;
    const auto bytes = made_up(3 * io::DirectWrites::memory_bytes);
    const OpenFile file(folder.file("a"), bytes.size());
    io::DirectWrites direct(file.descriptor());
    write(direct, 0, bytes);
    CHECK(direct.close() == 0);
    CHECK(file.holds(0, bytes));
}

TEST_CASE("bytes that do not fill pages are left to the caller") {
    const test::TemporaryFolder folder;
    const auto bytes = made_up(mib);
    const OpenFile file(folder.file("a"), 2 * mib);
    io::DirectWrites direct(file.descriptor());
    CHECK(direct.take(1, bytes) == 0);
    CHECK(direct.take(512, bytes) == 0);
    CHECK(direct.take(0, std::span(bytes).first(io::DirectWrites::least_bytes - 1)) == 0);
    const auto taken = direct.take(page, std::span(bytes).first(mib - 1));
    CHECK((taken == mib - page || test::keeps_files_in_memory(folder.file("a"))));
    CHECK(direct.close() == 0);
    CHECK(file.holds(page, std::span(bytes).first(taken)));
}

TEST_CASE("what is written twice holds the second, what is asked for has been written") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"), 2 * mib);
    const auto first = made_up(2 * mib);
    const auto second = made_up(mib, 7);
    io::DirectWrites direct(file.descriptor());
    for (int repetition = 0; repetition < 20; ++repetition) {
        write(direct, 0, first);
        write(direct, mib / 2, second);
        direct.finish(mib, 1);
        REQUIRE(file.holds(mib / 2, second));
        // The last of it has not been given to the kernel.
        write(direct, 0, std::span(first).first(2 * mib - 64 * page));
        const auto few = std::span(second).first(page + 1);
        const auto place = 2 * mib - 66 * page + 1;
        CHECK(direct.write_rest(static_cast<std::int64_t>(place), few) == 0);
        direct.finish(place, 1);
        REQUIRE(file.holds(place, few));
    }
    CHECK(direct.close() == 0);
    CHECK(file.holds(0, std::span(first).first(2 * mib - 66 * page + 1)));
    CHECK(file.holds(2 * mib - 66 * page + 1, std::span(second).first(page + 1)));
}

TEST_CASE("of a write that fails what can be written is, and the reason is told") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"), 2 * mib);
    const auto bytes = made_up(mib);
    constexpr std::size_t fits = mib / 2 + 100;
    const test::FileSizeLimit limit(mib + fits);
    io::DirectWrites direct(file.descriptor());
    if (direct.take(0, bytes) == 0) return;  // no such writes here
    direct.take(mib, bytes);
    CHECK(direct.close() == EFBIG);
    CHECK(direct.take(0, bytes) == 0);
    CHECK(file.holds(0, bytes));
    CHECK(file.holds(mib, std::span(bytes).first(fits)));
}

TEST_CASE("what the kernel does not take is written by way of the page cache, now and later") {
    const test::TemporaryFolder folder;
    const auto bytes = made_up(4 * mib);
    const OpenFile file(folder.file("a"), bytes.size());
    io::DirectWrites direct(file.descriptor());
    if (write(direct, 0, std::span(bytes).first(mib)) > 0) return;  // no such writes here
    file.spoil_other_descriptors();
    CHECK(write(direct, mib, std::span(bytes).subspan(mib, mib)) > 0);
    CHECK(write(direct, 2 * mib, std::span(bytes).subspan(2 * mib)) == 2 * mib);
    CHECK(direct.close() == 0);
    CHECK(file.holds(0, bytes));
}

TEST_CASE("a file that cannot be opened again takes nothing") {
    const auto bytes = made_up(mib);
    io::DirectWrites direct(-1);
    CHECK(direct.take(0, bytes) == 0);
    CHECK(direct.write_rest(0, bytes) == EBADF);
    CHECK(direct.close() == 0);
}
