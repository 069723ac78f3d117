#include "io/disk/kernel_io.hpp"

#include <array>
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

/// Of one byte at `place`, told as `number`.
iocb read_of(int file, char& byte, std::int64_t place, std::uint64_t number) {
    iocb block{};
    block.aio_data = number;
    block.aio_lio_opcode = IOCB_CMD_PREAD;
    block.aio_fildes = static_cast<std::uint32_t>(file);
    block.aio_buf = reinterpret_cast<std::uintptr_t>(&byte);
    block.aio_nbytes = 1;
    block.aio_offset = place;
    return block;
}

int file_of(const std::string& path, const std::string& text) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    REQUIRE(pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    return file;
}

}  // namespace

TEST_CASE("each is told what it has asked for itself, one after the other and side by side") {
    const test::TemporaryFolder folder;
    const int file = file_of(folder.file("a"), "abcdefgh");
    std::array<io_event, io::KernelIo::most_at_once> events{};
    io::KernelIo other;
    for (std::uint64_t number = 0; number < 8; ++number) {
        io::KernelIo kernel;
        char byte = 0;
        char other_byte = 0;
        auto block = read_of(file, byte, static_cast<std::int64_t>(number), number);
        auto other_block = read_of(file, other_byte, 7, 100);
        iocb* const list = &block;
        iocb* const other_list = &other_block;
        if (kernel.submit({&list, 1}) == 0) return;  // the kernel has none for us
        REQUIRE(other.submit({&other_list, 1}) == 1);
        REQUIRE(kernel.ended(1, events) == 1);
        CHECK(events[0].data == number);
        CHECK(byte == static_cast<char>('a' + number));
        REQUIRE(other.ended(1, events) == 1);
        CHECK(events[0].data == 100);
        CHECK(other_byte == 'h');
        CHECK(kernel.ended(0, events) == 0);
    }
    close(file);
}

TEST_CASE("from the first block on that the kernel does not take none is taken") {
    const test::TemporaryFolder folder;
    const int file = file_of(folder.file("a"), "abc");
    std::array<char, 3> bytes{};
    std::array<iocb, 3> blocks{};
    std::array<iocb*, 3> list{};
    for (std::size_t i = 0; i < 3; ++i) {
        blocks[i] = read_of(i == 1 ? -1 : file, bytes[i], static_cast<std::int64_t>(i), i);
        list[i] = &blocks[i];
    }
    io::KernelIo kernel;
    const auto taken = kernel.submit(list);
    CHECK(taken <= 1);
    std::array<io_event, 3> events{};
    if (taken == 1) CHECK(kernel.ended(1, events) == 1);
    CHECK(bytes == std::array{taken == 1 ? 'a' : '\0', '\0', '\0'});
    close(file);
}
