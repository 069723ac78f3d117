#include "pipeline/inputs/recordings.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/small_data.hpp"

using namespace ventral;
using pipeline::RecordingsReader;
using test::SmallData;

TEST_CASE("a benchmark without target predicts the average of the repetitions") {
    const SmallData small;
    RecordingsReader reader(small.run);
    const auto& prepared = reader.prepared(0);
    CHECK(prepared.plan.stimulus_ids.size() == test::small_stimuli);
    CHECK(prepared.plan.stimulus_ids.front() == "s00");
    CHECK(prepared.plan.neuroids() == test::small_neuroids);
    CHECK(prepared.plan.folds.size() == 10);
    CHECK_FALSE(prepared.part_of_stimuli);
    // Average over presentations 0, 40, 80 and 120 of neuroid n2, by hand from the file.
    const auto values = core::as_float64(test::small_recordings().values);
    double mean = 0;
    for (std::size_t r = 0; r < 4; ++r) mean += values[(r * 40) * 6 + 2] / 4;
    CHECK(prepared.plan.targets(0, 2) == Approx(mean).epsilon(1e-14));
    CHECK(core::dimension_size(reader.repetitions(0), "presentation") == 160);
}

TEST_CASE("a target assembly is preferred to repetitions") {
    SmallData small;
    auto target = test::small_recordings();
    target = core::take(target, "presentation", {0, 1, 2, 3, 4, 5, 6, 7});
    io::write_assembly(small.folder.file("target.nc"), target);
    small.run.datasets["small"].assemblies["target"] = {small.folder.file("target.nc"), ""};
    RecordingsReader reader(small.run);
    CHECK(reader.prepared(0).plan.stimulus_ids.size() == 8);
}

TEST_CASE("repetitions of other stimuli than the target's are told of") {
    SmallData small;
    const auto all = test::small_recordings();
    const auto set_target = [&](const core::Assembly& target) {
        io::write_assembly(small.folder.file("target.nc"), target);
        small.run.datasets["small"].assemblies["target"] = {small.folder.file("target.nc"), ""};
    };
    const auto unlike = [&] {
        RecordingsReader reader(small.run);
        return reader.unlike_target(0, reader.repetitions(0)).value_or("");
    };
    CHECK(unlike().empty());
    set_target(all);
    CHECK(unlike().empty());
    set_target(core::take(all, "presentation", {0, 1, 2, 3, 4, 5, 6, 7}));
    CHECK_THAT(unlike(), Catch::Contains("recordings.nc has 32 stimulus_ids more") &&
                             Catch::EndsWith("than " + small.folder.file("target.nc") + ")"));
    std::ofstream(small.folder.file("target.nc")) << "no netCDF";
    CHECK(unlike().empty());
}

TEST_CASE("a benchmark is prepared once, and its files are not read again") {
    const SmallData small;
    RecordingsReader reader(small.run);
    const auto* prepared = &reader.prepared(0);
    std::filesystem::remove(small.folder.file("recordings.nc"));
    CHECK(&reader.prepared(0) == prepared);
    CHECK_THROWS_AS(reader.prepared(1), core::InputError);
}

TEST_CASE("what has failed once fails for the unit, and is read again for the next") {
    const SmallData small;
    const auto file = small.folder.file("recordings.nc");
    RecordingsReader reader(small.run);
    std::filesystem::rename(file, file + ".away");
    CHECK_THROWS_WITH(reader.prepared(0), Catch::Contains("recordings.nc"));
    std::filesystem::rename(file + ".away", file);
    CHECK_THROWS_AS(reader.prepared(0), core::InputError);
    CHECK_NOTHROW(reader.prepared(1));
    reader.turn_to({0});
    CHECK_NOTHROW(reader.prepared(0));
}

