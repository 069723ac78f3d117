#include "pipeline/inputs/input_truth.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "pipeline/gathered_data.hpp"

using namespace ventral;
using test::GatheredData;
using test::is_remembered;

TEST_CASE("what was remembered is checked before it is used, and forgotten if it is wrong") {
    const GatheredData small;
    small.known_facts();
    auto facts = small.known_facts();
    const auto features = small.folder.file("features.nc");
    const auto recordings = small.folder.file("recordings.nc");
    facts.files.at(recordings).hash = "the hash of something else";
    int signs_of_life = 0;
    pipeline::InputTruth truth(facts, small.hashes, [&] { ++signs_of_life; });
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life > 0);
    CHECK_NOTHROW(truth.require_file(small.folder.file("never seen")));
    CHECK(std::filesystem::exists(small.hashes));
    CHECK_THROWS_AS(truth.require_file(recordings), core::TransientError);
    CHECK_THROWS_WITH(truth.require_file(recordings),
                      Catch::Contains(recordings + ": is not what it was"));
    CHECK_FALSE(std::filesystem::exists(small.hashes));
    CHECK_FALSE(is_remembered(small.known_facts(), recordings));
}

TEST_CASE("what was read when the run began is read again only if it has changed since") {
    const GatheredData small;
    const auto facts = small.known_facts();
    const auto features = small.folder.file("features.nc");
    const auto recordings = small.folder.file("recordings.nc");
    int signs_of_life = 0;
    pipeline::InputTruth truth(facts, small.hashes, [&] { ++signs_of_life; });
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life == 0);
    std::filesystem::last_write_time(features, std::filesystem::file_time_type::clock::now());
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life > 0);
    signs_of_life = 0;
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life == 0);
    std::filesystem::copy_file(features, recordings,
                               std::filesystem::copy_options::overwrite_existing);
    CHECK_THROWS_WITH(truth.require_file(recordings),
                      Catch::Contains(recordings + ": is not what it was"));
    std::filesystem::remove(features);
    CHECK_THROWS_AS(truth.require_file(features), core::TransientError);
    CHECK_THROWS_WITH(truth.require_file(features),
                      Catch::StartsWith(features) && Catch::Contains("when the run began"));
}
