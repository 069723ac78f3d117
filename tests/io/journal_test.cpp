#include "io/journal/journal.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/file_size_limit.hpp"
#include "io/input_file.hpp"
#include "io/journal/read_journal.hpp"
#include "support/journal_contents.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::JournalArrays;
using io::JournalSegment;
using test::read_journal;

namespace {

std::vector<std::string> texts(const test::JournalContents& contents) {
    std::vector<std::string> all;
    for (const auto& line : contents.lines) all.push_back(line.json);
    return all;
}

std::string only_file(const test::TemporaryFolder& folder, const std::string& extension) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        if (entry.path().extension() == extension) return entry.path().string();
    }
    FAIL("no file *" + extension);
    return {};
}

void overwrite(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

const std::vector<std::string> three{R"({"kind":"started"})", R"({"a":"ü"})", "{}"};

void write_three(const std::string& folder) {
    JournalSegment segment(folder, "job");
    for (const auto& line : three) segment.append(line);
    segment.flush();
}

}  // namespace

TEST_CASE("a line is its length, its CRC-32C and its text") {
    const test::TemporaryFolder folder;
    JournalSegment segment(folder.path().string(), "job 7/x");
    segment.append("123456789");
    segment.flush();
    const auto path = only_file(folder, ".journal");
    CHECK(io::read_file(path) == "9 e3069283 123456789\n");  // the check value of CRC-32C
    CHECK(std::filesystem::path(path).filename().string().substr(0, 8) == "job_7_x.");
}

TEST_CASE("lines come back in order, segment after segment, and foreign files are ignored") {
    const test::TemporaryFolder folder;
    const auto journal = folder.file("journal");
    CHECK(read_journal(journal).lines.empty());
    JournalSegment(journal, "idle").flush();
    CHECK_FALSE(std::filesystem::exists(journal));
    JournalSegment first(journal, "a");
    JournalSegment second(journal, "b");
    second.append("{\"b\":1}");
    second.flush();
    first.append("{\"a\":1}");
    first.append("{\"a\":2}");
    first.flush();
    first.append("{\"lost\":1}");
    overwrite(journal + "/empty.journal", "");
    overwrite(journal + "/notes.txt", "hello\n");
    const auto contents = read_journal(journal);
    CHECK(texts(contents) == std::vector<std::string>{"{\"a\":1}", "{\"a\":2}", "{\"b\":1}"});
    CHECK(contents.lines[1].line == 2);
    CHECK(contents.lines[1].segment.substr(0, 2) == "a.");
    CHECK(contents.warnings.empty());
}

TEST_CASE("lines that are longer than what is read at once, or lie across two reads, are whole") {
    const test::TemporaryFolder folder;
    const auto path = folder.path().string();
    std::vector<std::string> written;
    for (const std::size_t length : {10, 1 << 20, 3, (1 << 20) - 40, 50, 3 << 20, 7})
        written.push_back("{\"text\":\"" + std::string(length, 'x') + "\"}");
    JournalSegment segment(path, "job");
    for (const auto& json : written) segment.append(json);
    segment.flush();
    CHECK(texts(read_journal(path)) == written);
    std::ofstream(segment.stem() + ".journal", std::ios::app) << "33 torn";
    CHECK(texts(read_journal(path)) == written);
    CHECK(read_journal(path).warnings.empty());
}

