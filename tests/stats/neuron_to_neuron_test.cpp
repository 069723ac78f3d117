#include "stats/regression/neuron_to_neuron.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"
#include "stats/stored_features.hpp"

using namespace ventral;
using namespace ventral::stats;
using Catch::Matchers::Contains;
using test::random_matrix;
using test::RowMajorMatrix;
using test::rows_from;
using Chosen = std::vector<std::size_t>;

namespace {

std::vector<NeuronToNeuronFold> fit(const RowMajorMatrix& x, const Matrix& y,
                                    const std::vector<FoldRows>& folds, std::size_t threads = 1) {
    core::Workers workers(threads);
    Problem problem{{}, y, static_cast<std::size_t>(x.cols())};
    problem.read = test::slabs_of(x);
    return neuron_to_neuron_predict(problem, folds, workers);
}

/// Straight from the definition; NaN for a constant feature.
double correlation(const Matrix& x, Eigen::Index feature, const Matrix& y, Eigen::Index target) {
    const auto centred = [](const Vector& v) -> Vector { return v.array() - v.mean(); };
    const Vector a = centred(x.col(feature));
    const Vector b = centred(y.col(target));
    const double lengths = a.norm() * b.norm();
    return lengths > 0 ? a.dot(b) / lengths : std::numeric_limits<double>::quiet_NaN();
}

/// The best feature of each target and the narrowest gap, by looking at all of them.
std::pair<Chosen, double> by_definition(const Matrix& x, const Matrix& y, const FoldRows& fold) {
    const Matrix train = rows_of(x, fold.train);
    const Matrix targets = rows_of(y, fold.train);
    Chosen chosen;
    double gap = std::numeric_limits<double>::infinity();
    for (Eigen::Index t = 0; t < y.cols(); ++t) {
        std::vector<std::pair<double, std::size_t>> all;
        for (Eigen::Index j = 0; j < x.cols(); ++j) {
            const double r = correlation(train, j, targets, t);
            if (!std::isnan(r)) all.emplace_back(-r, static_cast<std::size_t>(j));
        }
        std::sort(all.begin(), all.end());
        chosen.push_back(all[0].second);
        gap = std::min(gap, all[1].first - all[0].first);
    }
    return {chosen, gap};
}

/// Folds that leave out a tenth each, in turn.
std::vector<FoldRows> tenths(Eigen::Index rows, std::size_t count) {
    std::vector<FoldRows> folds(count);
    for (std::size_t f = 0; f < count; ++f)
        for (Eigen::Index i = 0; i < rows; ++i)
            (i % 10 == static_cast<Eigen::Index>(f) ? folds[f].test : folds[f].train).push_back(i);
    return folds;
}

void check_against_definition(const RowMajorMatrix& x, const Matrix& y,
                              const std::vector<FoldRows>& folds) {
    const auto found = fit(x, y, folds, 2);
    REQUIRE(found.size() == folds.size());
    for (std::size_t f = 0; f < folds.size(); ++f) {
        INFO("fold " << f);
        const auto [chosen, gap] = by_definition(x, y, folds[f]);
        CHECK(found[f].features == chosen);
        CHECK(found[f].argmax_gap == Approx(gap).margin(1e-9));
        for (Eigen::Index t = 0; t < y.cols(); ++t)
            for (std::size_t i = 0; i < folds[f].test.size(); ++i)
                CHECK(found[f].prediction(static_cast<Eigen::Index>(i), t) ==
                      x(folds[f].test[i],
                        static_cast<Eigen::Index>(chosen[static_cast<std::size_t>(t)])));
    }
}

}  // namespace

TEST_CASE("the best feature of each target is found by hand") {
    // Over rows 0 … 3 target 0 is feature 2, target 1 is minus feature 0 and so most like
    // feature 1.
    RowMajorMatrix x(5, 3);
    x << 1, 4, 1, 2, 3, 5, 3, 2, 2, 4, 2, 8, 9, 10, 11;
    Matrix y(5, 2);
    y << 1, -1, 5, -2, 2, -3, 8, -4, 0, 0;
    const auto found = fit(x, y, {{rows_from(0, 4), rows_from(4, 5)}});
    CHECK(found[0].features == Chosen{2, 1});
    CHECK(found[0].prediction(0, 0) == 11);
    CHECK(found[0].prediction(0, 1) == 10);
    // Target 0: r = 1, next is feature 0 with r = 9/√150 (deviations ±1.5, ±.5 and -3, 1, -2, 4).
    // Target 1: feature 1 has r = 3.5/√13.75, next is feature 2 with r = -9/√150.
    CHECK(found[0].argmax_gap == Approx(1 - 9 / std::sqrt(150)).epsilon(1e-12));
}

TEST_CASE("few folds and many give what all correlations one by one give") {
    const RowMajorMatrix x = random_matrix(60, 700, 1);
    const Matrix y = random_matrix(60, 9, 2);
    check_against_definition(x, y, tenths(60, 1));
    check_against_definition(x, y, tenths(60, 10));
}