TEST_CASE("what is wrong with a selection is told of the benchmark's file and of the recordings") {
    SmallData small;
    small.run.benchmarks[0].select = {{"regoin", {"IT"}, {}, {}}};
    small.run.benchmarks[1].select = {{"region", {"V9"}, {}, {}}};
    RecordingsReader reader(small.run);
    const auto file = small.folder.file("recordings.nc");
    const auto unknown = Catch::StartsWith("small.toml: select: " + file + ": no coordinate");
    CHECK_THROWS_WITH(reader.repetitions(0), unknown && Catch::Contains("'region'"));
    CHECK_THROWS_WITH(reader.prepared(0), unknown);
    const auto nothing = Catch::StartsWith("small.toml: select: " + file + ": nothing is left");
    CHECK_THROWS_WITH(reader.repetitions(1), nothing && Catch::Contains("IT, V4"));
    CHECK_THROWS_WITH(reader.prepared(1), nothing);
}

TEST_CASE("of a file that holds more only what a benchmark is about is read") {
    SmallData small;
    small.run.benchmarks[0].select = {{"neuroid_id", {"n1", "n4"}, {}, {}}};
    RecordingsReader reader(small.run);
    const auto& part = reader.prepared(0);
    const auto& whole = reader.prepared(1);
    CHECK(part.plan.targets.cols() == 2);
    CHECK(part.plan.targets.col(0) == whole.plan.targets.col(1));
    CHECK(part.plan.targets.col(1) == whole.plan.targets.col(4));
    constexpr double of_a_neuroid = sizeof(double) * test::small_stimuli * test::small_repetitions;
    CHECK(whole.read_bytes - part.read_bytes >= 4 * of_a_neuroid);
    CHECK(whole.beside_bytes == 0);
    CHECK(part.beside_bytes > 0);
    CHECK(core::dimension_size(reader.repetitions(0), "neuroid") == 2);
}

TEST_CASE("labels of stimuli count once for each presentation") {
    const core::StimulusSet set{"set", {"a", "b"}, {}, {}, {{"size", std::vector<double>{1, 2}}}};
    CHECK(pipeline::merged_bytes(&set, 10) == 10 * sizeof(double));
    CHECK(pipeline::merged_bytes(nullptr, 10) == 0);
}

TEST_CASE("what is wrong with repetitions is told of their file") {
    SmallData small;
    auto repetitions = test::small_recordings();
    const auto file = small.folder.file("recordings.nc");
    std::erase_if(repetitions.coordinates,
                  [](const auto& each) { return each.name == "stimulus_id"; });
    io::write_assembly(file, repetitions);
    std::ofstream(small.folder.file("a.png")) << "";
    std::ofstream(small.folder.file("stimuli.csv")) << "stimulus_id,filename\na,a.png\n";
    small.run.datasets["small"].stimuli = {
        {small.folder.file("stimuli.csv"), ""}, small.path(), 5.0};
    RecordingsReader reader(small.run);
    CHECK_THROWS_WITH(reader.repetitions(0),
                      Catch::StartsWith(file + ": no coordinate 'stimulus_id'"));
}

TEST_CASE("a selection of presentations leaves out stimuli") {
    SmallData small;
    small.run.benchmarks[0].select = {
        {"stimulus_id", {"s01", "s02", "s03", "s04", "s05", "s06", "s07", "s08"}, {}, {}}};
    small.run.benchmarks[1].select = {{"region", {"IT"}, {}, {}}};
    RecordingsReader reader(small.run);
    CHECK(reader.prepared(0).part_of_stimuli);
    CHECK(reader.prepared(0).plan.stimulus_ids.size() == 8);
    CHECK_FALSE(reader.prepared(1).part_of_stimuli);
    CHECK(reader.prepared(1).plan.neuroids() == 4);
}

TEST_CASE("the stimuli of a dataset are read once") {
    SmallData small;
    std::ofstream(small.folder.file("a.png")) << "";
    std::ofstream(small.folder.file("stimuli.csv")) << "stimulus_id,filename\na,a.png\n";
    small.run.datasets["small"].stimuli = {
        {small.folder.file("stimuli.csv"), ""}, small.path(), 5.0};
    RecordingsReader reader(small.run);
    const auto& stimuli = reader.stimuli("small");
    CHECK(stimuli.stimulus_ids == std::vector<std::string>{"a"});
    CHECK(stimuli.visual_degrees == std::vector<double>{5.0});
    std::filesystem::remove(small.folder.file("stimuli.csv"));
    CHECK(&reader.stimuli("small") == &stimuli);
}

