#include "io/hdf5/hdf5_attribute.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/hdf5/hdf5_output.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("attributes of text and integers are read as they were written") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    auto output = io::Hdf5Output::create(path);
    const io::Hdf5Object file{output.id(), path};
    const std::string long_text(100000, 'x');
    io::write_attribute(file, "text", std::string("ü, b"));
    io::write_attribute(file, "empty", std::string());
    io::write_attribute(file, "long", long_text);
    io::write_attribute(file, "number", std::int64_t{-5});
    io::write_attribute(file, "numbers", std::vector<std::int64_t>{3, 224, 224});
    io::overwrite_attribute(file, "number", INT64_MAX);
    CHECK(io::read_text_attribute(file, "text") == "ü, b");
    CHECK(io::read_text_attribute(file, "empty").empty());
    CHECK(io::read_text_attribute(file, "long") == long_text);
    CHECK(io::read_integer_attribute(file, "number") == INT64_MAX);
    CHECK(io::read_integers_attribute(file, "numbers") == std::vector<std::int64_t>{3, 224, 224});
    CHECK_THROWS_AS(io::read_integer_attribute(file, "numbers"), core::InputError);
    CHECK_THROWS_AS(io::read_integer_attribute(file, "text"), core::InputError);
    CHECK_THROWS_AS(io::read_text_attribute(file, "number"), core::InputError);
    CHECK_THROWS_WITH(io::read_text_attribute(file, "missing"),
                      Catch::StartsWith(path + ": cannot find the attribute 'missing'"));
}
