#include "stats/logistic/line_search.hpp"

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

using namespace ventral::stats;

namespace {

using Function = std::function<double(double)>;
using Search = std::optional<LineStep> (*)(const LineSearch&);

/// What a search found and how often it looked; what SciPy 1.10 found and how often.
struct Example {
    std::string name;
    Function value, slope;
    std::optional<double> previous_rise;  ///< of the value before over that at 0
    std::optional<double> more_thuente;
    int more_thuente_looks;
    std::optional<double> zoom;
    int zoom_looks;
};

/// `scalar_search_wolfe1` and `scalar_search_wolfe2` of scipy.optimize._linesearch.
std::vector<Example> examples() {
    const Function well = [](double s) { return (s - 0.01) * (s - 0.01) * 1000; };
    const Function well_slope = [](double s) { return 2000 * (s - 0.01); };
    const Function growth = [](double s) { return std::exp(10 * s) - 20 * s; };
    const Function growth_slope = [](double s) { return 10 * std::exp(10 * s) - 20; };
    const Function rational = [](double s) { return -s / (s * s + 2); };
    const Function rational_slope = [](double s) {
        return (s * s - 2) / ((s * s + 2) * (s * s + 2));
    };
    const Function steep = [](double s) { return -5 * s + std::pow(s - 3, 4); };
    const Function steep_slope = [](double s) { return -5 + 4 * std::pow(s - 3, 3); };
    const Function far = [](double s) { return (s - 30) * (s - 30); };
    const Function far_slope = [](double s) { return 2 * (s - 30); };
    const Function quartic = [](double s) {
        return std::pow(s + 0.004, 5) - 2 * std::pow(s + 0.004, 4);
    };
    const Function quartic_slope = [](double s) {
        return 5 * std::pow(s + 0.004, 4) - 8 * std::pow(s + 0.004, 3);
    };
    const Function line = [](double s) { return -s; };
    const Function line_slope = [](double) { return -1.0; };
    const Function dip = [](double s) { return -s + 1.5 * s * s * s + 0.05 * std::cos(40 * s); };
    const Function dip_slope = [](double s) { return -1 + 4.5 * s * s - 2 * std::sin(40 * s); };
    return {
        {"well", well, well_slope, {}, 0.010000000000000014, 2, 0.010000000000000002, 6},
        {"well", well, well_slope, 0.05, 0.0050500000000000015, 1, 0.0050500000000000015, 1},
        {"growth", growth, growth_slope, {}, 0.06561973970945054, 3, 0.0790027777078638, 5},
        {"rational", rational, rational_slope, 0.05, 1.01, 2, 0.404, 2},
        {"steep", steep, steep_slope, 0.05, 0.3047876106194517, 5, 0.1144070796460112, 8},
        {"far", far, far_slope, {}, 5.0, 2, 4.0, 3},
        {"far", far, far_slope, 0.05, 9.192683333324972, 7, 1.7237333333317655, 11},
        {"quartic", quartic, quartic_slope, {}, 1.59600000000001, 8, 1.59600000000067, 9},
        {"line", line, line_slope, {}, {}, 4, 1024.0, 11},
        {"line", line, line_slope, 0.05, {}, 6, 103.424, 11},
        {"dip", dip, dip_slope, {}, 0.39213965526056, 4, 0.4062999700474401, 5},
    };
}

void check(const Example& example, Search search, const std::optional<double>& step, int looks) {
    int looked = 0;
    LineSearch line;
    line.start = {example.value(0), example.slope(0)};
    if (example.previous_rise) line.previous_value = line.start.value + *example.previous_rise;
    line.at = [&](double s) -> LinePoint {
        ++looked;
        return {example.value(s), example.slope(s)};
    };
    const auto found = search(line);
    INFO(example.name << (example.previous_rise ? ", second step" : ", first step"));
    CHECK(looked == looks);
    REQUIRE(found.has_value() == step.has_value());
    if (!step) return;
    CHECK(found->step == Approx(*step).epsilon(1e-12));
    CHECK(found->value == example.value(found->step));
}

}  // namespace

TEST_CASE("the search of Moré and Thuente takes SciPy's steps") {
    for (const auto& example : examples())
        check(example, more_thuente_step, example.more_thuente, example.more_thuente_looks);
}

TEST_CASE("the search of Nocedal and Wright takes SciPy's steps") {
    for (const auto& example : examples())
        check(example, zoom_step, example.zoom, example.zoom_looks);
}

TEST_CASE("the second search is asked where the first finds nothing") {
    LineSearch falling;
    falling.start = {0, -1};
    falling.at = [](double s) -> LinePoint { return {-s, -1}; };
    REQUIRE(wolfe_step(falling));
    CHECK(wolfe_step(falling)->step == 1024);  // 1 doubled ten times
}

TEST_CASE("a function that rises has no step") {
    LineSearch rising;
    rising.start = {0, 1};
    rising.at = [](double s) -> LinePoint { return {s, 1}; };
    CHECK(!wolfe_step(rising));
}