TEST_CASE("a line tells its kind and its key by how it begins") {
    const auto told = [](const std::string& json) {
        const io::JournalLine line{json, "job.journal", 1};
        return std::pair(std::string(io::kind_of(line.json)), std::string(io::key_of(line.json)));
    };
    using Told = std::pair<std::string, std::string>;
    CHECK(told(R"({"kind":"folds","key":"ab","group":0})") == Told("folds", "ab"));
    CHECK(told(R"({"kind":"times","ranks":[]})") == Told("times", ""));
    CHECK(told(R"({"key":"ab","kind":"folds"})") == Told("", ""));
    for (const auto* torn : {"", "[]", R"({"kind":)", R"({"kind":")", R"({"kind":"folds)"})
        CHECK(told(torn) == Told("", ""));
    CHECK(told(R"({"kind":"folds","key":"ab)") == Told("folds", ""));
}

TEST_CASE("arrays come back bit for bit from where their places say") {
    const test::TemporaryFolder folder;
    const auto path = folder.path().string();
    JournalSegment segment(path, "job");
    const std::vector<double> one{1, -0.0, 1e-310};
    const std::vector<double> two(200000, 0.1);
    const auto first = segment.append_array(one);
    segment.flush();
    const auto second = segment.append_array(two);
    CHECK(segment.due());  // 1.6 MB
    segment.append("{}");
    CHECK_FALSE(JournalArrays().read(path, second));
    segment.flush();
    CHECK_FALSE(segment.due());
    CHECK(second.offset == 24);
    CHECK(JournalArrays().read(path, first) == one);
    CHECK(JournalArrays().read(path, second) == two);
    auto wrong = first;
    wrong.count = 2;
    CHECK_FALSE(JournalArrays().read(path, wrong));
    wrong = first;
    wrong.count = ~std::uint64_t{0} / 4;
    CHECK_FALSE(JournalArrays().read(path, wrong));
    wrong = first;
    wrong.file = "../" + wrong.file;
    CHECK_FALSE(JournalArrays().read(path, wrong));
    overwrite(only_file(folder, ".raw"), "short");
    CHECK_FALSE(JournalArrays().read(path, first));
}

TEST_CASE("what comes a second after the last flush is due at once, what comes soon is not") {
    const test::TemporaryFolder folder;
    JournalSegment segment(folder.path().string(), "job");
    segment.append("{}");
    CHECK_FALSE(segment.due());
    segment.flush();
    const auto now = JournalSegment::Clock::now();
    CHECK_FALSE(segment.due(now + std::chrono::seconds(2)));  // there is nothing
    segment.append("{}");
    CHECK_FALSE(segment.due(now));
    CHECK(segment.due(now + std::chrono::seconds(1)));
    segment.flush();
    segment.append("{}");
    CHECK_FALSE(segment.due());
}

TEST_CASE("one reader finds arrays of many segments, and what is flushed after it has begun") {
    const test::TemporaryFolder folder;
    const auto path = folder.path().string();
    JournalArrays arrays;
    std::vector<std::unique_ptr<JournalSegment>> segments;
    std::vector<core::ArrayPlace> places;
    for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < 70; ++i) {  // more than stay open
            if (round == 0)
                segments.push_back(std::make_unique<JournalSegment>(path, std::to_string(i)));
            const std::vector<double> values(2, static_cast<double>(places.size()));
            places.push_back(segments[i]->append_array(values));
            CHECK_FALSE(arrays.read(path, places.back()));
            segments[i]->flush();
            CHECK(arrays.read(path, places.back()) == values);
        }
    for (std::size_t i = 0; i < places.size(); ++i)
        CHECK(arrays.read(path, places[i]) == std::vector<double>(2, static_cast<double>(i)));
}

TEST_CASE("a journal cut at any byte gives the whole lines before it, without a warning") {
    const test::TemporaryFolder folder;
    write_three(folder.path().string());
    const auto path = only_file(folder, ".journal");
    const auto bytes = io::read_file(path);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        overwrite(path, bytes.substr(0, size));
        const auto contents = read_journal(folder.path().string());
        const auto whole = std::count(bytes.begin(), bytes.begin() + static_cast<long>(size), '\n');
        CHECK(contents.lines.size() == static_cast<std::size_t>(whole));
        CHECK(contents.warnings.empty());
    }
    overwrite(path, bytes + std::string(100, '\0'));
    CHECK(texts(read_journal(folder.path().string())) == three);
}

