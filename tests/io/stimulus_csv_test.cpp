#include "io/text/stimulus_csv.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/shared.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::read_stimulus_set;

namespace {

/// A table with the images a.png and b.png.
struct Package {
    explicit Package(const std::string& text) {
        for (const auto* name : {"a.png", "b.png"}) std::ofstream(folder.file(name)) << "image";
        source = {"set", folder.file("set.csv"), folder.path().string(), 8};
        std::ofstream(source.csv) << text;
    }

    test::TemporaryFolder folder;
    io::StimulusSource source;
};

std::string message(const std::string& text) {
    const Package package(text);
    try {
        read_stimulus_set(package.source);
    } catch (const core::InputError& error) {
        const std::string what = error.what();
        const auto prefix = package.source.csv;
        return what.substr(0, prefix.size()) == prefix ? what.substr(prefix.size()) : what;
    }
    return "none";
}

}  // namespace

TEST_CASE("ids, files, widths and typed columns are read in the order of the table") {
    const Package package(
        "image_id,image_file_name,s,rxy,object_name,hole\nx2,b.png,1,0.5,dog,\nx1,a.png,-2,1,cat,"
        "3\n");
    const auto set = read_stimulus_set(package.source);
    CHECK(set.identifier == "set");
    CHECK(set.stimulus_ids == std::vector<std::string>{"x2", "x1"});
    CHECK(set.files[0] == package.folder.file("b.png"));
    CHECK(set.visual_degrees == std::vector<double>{8, 8});
    REQUIRE(set.columns.size() == 5);
    CHECK(set.columns[0].name == "image_file_name");
    CHECK(std::get<std::vector<std::int64_t>>(set.columns[1].values) ==
          std::vector<std::int64_t>{1, -2});
    CHECK(std::get<std::vector<double>>(set.columns[2].values) == std::vector<double>{0.5, 1});
    CHECK(std::get<std::vector<std::string>>(set.columns[3].values)[1] == "cat");
    const auto& hole = std::get<std::vector<double>>(set.columns[4].values);
    CHECK(std::isnan(hole[0]));
    CHECK(hole[1] == 3);
}

TEST_CASE("a column of degrees gives each stimulus its width") {
    const Package package("stimulus_id,filename,degrees\n1,a.png,4\n2,b.png,2.5\n");
    const auto set = read_stimulus_set(package.source);
    CHECK(set.visual_degrees == std::vector<double>{4, 2.5});
    CHECK(set.stimulus_ids == std::vector<std::string>{"1", "2"});
}

TEST_CASE("a stated width is warned of if the table's column has another one") {
    const auto warning = [](const std::string& text, std::optional<double> stated) {
        const Package package(text);
        const auto set = read_stimulus_set(package.source);
        return io::degrees_warning("set.csv", stated, set).value_or("none");
    };
    const std::string rows = "\n1,a.png,4\n2,b.png,8\n";
    for (const std::string column : {"degrees", "visual_degrees"})
        CHECK_THAT(warning("stimulus_id,filename," + column + rows, 8),
                   Catch::StartsWith("set.csv: ") && Catch::Contains("'" + column + "'") &&
                       Catch::Contains("the 8 visual degrees"));
    CHECK(warning("stimulus_id,filename,degrees" + rows, std::nullopt) == "none");
    CHECK(warning("stimulus_id,filename,degrees\n1,a.png,4\n2,b.png,4.0\n", 4) == "none");
    CHECK(warning("stimulus_id,filename,x" + rows, 5) == "none");
}

TEST_CASE("what is wrong with a table is said with its line") {
    CHECK_THAT(message("id,filename\n1,a.png\n"), Catch::StartsWith(":1: no column 'stimulus_id'"));
    CHECK_THAT(message("stimulus_id;filename\n1;a.png\n"),
               Catch::StartsWith(":1: no column 'stimulus_id'") &&
                   Catch::Contains("the separator must be a comma, not ';'"));
    CHECK_THAT(message("stimulus_id\tfilename\n1\ta.png\n"),
               Catch::Contains("the separator must be a comma, not a tab"));
    CHECK_THAT(message("stimulus_id,file\n1,a.png\n"),
               Catch::StartsWith(":1: no column 'filename'"));
    CHECK(message("stimulus_id, filename\n1,a.png\n") ==
          ":1: the column ' filename' has blanks around its name, take them away");
    CHECK_THAT(message("stimulus_id,filename\n"), Catch::StartsWith(":1: the table has a header"));
    CHECK_THAT(message("stimulus_id,filename\n1,a.png\n1,b.png\n"),
               Catch::StartsWith(":3: the stimulus id '1' stands in line 2"));
    CHECK_THAT(message("stimulus_id,filename\n,a.png\n"),
               Catch::StartsWith(":2: the stimulus has no id"));
    CHECK(message("stimulus_id,filename\n1,a.png\n2,\n") == ":3: the stimulus has no file name");
    CHECK_THAT(message("stimulus_id,filename\n1,a.png\n2,c.png\n3,d.png\n"),
               Catch::StartsWith(":3: no image file") && Catch::Contains("2 of 3"));
    CHECK_THAT(message("stimulus_id,filename,degrees\n1,a.png,wide\n"),
               Catch::StartsWith(":2: 'wide'"));
    CHECK_THAT(message("stimulus_id,filename,degrees\n1,a.png,4\n2,b.png,\n"),
               Catch::StartsWith(":3: '' is no width"));
    CHECK_THAT(message("stimulus_id,filename,degrees\n1,a.png,4\n2,b.png,NaN\n"),
               Catch::StartsWith(":3: 'NaN' is no width"));
}

TEST_CASE("the stimulus sets of the V4 recordings can be read") {
    const auto folder = test::shared_path("data/v4");
    if (!folder) {
        WARN("skipped: VENTRAL_SHARED has no data/v4");
        return;
    }
    for (const auto& [session, count] : {std::pair("201016", 600), std::pair("210325", 640)}) {
        const auto set = read_stimulus_set({session, *folder + "/stimuli_" + session + ".csv",
                                            *folder + "/stimuli_" + session, 8});
        CHECK(set.stimulus_ids.size() == static_cast<std::size_t>(count));
    }
}
