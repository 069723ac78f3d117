#include "pipeline/trial_ahead.hpp"

#include <atomic>
#include <latch>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

models::ModelRecord named(const std::string& identifier) {
    models::ModelRecord model;
    model.identifier = identifier;
    return model;
}

}  // namespace

TEST_CASE("a trial ahead runs beside its caller, one at a time, and is waited for at the end") {
    std::latch may_end(1);
    std::atomic<int> begun = 0;
    std::atomic<int> ended = 0;
    std::string tried;
    {
        pipeline::TrialAhead ahead([&](const std::vector<models::ModelRecord>& networks) {
            ++begun;
            tried += networks.at(0).identifier;
            may_end.wait();
            ++ended;
            return std::map<std::string, std::string>{};
        });
        ahead.begin(named("first"));
        ahead.begin(named("second"));  // while the first cannot end
        CHECK(ended == 0);
        may_end.count_down();
    }
    CHECK(begun == 1);
    CHECK(ended == 1);
    CHECK(tried == "first");
}

TEST_CASE("a trial ahead that fails is no failure yet") {
    pipeline::TrialAhead ahead(
        [](const std::vector<models::ModelRecord>&) -> std::map<std::string, std::string> {
            throw std::runtime_error("no process");
        });
    CHECK_NOTHROW(ahead.begin(named("any")));
}

TEST_CASE("without a way to try networks nothing is begun") {
    pipeline::TrialAhead ahead(pipeline::NetworkTrial{});
    CHECK_NOTHROW(ahead.begin(named("any")));
}
