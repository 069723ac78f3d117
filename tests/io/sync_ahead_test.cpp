#include "io/disk/sync_ahead.hpp"

#include <cerrno>

#include <catch2/catch.hpp>
#include <fcntl.h>

#include "io/disk/descriptor.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a failed sync is told once, after enough bytes have been written") {
    constexpr int not_open = -1;
    io::SyncAhead ahead(not_open);
    CHECK(ahead.written(io::SyncAhead::step_bytes - 1) == 0);
    CHECK(ahead.close() == 0);  // none had begun
    CHECK(ahead.written(1) == 0);
    CHECK(ahead.close() == EBADF);
    CHECK(ahead.close() == 0);
    CHECK(ahead.written(io::SyncAhead::step_bytes) == 0);
    int error = 0;
    while (error == 0) error = ahead.written(io::SyncAhead::step_bytes);
    CHECK(error == EBADF);
}

TEST_CASE("files that are synced ahead, or cannot be, are no failure") {
    const test::TemporaryFolder folder;
    const io::Descriptor file(folder.file("a"), O_RDWR | O_CREAT);
    const io::Descriptor device("/dev/null", O_WRONLY);
    for (const auto* written : {&file, &device}) {
        REQUIRE(*written);
        io::SyncAhead ahead(written->id());
        for (int i = 0; i < 10; ++i) CHECK(ahead.written(io::SyncAhead::step_bytes) == 0);
        CHECK(ahead.close() == 0);
    }
}
