#include "pipeline/extraction/activations_budget.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral;
namespace fs = std::filesystem;

namespace {

/// Files of 100 bytes, each used a minute after the one before.
struct Folder {
    Folder() {
        const auto now = fs::file_time_type::clock::now();
        int age = 10;
        for (const auto* name : {"first.h5", "second.h5", "third.h5"}) {
            std::ofstream(path(name)) << std::string(100, 'x');
            fs::last_write_time(path(name), now - std::chrono::minutes(age--));
        }
    }
    std::string path(const std::string& name) const { return folder.file(name); }
    bool has(const std::string& name) const { return fs::exists(path(name)); }
    void keep(std::uint64_t budget) const {
        pipeline::keep_within_budget(folder.path().string(), budget);
    }

    test::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("the least recently used activations go first, and no more than need be") {
    const Folder folder;
    folder.keep(300);
    CHECK(folder.has("first.h5"));
    folder.keep(299);
    CHECK_FALSE(folder.has("first.h5"));
    CHECK(folder.has("second.h5"));
    CHECK(folder.has("third.h5"));
    folder.keep(0);
    CHECK(fs::is_empty(folder.folder.path()));
}

TEST_CASE("the folder is looked at again when half of what was free may have been used") {
    const Folder folder;
    const auto is_looked_at = [&](pipeline::ActivationsBudget& budget, std::uint64_t used) {
        std::ofstream(folder.path("too_much.h5")) << std::string(1000, 'x');
        fs::last_write_time(folder.path("too_much.h5"), fs::file_time_type::min());
        budget.have_used(used);
        const bool was_removed = !folder.has("too_much.h5");
        fs::remove(folder.path("too_much.h5"));
        return was_removed;
    };
    // 300 of 700 bytes are there; two writers may add 100 each before they look again.
    pipeline::ActivationsBudget budget(folder.folder.path().string(), 700, 2);
    CHECK(is_looked_at(budget, 0));
    CHECK_FALSE(is_looked_at(budget, 60));
    CHECK_FALSE(is_looked_at(budget, 39));
    CHECK(is_looked_at(budget, 1));
    CHECK_FALSE(is_looked_at(budget, 99));
    pipeline::ActivationsBudget full(folder.folder.path().string(), 300, 1);
    CHECK(is_looked_at(full, 0));
    CHECK(is_looked_at(full, 0));
}

TEST_CASE("a file in use stays, and is the most recently used one afterwards") {
    const Folder folder;
    {
        pipeline::ActivationsInUse in_use;
        CHECK(in_use.add(folder.path("first.h5")));
        CHECK(in_use.add(folder.path("first.h5")));
        folder.keep(0);
        CHECK(folder.has("first.h5"));
        CHECK_FALSE(folder.has("third.h5"));
        std::ofstream(folder.path("later.h5")) << std::string(100, 'x');
        fs::last_write_time(folder.path("later.h5"),
                            fs::file_time_type::clock::now() - std::chrono::seconds(30));
    }
    folder.keep(100);
    CHECK(folder.has("first.h5"));
    CHECK_FALSE(folder.has("later.h5"));
}

TEST_CASE("only a file that nobody uses is removed, also one that has taken another's name") {
    const Folder folder;
    const auto path = folder.path("first.h5");
    pipeline::ActivationsInUse in_use;
    CHECK(in_use.add(path));
    CHECK(pipeline::remove_unless_in_use(path) == pipeline::Removal::in_use);
    CHECK(in_use.is_there(path));
    fs::rename(folder.path("second.h5"), path);
    CHECK_FALSE(in_use.is_there(path));
    CHECK(in_use.add(path));
    CHECK(pipeline::remove_unless_in_use(path) == pipeline::Removal::in_use);
    in_use.release();
    CHECK(pipeline::remove_unless_in_use(path) == pipeline::Removal::done);
    CHECK_FALSE(folder.has("first.h5"));
    CHECK(pipeline::remove_unless_in_use(path) == pipeline::Removal::failed);
}

TEST_CASE("projections count and go as the activations do") {
    const Folder folder;
    std::ofstream(folder.path("oldest.nc")) << std::string(100, 'x');
    fs::last_write_time(folder.path("oldest.nc"),
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    pipeline::ActivationsInUse in_use;
    CHECK(in_use.add(folder.path("oldest.nc")));
    folder.keep(300);
    CHECK(folder.has("oldest.nc"));
    CHECK_FALSE(folder.has("first.h5"));
    in_use.release();
    fs::last_write_time(folder.path("oldest.nc"),
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    folder.keep(200);
    CHECK_FALSE(folder.has("oldest.nc"));
    CHECK(folder.has("second.h5"));
}

TEST_CASE("what is no activations file is neither counted nor removed") {
    const Folder folder;
    std::ofstream(folder.path("half.h5.tmp")) << std::string(1000, 'x');
    folder.keep(300);
    CHECK(folder.has("first.h5"));
    folder.keep(0);
    CHECK(folder.has("half.h5.tmp"));
}

TEST_CASE("a file that is gone is not in use, and a missing folder is within any budget") {
    const Folder folder;
    pipeline::ActivationsInUse in_use;
    CHECK_FALSE(in_use.add(folder.path("none.h5")));
    pipeline::keep_within_budget(folder.path("no folder"), 0);
}
