#include "leaderboard/raw_assemblies.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

struct RawAssemblies {
    std::vector<core::Assembly> assemblies;
    std::vector<std::string> warnings;
};

RawAssemblies raw_assemblies(const leaderboard::Night& night) {
    RawAssemblies raw;
    raw.warnings = leaderboard::for_each_raw_assembly(
        night, [&](const core::Assembly& assembly) { raw.assemblies.push_back(assembly); });
    return raw;
}

/// A night of one record with the raw values 1 … 6 of 2 splits × 3 neuroids.
leaderboard::Night night_in(const std::string& out) {
    io::JournalSegment segment(out + "/journal", "job");
    auto record = test::scored("k1", "m", "b");
    record.raw = segment.append_array(std::vector<double>{1, 2, 3, 4, 5, 6});
    record.raw_shape = {2, 3};
    record.raw_labels = "L";
    segment.append(io::to_json(record));
    segment.append(
        R"({"kind":"labels","key":"L","coords":{"neuroid_id":{"values":["a","b","c"]}}})");
    segment.flush();
    return leaderboard::read_records(out);
}

}  // namespace

TEST_CASE("raw values come back with splits, labels and attributes") {
    const test::TemporaryFolder folder;
    const auto raw = raw_assemblies(night_in(folder.path().string()));
    CHECK(raw.warnings.empty());
    REQUIRE(raw.assemblies.size() == 1);
    const auto& assembly = raw.assemblies.front();
    CHECK(assembly.name == "m__b__features.5");
    CHECK(core::dimension_size(assembly, "split") == 2);
    CHECK(assembly.values == core::Values(std::vector<double>{1, 2, 3, 4, 5, 6}));
    CHECK(core::texts(assembly, "split") == std::vector<std::string>{"0", "1"});
    CHECK(core::texts(assembly, "neuroid_id") == std::vector<std::string>{"a", "b", "c"});
    CHECK(assembly.attributes == std::map<std::string, core::Attribute>{{"model", "m"},
                                                                        {"benchmark", "b"},
                                                                        {"layer", "features.5"},
                                                                        {"key", "k1"},
                                                                        {"value", 0.5},
                                                                        {"error", 0.01},
                                                                        {"ceiling", 0.72}});
}

TEST_CASE("time bins have labels of their own") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    auto night = night_in(out);
    night.records[0].raw_dims = {"split", "time_bin", "neuroid"};
    night.records[0].raw_shape = {1, 2, 3};
    night.labels["L"].push_back({"time_bin_start", "time_bin", std::vector<std::int64_t>{70, 90}});
    const auto raw = raw_assemblies(night);
    CHECK(raw.warnings.empty());
    REQUIRE(raw.assemblies.size() == 1);
    CHECK(core::dimension_size(raw.assemblies[0], "time_bin") == 2);
    CHECK(core::coordinate(raw.assemblies[0], "time_bin_start").dim == "time_bin");
    CHECK(core::texts(raw.assemblies[0], "neuroid_id") == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("one dimension is neuroid, and labels that do not fit are left out with a warning") {
    const test::TemporaryFolder folder;
    auto night = night_in(folder.path().string());
    night.records[0].raw_shape = {6};
    const auto raw = raw_assemblies(night);
    REQUIRE(raw.assemblies.size() == 1);
    CHECK(raw.assemblies[0].dims.size() == 1);
    CHECK(core::dimension_size(raw.assemblies[0], "neuroid") == 6);
    CHECK(raw.assemblies[0].coordinates.empty());
    CHECK(raw.warnings.size() == 1);
}

TEST_CASE("raw values that are damaged or of another size are left out with a warning") {
    const test::TemporaryFolder folder;
    auto night = night_in(folder.path().string());
    SECTION("damaged") {
        std::ofstream(folder.file("journal/" + night.records[0].raw->file)) << "torn";
    }
    SECTION("of another size") { night.records[0].raw_shape = {2, 4}; }
    SECTION("of no shape") { night.records[0].raw_shape = {}; }
    SECTION("of no known journal") { night.journal_of.clear(); }
    const auto raw = raw_assemblies(night);
    CHECK(raw.assemblies.empty());
    CHECK(raw.warnings.size() == 1);
}

TEST_CASE("raw values that are lost come from another line for the same score") {
    const test::TemporaryFolder folder;
    auto night = night_in(folder.path().string());
    auto again = test::scored("k1", "m", "b");
    io::JournalSegment segment(folder.file("journal"), "job2");
    again.raw = segment.append_array(std::vector<double>{1, 2, 3, 4, 5, 6});
    again.raw_shape = {2, 3};
    segment.append(io::to_json(again));
    segment.flush();
    night.records[0].raw->file = "lost.raw";
    const auto raw = raw_assemblies(night);
    CHECK(raw.warnings.empty());
    REQUIRE(raw.assemblies.size() == 1);
    CHECK(raw.assemblies[0].values == core::Values(std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_CASE("records without raw values give nothing") {
    leaderboard::Night night;
    night.records = {test::scored("k", "m", "b")};
    CHECK(raw_assemblies(night).assemblies.empty());
    CHECK(raw_assemblies(night).warnings.empty());
}
