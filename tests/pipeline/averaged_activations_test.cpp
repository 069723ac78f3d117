#include "pipeline/extraction/averaged_activations.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_file.hpp"
#include "io/activations/activations_writer.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::AveragedActivations;
using pipeline::stimuli_in_whole_chunks;

namespace {

constexpr std::size_t images = 5;
constexpr std::size_t features = 4;

/// Where the rows of a file come from.
struct Rows {
    std::size_t trials = 1;
    core::TimeBins bins = {};
    int compression = 0;
};

/// Trial t and bin b of image i: feature j is i + 10 j + 0.25 t + b², and in trial 2 0.25 more.
float activation(std::size_t i, std::size_t t, std::size_t b, std::size_t j) {
    return static_cast<float>(i + 10 * j + b * b) +
           0.25F * static_cast<float>(t + (t == 2 ? 1 : 0));
}

void write(const std::string& path, const Rows& of_file) {
    constexpr std::size_t batch = 2;
    const auto serial = comm::make_serial();
    io::ActivationsHeader header;
    header.layers = {{"layer", {features}}};
    header.batch_size = batch;
    header.time_bins = of_file.bins;
    header.compression = of_file.compression;
    const std::size_t rows = images * of_file.trials;
    for (std::size_t row = 0; row < rows; ++row) header.stimuli.stimulus_ids.push_back("s");
    io::ActivationsWriter writer(path, *serial, header);
    for (std::size_t first = 0; first < rows; first += batch) {
        std::vector<float> values;
        for (std::size_t row = first; row < std::min(first + batch, rows); ++row)
            for (std::size_t b = 0; b < std::max<std::size_t>(1, of_file.bins.size()); ++b)
                for (std::size_t j = 0; j < features; ++j)
                    values.push_back(activation(row / of_file.trials, row % of_file.trials, b, j));
        writer.write_rows(0, first, values);
    }
    writer.finish();
}

std::vector<float> read(const AveragedActivations& averages, std::size_t first, std::size_t count) {
    std::vector<float> values(averages.rows() * count);
    averages.read_columns("layer", first, count, values);
    return values;
}

}  // namespace

TEST_CASE("of each stimulus there is the average over its trials") {
    const test::TemporaryFolder folder;
    const int compression = GENERATE(0, 3);
    write(folder.file("a.h5"), {3, {}, compression});
    const io::ActivationsFile file(folder.file("a.h5"));
    const AveragedActivations averages(file, 3);
    REQUIRE(averages.rows() == images);
    const auto part = read(averages, 1, 2);
    // (0 + 0.25 + 0.75) / 3 is a third.
    for (std::size_t i = 0; i < images; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            CHECK(part[i * 2 + j] ==
                  static_cast<float>((3.0 * static_cast<double>(i + 10 * (j + 1)) + 1) / 3));
}

TEST_CASE("activations of one trial without a time are taken as they are") {
    const test::TemporaryFolder folder;
    write(folder.file("a.h5"), {3, {}, 0});
    const io::ActivationsFile file(folder.file("a.h5"));
    const AveragedActivations rows(file, 1);
    REQUIRE(rows.rows() == images * 3);
    CHECK(read(rows, 0, features)[5 * features + 3] == activation(1, 2, 0, 3));
}

TEST_CASE("time bins are brought into those of the benchmark, one after the other") {
    const test::TemporaryFolder folder;
    const std::size_t trials = GENERATE(1, 3);
    const int compression = GENERATE(0, 3);
    write(folder.file("a.h5"), {trials, {{0, 40}, {40, 80}, {80, 120}}, compression});
    const io::ActivationsFile file(folder.file("a.h5"));
    CHECK(file.time_bins().size() == 3);
    const AveragedActivations averages(file, trials, {{20, 80}, {80, 120}});
    REQUIRE(averages.rows() == 2 * images);
    const auto values = read(averages, 3, 1);
    const double of_trials = trials == 3 ? 1.0 / 3 : 0;
    for (std::size_t i = 0; i < images; ++i) {
        // Half of the first bin and all of the second: (0.5 · 0 + 1 · 1) / 1.5 is two thirds.
        const auto still = static_cast<double>(i + 30) + of_trials;
        CHECK(values[i] == Approx(still + 2.0 / 3).epsilon(1e-6));
        CHECK(values[images + i] == Approx(still + 4).epsilon(1e-6));
    }
}

TEST_CASE("without a list of time bins there are those of the activations, as they are") {
    const test::TemporaryFolder folder;
    // They overlap: aligned with themselves they would be mixed.
    write(folder.file("a.h5"), {1, {{0, 60}, {40, 80}}, 0});
    const io::ActivationsFile file(folder.file("a.h5"));
    const AveragedActivations rows(file, 1);
    REQUIRE(rows.rows() == 2 * images);
    const auto values = read(rows, 0, features);
    for (std::size_t bin = 0; bin < 2; ++bin)
        for (std::size_t i = 0; i < images; ++i)
            for (std::size_t j = 0; j < features; ++j)
                CHECK(values[(bin * images + i) * features + j] == activation(i, 0, bin, j));
}

namespace {

/// What this process has read of files so far.
double bytes_read() {
    std::ifstream counters("/proc/self/io");
    std::string name;
    double count = 0;
    counters >> name >> count;
    REQUIRE(name == "rchar:");
    return count;
}

}  // namespace

TEST_CASE("a time bin is read without those that it has nothing of") {
    constexpr std::size_t rows = 200;
    constexpr std::size_t width = 500;
    constexpr double bin_bytes = rows * width * sizeof(float);
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    io::ActivationsHeader header;
    header.layers = {{"layer", {width}}};
    header.batch_size = 20;
    header.time_bins = {{0, 10}, {10, 20}, {20, 30}, {30, 40}};
    header.stimuli.stimulus_ids.assign(rows, "s");
    io::ActivationsWriter writer(folder.file("a.h5"), *serial, header);
    writer.write_rows(0, 0, std::vector<float>(rows * 4 * width, 1));
    writer.finish();
    const io::ActivationsFile file(folder.file("a.h5"));
    const auto bytes_of = [&](const core::TimeBins& bins) {
        const AveragedActivations averages(file, 1, bins);
        const double before = bytes_read();
        read(averages, 0, width);
        return bytes_read() - before;
    };
    CHECK(bytes_of({{10, 20}}) == Approx(bin_bytes).epsilon(0.1));
    // Half of the first and of the last of three; then all, each once for both.
    CHECK(bytes_of({{5, 25}}) == Approx(3 * bin_bytes).epsilon(0.1));
    CHECK(bytes_of({{0, 25}, {15, 40}}) == Approx(4 * bin_bytes).epsilon(0.1));
}

TEST_CASE("a bin that the activations do not cover is named") {
    const test::TemporaryFolder folder;
    write(folder.file("a.h5"), {1, {{0, 40}, {40, 80}}, 0});
    const io::ActivationsFile file(folder.file("a.h5"));
    CHECK_THROWS_WITH(
        AveragedActivations(file, 1, {{40, 90}}),
        Catch::Contains("nothing for the time bin 40 to 90 ms") && Catch::Contains("0 to 80 ms"));
}

TEST_CASE("as many stimuli are averaged at once as fill chunks") {
    CHECK(stimuli_in_whole_chunks(64, 1) == 64);
    CHECK(stimuli_in_whole_chunks(64, 64) == 1);
    CHECK(stimuli_in_whole_chunks(64, 100) == 16);  // 1,600 rows, 25 chunks
    CHECK(stimuli_in_whole_chunks(7, 10) == 7);
}
