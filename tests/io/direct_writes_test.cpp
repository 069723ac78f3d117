#include "io/direct_writes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "io/direct_reads.hpp"
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

class OpenFile {
public:
    explicit OpenFile(const std::string& path)
        : descriptor_(open(path.c_str(), O_RDWR | O_CREAT, 0600)) {
        REQUIRE(descriptor_ >= 0);
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

private:
    int descriptor_;
};

/// What `direct` does not take is written as its users do. Returns how much that was.
std::size_t write(io::DirectWrites& direct, const OpenFile& file, std::size_t place,
                  std::span<const std::byte> bytes) {
    const auto at = static_cast<std::int64_t>(place);
    const auto taken = direct.take(at, bytes);
    REQUIRE(taken <= bytes.size());
    CHECK(io::write_at(file.descriptor(), at + static_cast<std::int64_t>(taken),
                       bytes.subspan(taken)) == 0);
    return bytes.size() - taken;
}

}  // namespace

TEST_CASE("what was taken is in the file, in pieces of any size and order, beside its cache") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"));
    const auto bytes = made_up(24 * mib);
    const std::size_t piece = GENERATE(64 << 10, 128 << 10, 17 * 4096, mib, 3 * mib);
    io::DirectWrites direct(file.descriptor());
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < bytes.size(); place += piece) places.push_back(place);
    const bool is_backwards = GENERATE(false, true);
    if (is_backwards) std::reverse(places.begin(), places.end());
    std::size_t by_cache = 0;
    for (const auto place : places)
        by_cache += write(direct, file, place,
                          std::span(bytes).subspan(place, std::min(piece, bytes.size() - place)));
    direct.finish();
    CHECK(direct.error() == 0);
    if (!test::keeps_files_in_memory(folder.file("a"))) {
        // Many small pieces that are not in a row take more memory than there is.
        if (!is_backwards) CHECK(by_cache < piece);
        CHECK(test::bytes_in_memory(file.descriptor(), bytes.size()) <= by_cache);
    }
    CHECK(file.holds(0, bytes));
}

TEST_CASE("where the memory is full the rest is left to the caller, and nothing lost") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"));
    const auto bytes = made_up(5 * io::DirectWrites::memory_bytes);
    io::DirectWrites direct(file.descriptor());
    CHECK(direct.take(0, bytes) <= bytes.size());
    write(direct, file, 0, bytes);
    direct.finish();
    CHECK(direct.error() == 0);
    CHECK(file.holds(0, bytes));
}

TEST_CASE("bytes that do not fill pages are left to the caller") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"));
    const auto bytes = made_up(mib);
    io::DirectWrites direct(file.descriptor());
    CHECK(direct.take(1, bytes) == 0);
    CHECK(direct.take(512, bytes) == 0);
    CHECK(direct.take(0, std::span(bytes).first(page)) == 0);  // too few to be worth it
    const auto taken = direct.take(page, std::span(bytes).first(mib - 1));
    CHECK((taken == mib - page || test::keeps_files_in_memory(folder.file("a"))));
    direct.finish();
    CHECK(file.holds(page, std::span(bytes).first(taken)));
}

TEST_CASE("what is written twice holds the second, what is read has been written") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"));
    const auto first = made_up(2 * mib);
    const auto second = made_up(mib, 7);
    io::DirectWrites direct(file.descriptor());
    for (int repetition = 0; repetition < 20; ++repetition) {
        write(direct, file, 0, first);
        write(direct, file, mib / 2, second);
        direct.finish(mib, 1);
        REQUIRE(file.holds(mib / 2, second));
    }
    direct.finish();
    CHECK(file.holds(0, std::span(first).first(mib / 2)));
    CHECK(file.holds(3 * mib / 2, std::span(first).subspan(3 * mib / 2)));
}

TEST_CASE("a write that fails is told with its reason, and nothing is taken any more") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"));
    if (test::keeps_files_in_memory(folder.file("a"))) return;
    const auto bytes = made_up(mib);
    const test::FileSizeLimit limit(mib + mib / 2);
    io::DirectWrites direct(file.descriptor());
    CHECK(direct.take(0, bytes) == mib);
    CHECK(direct.take(mib, bytes) == mib);
    direct.finish();
    CHECK(direct.error() == EFBIG);
    CHECK(direct.take(0, bytes) == 0);
    CHECK(file.holds(0, bytes));
    CHECK(file.holds(mib, std::span(bytes).first(mib / 2)));
}

TEST_CASE("a file that cannot be opened again takes nothing") {
    const auto bytes = made_up(mib);
    io::DirectWrites direct(-1);
    CHECK(direct.take(0, bytes) == 0);
    direct.finish();
    CHECK(direct.error() == 0);
}

TEST_CASE("what the kernel refuses is written by way of the page cache") {
    const test::TemporaryFolder folder;
    const OpenFile file(folder.file("a"));
    if (test::keeps_files_in_memory(folder.file("a"))) return;
    const auto bytes = made_up(mib);
    io::DirectWrites direct(file.descriptor());
    CHECK(direct.take(0, bytes) == mib);
    // Beyond the place that any file has: the kernel takes no such write.
    const auto beyond =
        std::numeric_limits<std::int64_t>::max() / std::int64_t{page} * std::int64_t{page};
    direct.take(beyond - std::int64_t{mib}, bytes);
    direct.finish();
    CHECK(direct.error() == EFBIG);
    CHECK(direct.take(2 * mib, bytes) == 0);
    CHECK(file.holds(0, bytes));
}