TEST_CASE("a damaged line is reported with its place and skipped, also the last") {
    const auto line = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{2});
    const test::TemporaryFolder folder;
    write_three(folder.path().string());
    const auto path = only_file(folder, ".journal");
    const auto bytes = io::read_file(path);
    std::size_t first = 0;
    for (std::size_t before = 0; before < line; ++before) first = bytes.find('\n', first) + 1;
    auto others = three;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(line));
    for (auto at = first; at < bytes.find('\n', first); ++at) {
        auto damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        overwrite(path, damaged);
        const auto contents = read_journal(folder.path().string());
        CHECK(texts(contents) == others);
        REQUIRE(contents.warnings.size() == 1);
        CHECK_THAT(contents.warnings[0],
                   Catch::StartsWith(path + ":" + std::to_string(line + 1) + ": "));
    }
}

TEST_CASE("damaged lines of a segment are one warning") {
    const test::TemporaryFolder folder;
    write_three(folder.path().string());
    const auto path = only_file(folder, ".journal");
    overwrite(path, "not ours\nnor this\n" + io::read_file(path) + "nor that\n");
    const auto contents = read_journal(folder.path().string());
    CHECK(texts(contents) == three);
    REQUIRE(contents.warnings.size() == 1);
    CHECK_THAT(contents.warnings[0], Catch::StartsWith(path + ":1: the line is damaged") &&
                                         Catch::Contains("and so 2 more lines to 6;"));
}

TEST_CASE("random damage never makes a line that was not written") {
    const test::TemporaryFolder folder;
    write_three(folder.path().string());
    const auto path = only_file(folder, ".journal");
    const auto bytes = io::read_file(path);
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        auto damaged = bytes;
        for (int flips = 1 + round % 5; flips > 0; --flips) {
            damaged[random() % damaged.size()] = static_cast<char>(random());
        }
        if (round % 3 == 0) damaged.resize(random() % damaged.size());
        overwrite(path, damaged);
        for (const auto& line : texts(read_journal(folder.path().string()))) {
            CHECK(std::find(three.begin(), three.end(), line) != three.end());
        }
    }
}

TEST_CASE("a full disk is a JournalError, keeps what was flushed, and the next flush tries again") {
    const test::TemporaryFolder folder;
    const auto path = folder.path().string();
    JournalSegment segment(path, "job");
    segment.append("{\"n\":1}");
    segment.flush();
    segment.append("{\"n\":\"" + std::string(500, 'x') + "\"}");
    {
        const test::FileSizeLimit limit(100);
        CHECK_THROWS_AS(segment.flush(), io::JournalError);
        CHECK_THROWS_WITH(segment.flush(), Catch::Contains("File too large"));
        CHECK(texts(read_journal(path)) == std::vector<std::string>{"{\"n\":1}"});
    }
    segment.append("{\"n\":3}");
    segment.flush();
    CHECK(read_journal(path).lines.size() == 3);
    CHECK(read_journal(path).warnings.empty());
}

TEST_CASE("a journal that is removed or moved while it is written is a JournalError") {
    const test::TemporaryFolder folder;
    const auto journal = folder.file("journal");
    JournalSegment moved(journal, "moved");
    moved.append("{\"n\":1}");
    moved.flush();
    std::filesystem::rename(journal, folder.file("elsewhere"));
    moved.append("{\"n\":2}");
    CHECK_THROWS_WITH(moved.flush(), Catch::Contains("the journal is gone"));
    CHECK(read_journal(folder.file("elsewhere")).lines.size() == 2);
    JournalSegment removed(journal, "removed");
    removed.append("{\"n\":1}");
    removed.flush();
    std::filesystem::remove_all(journal);
    removed.append("{\"n\":2}");
    CHECK_THROWS_AS(removed.flush(), io::JournalError);
}

TEST_CASE("a journal in a folder that cannot be made is a JournalError") {
    const test::TemporaryFolder folder;
    overwrite(folder.file("file"), "x");
    JournalSegment segment(folder.file("file"), "job");
    segment.append("{}");
    CHECK_THROWS_AS(segment.flush(), io::JournalError);
}

TEST_CASE("a folder that cannot be listed is no empty journal") {
    const test::TemporaryFolder folder;
    overwrite(folder.file("file"), "x");
    CHECK_THROWS_AS(read_journal(folder.file("file")), core::InputError);
    CHECK_THROWS_WITH(read_journal(folder.file("file")),
                      folder.file("file") + ": the journal cannot be listed (Not a directory)");
}
