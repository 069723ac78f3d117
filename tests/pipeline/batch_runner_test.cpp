#include "pipeline/extraction/batch_runner.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "support/extraction_source.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

constexpr std::size_t trials = 3;

struct Source {
    test::TemporaryFolder folder;
    std::unique_ptr<comm::Communicator> world = comm::make_serial();
    test::ExtractionSource files{*world, folder.path().string()};

    pipeline::BatchRunner runner(int compression, std::size_t number_of_trials = 1) const {
        return {{files.model,
                 files.stimuli,
                 {"stage6", "stage7"},
                 "key",
                 "",
                 benchmarks::Access::open,
                 number_of_trials},
                compression,
                0};
    }
};

std::set<const float*> places(const pipeline::BatchOutput& output) {
    std::set<const float*> all;
    for (const auto& layer : output.layers) all.insert(layer.values.data());
    return all;
}

std::vector<std::vector<float>> values(const pipeline::BatchOutput& output) {
    std::vector<std::vector<float>> all;
    for (const auto& layer : output.layers) all.push_back(layer.values);
    return all;
}

}  // namespace

TEST_CASE("a batch has the memory of one that is needed no more, and the same values") {
    const Source source;
    const auto number = GENERATE(std::size_t{1}, trials);
    const auto runner = source.runner(0, number);
    auto first = runner.run(0);
    auto last = runner.run(2);
    REQUIRE(last.rows == 2 * number);
    const auto expected = values(first);
    const auto expected_last = values(last);
    const auto memory = places(first);
    runner.reuse(std::move(first.layers));
    // The last batch is half as long as the first.
    auto again = runner.run(2);
    CHECK(places(again) == memory);
    CHECK(values(again) == expected_last);
    runner.reuse(std::move(again.layers));
    const auto full = runner.run(0);
    CHECK(places(full) == memory);
    CHECK(values(full) == expected);
    CHECK(places(runner.run(1)) != memory);
}

TEST_CASE("packed batches hold no values, and give the same bytes again") {
    const Source source;
    const auto runner = source.runner(4);
    const auto first = runner.run(0);
    CHECK(places(first) == std::set<const float*>{nullptr});
    const auto plain = source.runner(0).run(0);
    const auto again = runner.run(0);
    REQUIRE(first.packed.size() == 2);
    for (std::size_t layer = 0; layer < 2; ++layer) {
        CHECK(first.layers[layer].shape == plain.layers[layer].shape);
        REQUIRE(first.packed[layer].size() == again.packed[layer].size());
        for (std::size_t chunk = 0; chunk < first.packed[layer].size(); ++chunk)
            CHECK(first.packed[layer][chunk].chunks == again.packed[layer][chunk].chunks);
    }
}
