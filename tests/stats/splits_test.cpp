#include "stats/folds/splits.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/golden.hpp"

using namespace ventral::stats;
using Catch::Matchers::Contains;
using Json = nlohmann::json;
using Numbers = std::vector<std::size_t>;
using ventral::core::InputError;

namespace ventral::stats {

bool operator==(const Split& a, const Split& b) { return a.train == b.train && a.test == b.test; }

}  // namespace ventral::stats

namespace {

constexpr std::optional<double> none;

/// Class numbers in sorted order of the labels, or by first appearance.
Numbers strata_of(const std::vector<std::string>& labels, bool sorted) {
    std::map<std::string, std::size_t> number;
    for (const auto& label : labels) number.emplace(label, number.size());
    if (sorted) {
        std::size_t next = 0;
        for (auto& [label, value] : number) value = next++;
    }
    Numbers strata;
    for (const auto& label : labels) strata.push_back(number.at(label));
    return strata;
}

std::optional<double> size_of(const Json& golden, const char* name) {
    return golden.contains(name) ? std::optional(golden.at(name).get<double>()) : none;
}

std::vector<Split> splits_as(const Json& golden) {
    const auto splitter = golden.at("splitter").get<std::string>();
    const auto n = golden.at("n").get<std::size_t>();
    const auto count = golden.at("n_splits").get<std::size_t>();
    const auto seed = golden.at("random_state").get<std::uint32_t>();
    const SplitSizes sizes{size_of(golden, "train_size"), size_of(golden, "test_size")};
    if (splitter == "ShuffleSplit") return shuffle_split(n, count, sizes, seed);
    if (splitter == "KFold") return k_fold(n, count, seed);
    const auto labels = golden.at("labels").get<std::vector<std::string>>();
    if (splitter == "StratifiedKFold")
        return stratified_k_fold(strata_of(labels, false), count, seed);
    REQUIRE(splitter == "StratifiedShuffleSplit");
    return stratified_shuffle_split(strata_of(labels, true), count, sizes, seed);
}

std::vector<Split> expected_splits(const Json& golden) {
    std::vector<Split> splits;
    for (const auto& split : golden.at("splits"))
        splits.push_back({split.at("train").get<Numbers>(), split.at("test").get<Numbers>()});
    return splits;
}

Numbers together(const Split& split) {
    Numbers all = split.train;
    all.insert(all.end(), split.test.begin(), split.test.end());
    std::sort(all.begin(), all.end());
    return all;
}

const Numbers three_classes = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 1};

}  // namespace

// The literal splits below are what scikit-learn 1.2.1 gives for the call in the comment.

TEST_CASE("shuffled splits are scikit-learn's") {
    // ShuffleSplit(3, train_size=.7, random_state=1) of 10
    CHECK(shuffle_split(10, 3, {0.7, none}, 1) ==
          std::vector<Split>{{{4, 0, 3, 1, 7, 8, 5}, {2, 9, 6}},
                             {{0, 8, 4, 2, 1, 6, 7}, {9, 5, 3}},
                             {{9, 0, 6, 1, 7, 4, 2}, {8, 3, 5}}});
    // ShuffleSplit(2, test_size=.25, random_state=0) of 7
    CHECK(shuffle_split(7, 2, {none, 0.25}, 0) ==
          std::vector<Split>{{{1, 3, 0, 5, 4}, {6, 2}}, {{6, 3, 4, 2, 5}, {1, 0}}});
}

TEST_CASE("train and test sizes that leave something over leave it out") {
    // ShuffleSplit(2, train_size=.5, test_size=.25, random_state=1) of 9
    CHECK(shuffle_split(9, 2, {0.5, 0.25}, 1) ==
          std::vector<Split>{{{7, 1, 0, 4}, {8, 2, 6}}, {{2, 5, 4, 1}, {3, 7, 6}}});
}

TEST_CASE("sizes may be numbers of values") {
    // ShuffleSplit(1, train_size=4, test_size=3, random_state=1) of 9, and so on
    CHECK(shuffle_split(9, 1, {4, 3}, 1) == std::vector<Split>{{{7, 1, 0, 4}, {8, 2, 6}}});
    CHECK(shuffle_split(9, 1, {none, 3}, 1) == std::vector<Split>{{{7, 1, 0, 4, 3, 5}, {8, 2, 6}}});
    CHECK(shuffle_split(9, 1, {0.5, 2}, 1) == std::vector<Split>{{{6, 7, 1, 0}, {8, 2}}});
    // StratifiedShuffleSplit(1, train_size=5, test_size=3, random_state=1)
    CHECK(stratified_shuffle_split({0, 0, 0, 0, 1, 1, 1, 1, 1}, 1, {5, 3}, 1) ==
          std::vector<Split>{{{4, 6, 2, 8, 1}, {7, 0, 3}}});
}

TEST_CASE("stratified splits are scikit-learn's") {
    // StratifiedShuffleSplit(3, train_size=.6, random_state=1)
    CHECK(stratified_shuffle_split(three_classes, 3, {0.6, none}, 1) ==
          std::vector<Split>{{{1, 6, 8, 10, 5, 7, 3}, {4, 0, 9, 11, 2}},
                             {{11, 7, 5, 0, 3, 2, 6}, {4, 9, 8, 1, 10}},
                             {{7, 2, 11, 8, 9, 6, 0}, {4, 1, 10, 5, 3}}});
}