TEST_CASE("features come in several slabs and targets in several blocks") {
    const RowMajorMatrix x = random_matrix(20, slab_features + 300, 3);
    check_against_definition(x, random_matrix(20, 600, 4), tenths(20, 4));
}

TEST_CASE("train rows may be few, or on both sides") {
    const RowMajorMatrix x = random_matrix(50, 40, 5);
    const Matrix y = random_matrix(50, 6, 6);
    check_against_definition(x, y,
                             {{rows_from(0, 12), rows_from(30, 50)},
                              {rows_from(5, 48), rows_from(40, 50)},
                              {rows_from(0, 49), rows_from(48, 50)},
                              {rows_from(1, 50), rows_from(0, 3)},
                              {rows_from(0, 50), rows_from(0, 50)}});
}

TEST_CASE("features that the train rows hardly see are correlated as well as others") {
    // Of each of the features 0 … 9 nearly everything lies in one fold's test rows; what is left in
    // the train rows is the first target.
    const auto folds = tenths(60, 10);
    const Matrix y = random_matrix(60, 4, 8);
    RowMajorMatrix x = random_matrix(60, 30, 7);
    for (Eigen::Index j = 0; j < 10; ++j) {
        x.col(j) = 1e-7 * y.col(0);
        for (const auto row : folds[static_cast<std::size_t>(j)].test) x(row, j) += 1e5;
    }
    const auto found = fit(x, y, folds);
    for (std::size_t f = 0; f < 10; ++f) CHECK(found[f].features[0] == f);
    check_against_definition(x, y, folds);
}

TEST_CASE("targets with all their variance in one fold are correlated as well as others") {
    const auto folds = tenths(60, 10);
    Matrix y = random_matrix(60, 3, 9);
    for (const auto row : folds[2].test) y(row, 1) += 1e9;
    check_against_definition(random_matrix(60, 200, 10), y, folds);
}

TEST_CASE("features far from zero lose no more digits than their own rounding") {
    RowMajorMatrix x = random_matrix(40, 50, 11);
    x.array() += 1e4;
    check_against_definition(x, random_matrix(40, 5, 12), tenths(40, 10));
}

TEST_CASE("of equal features the first is taken, whatever slab they are in") {
    RowMajorMatrix x = random_matrix(30, slab_features + 20, 13);
    const Matrix y = random_matrix(30, 2, 14);
    const auto folds = tenths(30, 10);
    x.col(17) = y.col(0);
    x.col(900) = y.col(0);
    x.col(slab_features + 5) = y.col(0);
    x.col(901) = y.col(1);
    for (const auto& fold : fit(x, y, folds)) {
        CHECK(fold.features == Chosen{17, 901});
        CHECK(fold.argmax_gap == 0);
    }
}

TEST_CASE("features within rounding of the best are compared by the reference's formula") {
    // Feature 1 is the target with one entry moved by 1e-7, which costs r some 1e-14.
    Matrix y = random_matrix(30, 1, 15);
    RowMajorMatrix x = random_matrix(30, 3, 16);
    x.col(1) = y.col(0);
    x(3, 1) += 1e-7;
    x.col(2) = y.col(0);
    const auto found = fit(x, y, {{rows_from(0, 27), rows_from(27, 30)}});
    CHECK(found[0].features == Chosen{2});
    CHECK(found[0].argmax_gap > 0);
    CHECK(found[0].argmax_gap < 1e-12);
}

TEST_CASE("features without a correlation are left out") {
    const auto folds = tenths(30, 10);
    const Matrix y = random_matrix(30, 3, 18);
    RowMajorMatrix x = random_matrix(30, 6, 17);
    x.col(0).setConstant(0.5);
    x.col(1).setZero();
    for (const auto row : folds[4].test) x(row, 1) = 1;  // constant in fold 4 alone
    x(0, 2) = std::numeric_limits<double>::quiet_NaN();  // a train row of all folds but the first
    const auto fits = fit(x, y, folds);
    for (std::size_t f = 0; f < 10; ++f)
        for (const auto feature : fits[f].features) {
            CHECK(feature != 0);
            CHECK((feature != 1 || f != 4));
            CHECK((feature != 2 || f == 0));
        }
    // An entry that no fold trains on, or that only some do, costs its feature nothing elsewhere.
    RowMajorMatrix odd = x;
    odd.col(2) = y.col(1);
    const double value =
        GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
    for (const auto row : folds[7].test) odd(row, 2) = value;
    const auto chosen = fit(odd, y, folds);
    for (std::size_t f = 0; f < 10; ++f) CHECK((chosen[f].features[1] == 2) == (f == 7));
    CHECK_FALSE(chosen[3].prediction.col(1).array().isNaN().any());
    for (const auto& fold : chosen) CHECK(fold.argmax_gap > 0);
    // Worse than no correlation is still better than none.
    const RowMajorMatrix opposite = -y.leftCols(1);
    CHECK(fit(opposite, y.leftCols(1), folds)[0].features == Chosen{0});
    CHECK(std::isinf(fit(opposite, y.leftCols(1), folds)[0].argmax_gap));
}

