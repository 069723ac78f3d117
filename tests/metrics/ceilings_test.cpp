#include "metrics/ceilings.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/internal_consistency.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;

TEST_CASE("every ceiling can be found by its name") {
    for (const auto& ceiling : registered_ceilings()) {
        CHECK(find_ceiling(ceiling.name).name == ceiling.name);
        CHECK(ceiling.compute);
    }
    CHECK(find_ceiling("internal_consistency").version == internal_consistency_version);
}

TEST_CASE("consistency needs two repetitions, which their labels tell") {
    core::Assembly labels;
    labels.name = "recordings.nc";
    labels.coordinates = {{"repetition", "presentation", std::vector<std::int64_t>{3, 3, 3}}};
    const auto& consistency = metrics::find_ceiling("internal_consistency");
    CHECK_THROWS_WITH(
        metrics::check_repetitions(consistency, labels),
        "internal_consistency needs at least two repetitions ('recordings.nc' has 1)");
    CHECK_NOTHROW(metrics::check_repetitions(metrics::find_ceiling("rsa_ceiling"), labels));
    labels.coordinates[0].values = std::vector<std::int64_t>{3, 4, 3};
    CHECK_THROWS_WITH(metrics::check_repetitions(consistency, labels),
                      Catch::Contains("'neuroid_id'"));
    labels.coordinates.push_back({"neuroid_id", "neuroid", std::vector<std::int64_t>{1, 2}});
    CHECK_NOTHROW(metrics::check_repetitions(consistency, labels));
    const auto& temporal = metrics::find_ceiling("internal_consistency_temporal");
    CHECK_THROWS_WITH(metrics::check_repetitions(temporal, labels),
                      Catch::StartsWith("recordings.nc: no dimension 'time_bin'"));
    labels.dims = {{"time_bin", 1}};
    CHECK_NOTHROW(metrics::check_repetitions(temporal, labels));
    labels.coordinates.clear();
    CHECK_THROWS_WITH(metrics::check_repetitions(consistency, labels),
                      Catch::Contains("'repetition'"));
}

TEST_CASE("a ceiling that is not there is an error that lists those there are") {
    CHECK_THROWS_AS(find_ceiling("cons"), core::InputError);
    CHECK_THROWS_WITH(find_ceiling("internal_consistancy"),
                      Contains("supported: internal_consistency") && Contains("did you mean"));
}