TEST_CASE("shuffled folds are scikit-learn's") {
    // KFold(3, shuffle=True, random_state=1) of 10
    CHECK(k_fold(10, 3, 1) == std::vector<Split>{{{0, 1, 3, 5, 7, 8}, {2, 4, 6, 9}},
                                                 {{2, 4, 5, 6, 7, 8, 9}, {0, 1, 3}},
                                                 {{0, 1, 2, 3, 4, 6, 9}, {5, 7, 8}}});
}

TEST_CASE("stratified folds are scikit-learn's") {
    // StratifiedKFold(3, shuffle=True, random_state=1)
    CHECK(stratified_k_fold(three_classes, 3, 1) ==
          std::vector<Split>{{{0, 2, 4, 5, 6, 7, 10, 11}, {1, 3, 8, 9}},
                             {{1, 3, 4, 5, 6, 7, 8, 9}, {0, 2, 10, 11}},
                             {{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7}}});
    // The same of the labels [2, 2, 0, 0, 1, 1, 1, 2, 2, 0, 0], numbered by first appearance.
    CHECK(stratified_k_fold({0, 0, 1, 1, 2, 2, 2, 0, 0, 1, 1}, 3, 1) ==
          std::vector<Split>{{{0, 1, 3, 5, 6, 9, 10}, {2, 4, 7, 8}},
                             {{0, 2, 4, 5, 7, 8, 10}, {1, 3, 6, 9}},
                             {{1, 2, 3, 4, 6, 7, 8, 9}, {0, 5, 10}}});
}

TEST_CASE("every value is on one side of a fold, and tested in one") {
    std::set<std::size_t> tested;
    Numbers everything(23);
    std::generate(everything.begin(), everything.end(),
                  [i = std::size_t{0}]() mutable { return i++; });
    for (const auto& split : k_fold(23, 4, 5)) {
        CHECK(together(split) == everything);
        tested.insert(split.test.begin(), split.test.end());
    }
    CHECK(tested.size() == 23);
}

TEST_CASE("strata keep their proportions") {
    Numbers strata(40, 0);
    for (std::size_t i = 0; i < 10; ++i) strata[4 * i] = 1;  // a quarter
    for (const auto& split : stratified_shuffle_split(strata, 5, {0.8, none}, 3)) {
        const auto of_one = [&](const Numbers& part) {
            return std::count_if(part.begin(), part.end(), [&](auto i) { return strata[i] == 1; });
        };
        CHECK(of_one(split.train) == 8);
        CHECK(of_one(split.test) == 2);
    }
}

TEST_CASE("sizes that no split can have are refused") {
    CHECK_THROWS_AS(shuffle_split(1, 1, {0.9, none}, 1), InputError);
    CHECK_THROWS_WITH(shuffle_split(1, 1, {0.9, none}, 1), Contains("train part is empty"));
    CHECK_THROWS_AS(shuffle_split(10, 1, {0.9, 0.2}, 1), InputError);
    CHECK_THROWS_AS(shuffle_split(10, 1, {1.5, none}, 1), InputError);
    CHECK_THROWS_WITH(shuffle_split(10, 1, {10, none}, 1), Contains("not less than the 10 values"));
    CHECK_THROWS_WITH(shuffle_split(10, 1, {8, 3}, 1), Contains("take 8 and 3 of 10 values"));
    CHECK_THROWS_AS(shuffle_split(10, 1, {none, 0.0}, 1), InputError);
    CHECK_THROWS_AS(shuffle_split(10, 1, {none, none}, 1), InputError);
    // ceil(.5 · 5) + floor(.5 · 5) = 5 fits, ceil(.15 · 10) + floor(.85 · 10) = 10 fits.
    CHECK(shuffle_split(5, 1, {0.5, 0.5}, 1).front().test.size() == 3);
    CHECK(shuffle_split(10, 1, {0.85, 0.15}, 1).front().train.size() == 8);
}

TEST_CASE("strata that cannot be split are refused with the cure") {
    CHECK_THROWS_WITH(stratified_shuffle_split({0, 0, 0, 1}, 1, {0.5, none}, 1),
                      Contains("single member") && Contains("\"none\""));
    CHECK_THROWS_WITH(stratified_shuffle_split({0, 0, 1, 1, 2, 2}, 1, {0.9, none}, 1),
                      Contains("3 strata"));
    CHECK_THROWS_WITH(stratified_k_fold({0, 0, 1, 1}, 3, 1), Contains("fewer than 3"));
}

TEST_CASE("numbers of folds that cannot be are refused") {
    CHECK_THROWS_AS(k_fold(10, 1, 1), InputError);
    CHECK_THROWS_AS(k_fold(3, 4, 1), InputError);
    CHECK_THROWS_AS(stratified_k_fold({0, 0}, 3, 1), InputError);
}

TEST_CASE("splits equal the reference's, and raise where it does") {
    const auto expected = ventral::test::golden("splits/expected.splits.json");
    if (!expected) return;
    for (const auto& golden : *expected) {
        auto name = golden;
        name.erase("labels");
        name.erase("splits");
        INFO(name.dump());
        if (golden.contains("raises"))
            CHECK_THROWS_AS(splits_as(golden), InputError);
        else
            CHECK(splits_as(golden) == expected_splits(golden));
    }
}