TEST_CASE("features of single precision are taken as their values in double") {
    const auto folds = tenths(40, 10);
    const Matrix y = random_matrix(40, 5, 20);
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> single =
        random_matrix(40, 300, 19).cast<float>();
    const RowMajorMatrix same = single.cast<double>();
    Problem problem{{}, y, 300};
    problem.read = [&](std::size_t first, std::size_t count) {
        return columns_of({std::span<const float>(single.data(), 40 * 300), 40, 300, 300}, first,
                          count);
    };
    core::Workers workers(1);
    const auto found = neuron_to_neuron_predict(problem, folds, workers);
    const auto expected = fit(same, y, folds);
    for (std::size_t f = 0; f < 10; ++f) {
        CHECK(found[f].features == expected[f].features);
        CHECK(test::same_bits(found[f].prediction, expected[f].prediction));
        CHECK(found[f].argmax_gap == expected[f].argmax_gap);
    }
}

TEST_CASE("the number of workers changes no bit") {
    const RowMajorMatrix x = random_matrix(40, slab_features + 700, 21);
    const Matrix y = random_matrix(40, 530, 22);
    const auto folds = tenths(40, 5);
    const auto expected = fit(x, y, folds);
    for (const std::size_t threads : {2U, 5U}) {
        const auto found = fit(x, y, folds, threads);
        for (std::size_t f = 0; f < folds.size(); ++f) {
            CHECK(found[f].features == expected[f].features);
            CHECK(test::same_bits(found[f].prediction, expected[f].prediction));
            CHECK(found[f].argmax_gap == expected[f].argmax_gap);
        }
    }
}

TEST_CASE("the folds beside a fold change no bit of it, nor of its margin") {
    const RowMajorMatrix x = random_matrix(40, slab_features + 300, 25);
    const Matrix y = random_matrix(40, 7, 26);
    const auto folds = tenths(40, 10);
    const auto together = fit(x, y, folds);
    for (std::size_t f = 0; f < folds.size(); ++f) {
        const auto alone = fit(x, y, {folds[f]});
        CHECK(alone[0].features == together[f].features);
        CHECK(test::same_bits(alone[0].prediction, together[f].prediction));
        CHECK(alone[0].argmax_gap == together[f].argmax_gap);
        CHECK(alone[0].argmax_gap == Approx(by_definition(x, y, folds[f]).second).epsilon(1e-9));
    }
}

TEST_CASE("with a constant target whose mean is not exact rounding chooses, as in NumPy") {
    // np.nanargmax of the reference's pearsonr(X[:n], Y[:n, 1:2]), all of whose entries are below
    // 2e-16, of the 12 × 5 formula features; of 9 responses of 0.3 the mean is exact.
    const RowMajorMatrix x = test::formula_features(12, 5);
    Matrix y(12, 2);
    y.col(0) = test::formula_targets(12, 2).col(0);
    const auto chosen = [&](double constant, Eigen::Index n) {
        y.col(1).setConstant(constant);
        return fit(x, y, {{rows_from(0, n), rows_from(n, 12)}})[0];
    };
    CHECK(chosen(0.3, 10).features[1] == 2);
    CHECK(chosen(0.3, 11).features[1] == 0);
    CHECK(chosen(0.7, 7).features[1] == 1);
    CHECK(chosen(0.7, 11).features[1] == 2);
    CHECK(chosen(0.7, 11).argmax_gap < 1e-15);
    CHECK(chosen(0.7, 11).prediction(0, 1) == x(11, 2));
    CHECK_THROWS_WITH(chosen(0.3, 9), Contains("All-NaN slice") && Contains("neuroid 1"));
}

TEST_CASE(
    "a constant feature has no correlation, or where its mean is not exact none to speak of") {
    // Of 12 entries of 0.1 NumPy's mean is another number, of 13 and 14 it is 0.1.
    const Matrix y = random_matrix(16, 1, 24);
    RowMajorMatrix x(16, 2);
    x << -y, Vector::Constant(16, 0.1);
    const auto chosen = [&](Eigen::Index n) {
        return fit(x, y, {{rows_from(0, n), rows_from(n, 16)}})[0].features;
    };
    CHECK(chosen(12) == Chosen{1});
    CHECK(chosen(13) == Chosen{0});
    CHECK(chosen(14) == Chosen{0});
    x.col(0) = y;
    CHECK(chosen(12) == Chosen{0});
}

TEST_CASE("where the reference raises it is refused") {
    const auto folds = tenths(30, 10);
    const RowMajorMatrix x = random_matrix(30, 4, 23);
    Matrix y = random_matrix(30, 3, 24);
    CHECK_THROWS_WITH(fit(RowMajorMatrix::Constant(30, 4, 2), y, folds),
                      Contains("All-NaN slice") && Contains("all features"));
    y.col(1).setConstant(0.5);
    y(4, 1) = 1;  // constant over the train rows of fold 4
    CHECK_THROWS_AS(fit(x, y, folds), core::InputError);
    CHECK_THROWS_WITH(fit(x, y, folds), Contains("All-NaN slice") && Contains("neuroid 1"));

    core::Workers workers(1);
    CHECK_THROWS_WITH(neuron_to_neuron_predict({{}, y, 4}, folds, workers),
                      Contains("no longer at hand"));
}
