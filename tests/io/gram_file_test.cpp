#include "io/activations/gram_file.hpp"

#include <filesystem>
#include <fstream>
#include <random>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/file_size_limit.hpp"
#include "io/input_file.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::GramCheckpoint;
using io::read_gram;
using io::write_gram;

namespace {

GramCheckpoint gram_of(std::size_t rows) {
    GramCheckpoint gram{rows, 7, {}, {}, 0.1, {}, {}, {}};
    if (rows > 7) gram.centred_features.assign(rows * 7, 0.25);
    for (std::size_t i = 0; i < rows * (rows + 1) / 2; ++i) {
        gram.packed.push_back(1.0 / static_cast<double>(i + 3));
    }
    gram.centred_times_mean.assign(rows, -0.0);
    gram.row_sums.assign(rows, 1e-310);
    for (std::size_t i = 0; i < 2 * rows; ++i)
        gram.row_extremes.push_back(0.1 * static_cast<double>(i));
    return gram;
}

bool same(const GramCheckpoint& left, const GramCheckpoint& right) {
    return left.rows == right.rows && left.features == right.features &&
           left.packed == right.packed && left.centred_times_mean == right.centred_times_mean &&
           left.mean_squared == right.mean_squared && left.row_sums == right.row_sums &&
           left.row_extremes == right.row_extremes;
}

}  // namespace

TEST_CASE("a Gram is read as it was written") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("layer.gram");
    CHECK_FALSE(read_gram(path, "key"));
    for (const std::size_t rows : {0, 1, 2, 40}) {
        write_gram(path, "key", {{"commit", "abc"}, {"host", ""}}, gram_of(rows));
        const auto gram = read_gram(path, "key");
        REQUIRE(gram);
        CHECK(same(*gram, gram_of(rows)));
    }
}

TEST_CASE("features that stand for their Gram are read without one") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("layer.gram");
    auto narrow = gram_of(40);
    narrow.packed.clear();
    write_gram(path, "key", {}, narrow);
    const auto gram = read_gram(path, "key");
    REQUIRE(gram);
    CHECK(same(*gram, narrow));
    CHECK(gram->centred_features == narrow.centred_features);
    // Of no fewer features than rows there is a Gram.
    auto wide = gram_of(3);
    wide.packed.clear();
    CHECK_THROWS_AS(write_gram(path, "key", {}, wide), std::invalid_argument);
}

TEST_CASE("a Gram made for another key is not taken") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("layer.gram");
    write_gram(path, "key", {}, gram_of(3));
    CHECK_FALSE(read_gram(path, "other"));
}

TEST_CASE("a Gram whose sizes contradict each other is not written") {
    const test::TemporaryFolder folder;
    auto gram = gram_of(3);
    gram.row_sums.pop_back();
    CHECK_THROWS_AS(write_gram(folder.file("a"), "key", {}, gram), std::invalid_argument);
}

TEST_CASE("a damaged Gram is nothing or, where the damage hits no content, itself") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("layer.gram");
    const auto gram = gram_of(12);
    write_gram(path, "key", {{"commit", "abc"}}, gram);
    const auto bytes = io::read_file(path);
    core::configure_log({core::LogLevel::error, ""});  // hundreds of expected warnings
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < 400; ++round) {
        auto damaged = bytes;
        if (round % 4 == 0) {
            damaged.resize(random() % damaged.size());
        } else {
            auto& byte = damaged[random() % damaged.size()];
            byte = static_cast<char>(byte ^ (1 << random() % 8));
        }
        std::ofstream(path, std::ios::binary) << damaged;
        const auto found = read_gram(path, "key");
        if (found) CHECK(same(*found, gram));
        refused += found ? 0 : 1;
    }
    core::configure_log({});
    CHECK(refused > 100);
}

TEST_CASE("a Gram that does not fit on the disk is an error and leaves nothing behind") {
    const test::TemporaryFolder folder;
    const test::FileSizeLimit limit(100000);
    CHECK_THROWS_WITH(write_gram(folder.file("layer.gram"), "key", {}, gram_of(400)),
                      Catch::Contains("layer.gram"));
    CHECK(std::filesystem::is_empty(folder.path()));
}
