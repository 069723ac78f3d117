#include "pipeline/inputs/hash_cache.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::HashCache;

namespace {

std::chrono::system_clock::time_point in_a_minute() {
    return std::chrono::system_clock::now() + std::chrono::minutes(1);
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// A file, and a cache that each call takes from disk and puts back.
class Known {
public:
    Known() { write(file, "weights"); }

    /// "read: CONTENT" or "remembered: CONTENT".
    std::string content(HashCache::Trust trust = HashCache::Trust::yes,
                        const HashCache::Clock& now = in_a_minute,
                        const std::string& what = "content") {
        HashCache known(cache, trust, now);
        bool was_read = false;
        const auto found = known.of(what, {file}, [&] {
            was_read = true;
            return read(file);
        });
        known.save();
        return (was_read ? "read: " : "remembered: ") + found.text;
    }

    test::TemporaryFolder folder;
    std::string file = folder.file("model.ts");
    std::string cache = folder.file("hashes.json");
};

}  // namespace

TEST_CASE("content is read once, and remembered by the next start") {
    Known known;
    CHECK(known.content() == "read: weights");
    CHECK(known.content() == "remembered: weights");
    CHECK(known.content(HashCache::Trust::yes, in_a_minute, "another") == "read: weights");
}

TEST_CASE("a file that was changed, replaced or touched is read again") {
    Known known;
    known.content();
    write(known.file, "Weights");  // of the same size
    CHECK(known.content() == "read: Weights");
    CHECK(known.content() == "remembered: Weights");
    write(known.folder.file("new"), "wEights");
    std::filesystem::rename(known.folder.file("new"), known.file);
    CHECK(known.content() == "read: wEights");
    // The time of writing can be set back, that of the last change cannot.
    const auto written = std::filesystem::last_write_time(known.file);
    write(known.file, "weightS");
    std::filesystem::last_write_time(known.file, written);
    CHECK(known.content() == "read: weightS");
}

TEST_CASE("what was changed a moment before it was read is not remembered") {
    Known known;
    CHECK(known.content(HashCache::Trust::yes, std::chrono::system_clock::now) == "read: weights");
    CHECK(known.content() == "read: weights");
    CHECK(known.content() == "remembered: weights");
}

TEST_CASE("what is changed while it is read is not remembered") {
    Known known;
    HashCache cache(known.cache, HashCache::Trust::yes, in_a_minute);
    cache.of("content", {known.file}, [&] {
        write(known.file, "longer weights");
        return "weights";
    });
    cache.save();
    CHECK(known.content() == "read: longer weights");
}

TEST_CASE("without trust all is read, and the memory renewed") {
    Known known;
    known.content();
    CHECK(known.content(HashCache::Trust::no) == "read: weights");
    CHECK(known.content() == "remembered: weights");
}

TEST_CASE("a memory that is damaged, foreign or cannot be written does no harm") {
    Known known;
    known.content();
    const auto whole = read(known.cache);
    for (const auto& text : {whole.substr(0, whole.size() / 2), std::string("{}"), std::string()}) {
        write(known.cache, text);
        CHECK(known.content() == "read: weights");
        CHECK(known.content() == "remembered: weights");
    }
    known.cache = known.folder.file("absent/hashes.json");
    CHECK(known.content() == "read: weights");
    CHECK_FALSE(std::filesystem::exists(known.folder.file("absent")));
}

TEST_CASE("two jobs that save add to each other") {
    const Known known;
    const auto other = known.folder.file("other.ts");
    write(other, "other weights");
    HashCache first(known.cache, HashCache::Trust::yes, in_a_minute);
    HashCache second(known.cache, HashCache::Trust::yes, in_a_minute);
    first.of("content", {known.file}, [] { return "a"; });
    second.of("content", {other}, [] { return "b"; });
    first.save();
    second.save();
    HashCache both(known.cache, HashCache::Trust::yes, in_a_minute);
    CHECK(both.of("content", {known.file}, [] { return ""; }).text == "a");
    CHECK(both.of("content", {other}, [] { return ""; }).text == "b");
    CHECK(both.of("content", {known.file, other}, [] { return "anew"; }).text == "anew");
}
