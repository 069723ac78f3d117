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

TEST_CASE("a ceiling that is not there is an error that lists those there are") {
    CHECK_THROWS_AS(find_ceiling("cons"), core::InputError);
    CHECK_THROWS_WITH(find_ceiling("internal_consistancy"),
                      Contains("supported: internal_consistency") && Contains("did you mean"));
}
