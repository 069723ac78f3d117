#include "pipeline/trial_rows.hpp"

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

constexpr std::size_t images = 5;
constexpr std::size_t trials = 3;
constexpr std::size_t features = 4;

core::StimulusSet stimuli() {
    core::StimulusSet set;
    set.identifier = "set";
    for (std::size_t i = 0; i < images; ++i) set.stimulus_ids.push_back("s" + std::to_string(i));
    set.files = set.stimulus_ids;
    set.visual_degrees.assign(images, 8.0);
    set.columns = {{"trial", std::vector<std::int64_t>{7, 8, 9, 10, 11}}};
    return set;
}

const std::vector<stimuli::Microsaccade> shifts = {{0, 0, 0, 0}, {1, 2, 3, 4}, {5, 6, 7, 8}};

/// Trial t of image i: feature j is i + 10 j + 0.25 t, and in the last trial 0.25 more.
float activation(std::size_t i, std::size_t t, std::size_t j) {
    return static_cast<float>(i + 10 * j) + 0.25F * static_cast<float>(t + (t == 2 ? 1 : 0));
}

void write(const std::string& path, int compression) {
    const auto serial = comm::make_serial();
    io::ActivationsHeader header;
    header.layers = {{"layer", {features}}};
    header.batch_size = 2;
    header.stimuli = pipeline::with_trials(stimuli(), shifts);
    header.compression = compression;
    io::ActivationsWriter writer(path, *serial, header);
    for (std::size_t first = 0; first < images * trials; first += 2) {
        std::vector<float> rows;
        for (std::size_t row = first; row < std::min(first + 2, images * trials); ++row)
            for (std::size_t j = 0; j < features; ++j)
                rows.push_back(activation(row / trials, row % trials, j));
        writer.write_rows(0, first, rows);
    }
    writer.finish();
}

}  // namespace

TEST_CASE("the trials of a stimulus are rows below one another that say where each looked") {
    const auto rows = pipeline::with_trials(stimuli(), shifts);
    REQUIRE(rows.stimulus_ids.size() == images * trials);
    CHECK(rows.stimulus_ids[2] == "s0");
    CHECK(rows.stimulus_ids[3] == "s1");
    CHECK(rows.files[14] == "s4");
    CHECK(rows.visual_degrees.size() == images * trials);
    REQUIRE(rows.columns.size() == 6);
    CHECK(rows.columns[0].name == "trial");
    CHECK(std::get<std::vector<std::int64_t>>(rows.columns[0].values)[5] == 2);
    const std::vector<std::string> names = {"x_pixels", "y_pixels", "x_degrees", "y_degrees"};
    for (std::size_t c = 0; c < names.size(); ++c) {
        CHECK(rows.columns[1 + c].name == "microsaccade_shift_" + names[c]);
        CHECK(std::get<std::vector<double>>(rows.columns[1 + c].values)[4] ==
              static_cast<double>(1 + c));
    }
    // The stimuli's own column is still there, behind.
    CHECK(std::get<std::vector<std::int64_t>>(rows.columns[5].values)[3] == 8);
}

TEST_CASE("benchmarks are given the average over the trials of each stimulus") {
    const test::TemporaryFolder folder;
    write(folder.file("a.h5"), GENERATE(0, 3));
    const io::ActivationsFile file(folder.file("a.h5"));
    const pipeline::TrialAverages averages(file, trials);
    REQUIRE(averages.stimuli() == images);
    std::vector<float> part(images * 2);
    averages.read_columns("layer", 1, 2, part);
    // (0 + 0.25 + 0.75) / 3 is a third.
    for (std::size_t i = 0; i < images; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            CHECK(part[i * 2 + j] ==
                  static_cast<float>((3.0 * static_cast<double>(i + 10 * (j + 1)) + 1) / 3));
}

TEST_CASE("of one trial the activations are taken as they are") {
    const test::TemporaryFolder folder;
    write(folder.file("a.h5"), 0);
    const io::ActivationsFile file(folder.file("a.h5"));
    const pipeline::TrialAverages rows(file, 1);
    REQUIRE(rows.stimuli() == images * trials);
    std::vector<float> all(images * trials * features);
    rows.read_columns("layer", 0, features, all);
    CHECK(all[5 * features + 3] == activation(1, 2, 3));
}
