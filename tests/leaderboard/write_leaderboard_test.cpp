#include "leaderboard/write_leaderboard.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/disk/durable_file.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "leaderboard/hand_made_records.hpp"
#include "leaderboard/tables.hpp"
#include "support/memory_limit.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using leaderboard::write_leaderboard;
using test::night_with_raw;

TEST_CASE("a leaderboard is three files, raw values by group") {
    const test::TemporaryFolder folder;
    const auto out = folder.file("all/nights");
    const auto night = night_with_raw(folder.file("run"));
    write_leaderboard(out, night);
    CHECK(io::read_file(out + "/scores.csv") == leaderboard::scores_csv(night));
    CHECK(io::read_file(out + "/scores.json") == leaderboard::scores_json(night, out));
    CHECK(io::assembly_groups(out + "/scores.nc") == std::vector<std::string>{"m__b__features.5"});
    const auto raw =
        io::read_assembly(out + "/scores.nc", {std::nullopt, std::string("m__b__features.5")});
    const auto& values = std::get<std::vector<double>>(raw.values);
    CHECK(values[0] == 0.1);
    CHECK(std::isnan(values[1]));
    CHECK(raw.attributes.at("key") == core::Attribute("k1"));
}

TEST_CASE("what killed writers have left of tables goes with the next ones") {
    const test::TemporaryFolder folder;
    const auto old = folder.file("scores.nc.0123456789abcdef.9e107d9d-4711.tmp");
    const auto other = folder.file("other.nc.0123456789abcdef.9e107d9d-4711.tmp");
    for (const auto& path : {old, other}) {
        io::write_file_durably(path, "half");
        std::filesystem::last_write_time(
            path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
    }
    write_leaderboard(folder.path().string(), night_with_raw(folder.file("run")));
    CHECK_FALSE(std::filesystem::exists(old));
    CHECK(std::filesystem::exists(other));
}

TEST_CASE("tables that say the same already stay as they are, unless a file is gone or changed") {
    const test::TemporaryFolder folder;
    const auto out = folder.file("run");
    auto night = night_with_raw(out);
    const auto written_anew = [&] {
        std::map<std::string, bool> anew;
        for (const std::string name : {"scores.csv", "scores.json", "scores.nc"}) {
            // Whoever writes a file anew unlinks the one that this name keeps.
            const auto kept = out + "/kept-" + name;
            std::filesystem::remove(kept);
            if (std::filesystem::exists(out + "/" + name))
                std::filesystem::create_hard_link(out + "/" + name, kept);
        }
        write_leaderboard(out, night);
        for (const std::string name : {"scores.csv", "scores.json", "scores.nc"})
            anew[name] = !std::filesystem::exists(out + "/kept-" + name) ||
                         !std::filesystem::equivalent(out + "/" + name, out + "/kept-" + name);
        return anew;
    };
    const std::map<std::string, bool> all{
        {"scores.csv", true}, {"scores.json", true}, {"scores.nc", true}};
    auto none = all;
    for (auto& [name, is_new] : none) is_new = false;
    CHECK(written_anew() == all);
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
    for (const auto* name : {"/scores.csv", "/scores.json", "/scores.nc"})
        std::filesystem::last_write_time(out + name, long_ago);
    CHECK(written_anew() == none);
    for (const auto* name : {"/scores.csv", "/scores.json", "/scores.nc"})
        CHECK(std::filesystem::last_write_time(out + name) > long_ago);
    for (const auto* name : {"/scores.csv", "/scores.json", "/scores.nc"}) {
        std::filesystem::remove(out + name);
        CHECK(written_anew() == all);
        CHECK(written_anew() == none);
    }
    std::ofstream(out + "/scores.nc", std::ios::app) << "damage";
    std::filesystem::last_write_time(
        out + "/scores.nc",
        std::filesystem::last_write_time(out + "/scores.json") + std::chrono::seconds(1));
    CHECK(written_anew() == all);
    night.records[0].value = 0.25;
    CHECK(written_anew() == all);
}

TEST_CASE("raw values of other scores are written again, whatever their file's time") {
    const test::TemporaryFolder folder;
    const auto out = folder.file("run");
    auto night = night_with_raw(out);
    write_leaderboard(out, night);
    std::filesystem::copy_file(out + "/scores.nc", out + "/earlier.nc");
    night.records[0].value = 0.25;
    write_leaderboard(out, night);
    std::filesystem::rename(out + "/earlier.nc", out + "/scores.nc");
    std::filesystem::last_write_time(out + "/scores.nc",
                                     std::filesystem::last_write_time(out + "/scores.json"));
    write_leaderboard(out, night);
    const auto raw =
        io::read_assembly(out + "/scores.nc", {std::nullopt, std::string("m__b__features.5")});
    CHECK(raw.attributes.at("value") == core::Attribute(0.25));
}

TEST_CASE("raw values that were missing are looked for again") {
    const test::TemporaryFolder folder;
    const auto out = folder.file("run");
    auto night = night_with_raw(out);
    auto other = test::scored("k2", "m2", "b");
    {
        io::JournalSegment segment(out + "/journal", "another");
        other.raw = segment.append_array(std::vector<double>{0.5});
        other.raw_shape = {1, 1};
        segment.append(io::to_json(other));
        segment.flush();
    }
    night = leaderboard::read_records(out);
    const auto raw_file = out + "/journal/" + other.raw->file;
    std::filesystem::rename(raw_file, out + "/away");
    for (int time = 0; time < 2; ++time) {
        write_leaderboard(out, night);
        CHECK(io::assembly_groups(out + "/scores.nc").size() == 1);
    }
    std::filesystem::rename(out + "/away", raw_file);
    write_leaderboard(out, night);
    CHECK(io::assembly_groups(out + "/scores.nc").size() == 2);
}

TEST_CASE("raw values that no netCDF variable can hold cost scores.nc alone, also an old one") {
    const test::TemporaryFolder folder;
    const auto out = folder.file("run");
    auto night = night_with_raw(out);
    write_leaderboard(out, night);
    night.records[0].raw_labels = "labels";
    night.labels["labels"] = {{"no/name", "neuroid", std::vector<std::string>{"a", "b"}}};
    night.records[0].value = 0.25;
    write_leaderboard(out, night);
    CHECK(io::read_file(out + "/scores.csv") == leaderboard::scores_csv(night));
    CHECK_FALSE(std::filesystem::exists(out + "/scores.nc"));
}

TEST_CASE("raw values of many scores are never all in memory") {
    if (test::has_address_sanitizer) return;
    constexpr std::size_t count = 500'000;  // 4 MB
    const test::TemporaryFolder folder;
    const auto out = folder.file("run");
    {
        io::JournalSegment segment(out + "/journal", "job");
        for (const std::string key : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
            auto record = test::scored(key, "m" + key, "b");
            record.raw = segment.append_array(std::vector<double>(count, 0.5));
            record.raw_shape = {1, count};
            segment.append(io::to_json(record));
            segment.flush();
        }
    }
    const auto night = leaderboard::read_records(out);
    {
        const test::MemoryLimit limit(std::size_t{24} << 20);
        write_leaderboard(out, night);
    }
    CHECK(io::assembly_groups(out + "/scores.nc").size() == 8);
}

TEST_CASE("without raw values there is no scores.nc, not even an old one") {
    const test::TemporaryFolder folder;
    auto night = night_with_raw(folder.file("run"));
    write_leaderboard(folder.file("run"), night);
    CHECK(std::filesystem::exists(folder.file("run/scores.nc")));
    night.records[0].raw = std::nullopt;
    write_leaderboard(folder.file("run"), night);
    CHECK_FALSE(std::filesystem::exists(folder.file("run/scores.nc")));
}

TEST_CASE("a folder that cannot be made is an error that names it") {
    const test::TemporaryFolder folder;
    write_leaderboard(folder.path().string(), {});
    CHECK_THROWS_AS(write_leaderboard(folder.file("scores.csv/x"), {}), core::InputError);
}