TEST_CASE("images that are away are no fault of a dataset that a run began with") {
    SmallData small;
    std::ofstream(small.folder.file("stimuli.csv")) << "stimulus_id,filename\na,a.png\n";
    small.run.datasets["small"].stimuli = {
        {small.folder.file("stimuli.csv"), ""}, small.path(), 5.0};
    RecordingsReader reader(small.run);
    CHECK_THROWS_WITH(reader.stimuli("small"),
                      Catch::Contains("no image file") && !Catch::Contains("when the run began"));
    reader.check_files([](const std::string&) {});
    CHECK_THROWS_AS(reader.stimuli("small"), core::TransientError);
    std::ofstream(small.folder.file("a.png")) << "";
    CHECK(reader.stimuli("small").stimulus_ids == std::vector<std::string>{"a"});
}

TEST_CASE("a file that another one replaces while it is read is not believed, readable or not") {
    for (const bool is_readable : {true, false}) {
        const SmallData small;
        const auto path = small.folder.file("recordings.nc");
        if (!is_readable) std::filesystem::resize_file(path, 100);
        RecordingsReader reader(small.run);
        int checks = 0;
        reader.check_files([&](const std::string& checked) {
            if (checked == path && ++checks > 1) throw core::TransientError(path + ": has changed");
        });
        CHECK_THROWS_AS(reader.repetitions(0), core::TransientError);
    }
}

TEST_CASE("only of private data reasons are withheld") {
    SmallData small;
    CHECK(RecordingsReader(small.run).public_reason(0, "stimulus 's07'") == "stimulus 's07'");
    CHECK_FALSE(RecordingsReader(small.run).is_restricted(0));
    small.run.datasets["small"].access = benchmarks::Access::restricted;
    const RecordingsReader reader(small.run);
    CHECK(reader.is_restricted(0));
    const auto reason = reader.public_reason(0, "stimulus 's07'");
    CHECK_THAT(reason, Catch::Contains("'small'") && Catch::Contains("withheld"));
    CHECK_THAT(reason, !Catch::Contains("s07"));
}

TEST_CASE("recordings that no unit in work needs are forgotten, the oldest first") {
    SmallData small;
    small.run.benchmarks.push_back(test::small_benchmark("ridge"));
    RecordingsReader reader(small.run);
    CHECK(reader.kept_bytes() == 0);
    // Targets of 40 × 6, ten folds of all forty rows and the order of six neuroids; the ids of the
    // stimuli, and of the neuroids ids and regions.
    constexpr double bytes = (40 * 6 + 10 * 40 + 6) * 8 + (40 + 2 * 6) * sizeof(std::string);
    CHECK(reader.prepared(0).kept_bytes() == bytes);
    reader.prepared(1);
    reader.prepared(2);
    CHECK(reader.kept_bytes() == 3 * bytes);
    reader.turn_to({});
    CHECK(reader.kept_bytes() == 3 * bytes);
    const auto& kept = reader.prepared(0);  // which makes 1 the oldest
    reader.turn_to({2}, bytes);
    CHECK(reader.kept_bytes() == 2 * bytes);
    CHECK(&reader.prepared(0) == &kept);
    reader.turn_to({0}, 0);
    CHECK(reader.kept_bytes() == bytes);
    CHECK(reader.prepared(1).plan.folds.size() == 10);
}

TEST_CASE("what preparing recordings takes is what the file holds and what is made of it") {
    const SmallData small;
    RecordingsReader reader(small.run);
    const auto& prepared = reader.prepared(0);
    CHECK(prepared.read_bytes > 4 * 40 * 6 * 8);
    CHECK(prepared.target_bytes > 40 * 6 * 8);
    CHECK(prepared.target_bytes < prepared.read_bytes);
    CHECK(prepared.preparing_bytes() == prepared.read_bytes + prepared.target_bytes);
}
