#include "metrics/regression_fit.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;

TEST_CASE("every metric can be found by its name") {
    std::set<std::string> names;
    for (const auto& metric : registered_metrics()) {
        CHECK(find_metric(metric.name).name == metric.name);
        CHECK(metric.version >= 1);
        names.insert(metric.name);
    }
    CHECK(names ==
          std::set<std::string>{"pls", "pls_cv", "pls_split", "ridge", "ridge_cv", "ridge_split"});
}

TEST_CASE("only names that end in split take given train and test sets") {
    for (const auto& metric : registered_metrics())
        CHECK((metric.form == SplitForm::train_test) ==
              (metric.name.find("_split") != std::string::npos));
}

TEST_CASE("a metric that is not there is an error that lists those there are") {
    CHECK_THROWS_AS(find_metric("cka"), core::InputError);
    CHECK_THROWS_WITH(find_metric("ridg"), Contains("'ridg'") && Contains("pls_split") &&
                                               Contains("did you mean 'ridge'"));
}

TEST_CASE("of two margins the narrower is kept") {
    core::Margins margins;
    merge_margins(margins, {0.5, 1e-14});
    merge_margins(margins, {0.1, 1e-13});
    merge_margins(margins, {0.3, 1e-15});
    CHECK(margins.pls_stop == 0.1);
    CHECK(margins.guard == 1e-13);
}
