#include "io/disk/writer_suffix.hpp"

#include <regex>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "io/disk/durable_file.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a writer's suffix names machine and process, and is another one each time") {
    const auto suffix = io::writer_suffix();
    CHECK(std::regex_match(suffix,
                           std::regex("[0-9a-f]{16}\\.[0-9a-f]{8}-" + std::to_string(getpid()))));
    CHECK(suffix != io::writer_suffix());
    const test::TemporaryFolder folder;
    const io::TemporaryName name(folder.file("a.h5"));
    CHECK_THAT(name.path(), Catch::EndsWith(suffix.substr(suffix.find('.')) + ".tmp"));
}
