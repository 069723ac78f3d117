
#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/pls/pls.hpp"
#include "stats/pls_fit.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"
#include "stats/textbook_pls.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::centred_gram;
using ventral::test::fit;
using ventral::test::formula_features;
using ventral::test::formula_targets;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::six_and_two;
using ventral::test::view;

TEST_CASE("a constant added to targets is added to the predictions") {
    const Matrix kernel = centred_gram(formula_features(40, 7));
    const Matrix y = formula_targets(40, 6);
    const Matrix moved = y.array() + 16.0;
    const FoldRows fold = {rows_from(5, 40), rows_from(0, 5)};
    CHECK(largest_difference(fit(kernel, moved, fold, 4).prediction.array() - 16.0,
                             fit(kernel, y, fold, 4).prediction) < 1e-12);
}

TEST_CASE("a constant target is predicted by its value and disturbs no other") {
    const Matrix kernel = centred_gram(formula_features(40, 7));
    const Matrix y = formula_targets(40, 6);
    Matrix more(40, 7);
    more << y.leftCols(3), Vector::Constant(40, 0.1), y.rightCols(3);
    const FoldRows fold = {rows_from(5, 40), rows_from(0, 5)};
    const auto found = fit(kernel, more, fold, 4);
    CHECK(largest_difference(found.prediction.col(3), Vector::Constant(5, 0.1)) < 1e-15);
    const auto expected = fit(kernel, y, fold, 4);
    CHECK(found.passes == expected.passes);
    CHECK(largest_difference(found.prediction.rightCols(3), expected.prediction.rightCols(3)) <
          1e-12);
}

TEST_CASE("all targets constant over the train rows are predicted by their means") {
    Matrix y = formula_targets(8, 2);
    y.topRows(6).setConstant(0.3);
    const auto found = fit(centred_gram(formula_features(8, 4)), y, six_and_two, 2);
    CHECK(largest_difference(found.prediction, Matrix::Constant(2, 2, 0.3)) < 1e-15);
    CHECK(found.passes.empty());
}

TEST_CASE("targets that vary only in rows that a fold leaves out are predicted by their means") {
    const Matrix kernel = centred_gram(random_matrix(20, 7, 5));
    Matrix y = Matrix::Constant(20, 2, 0.1);
    y.row(19) << 5, 1e9;
    Workers workers(1);
    const std::vector<FoldRows> folds = {{rows_from(0, 18), rows_from(18, 20)},
                                         {rows_from(2, 20), rows_from(0, 2)}};
    for (const auto form : {PlsTargetForm::columns, PlsTargetForm::rows})
        for (const std::size_t count : {1, 2}) {
            const std::span<const FoldRows> some(folds.data(), count);
            const Problem problem{view(kernel), y, 7, {}, {}, {}, {}, folds};
            const auto found = pls_predict_as(form, problem, some, 3, workers).front().prediction;
            REQUIRE(found.rows() == 2);
            CHECK(largest_difference(found, Matrix::Constant(2, 2, 0.1)) < 1e-15);
        }
}

TEST_CASE("targets that a fold leaves out cost it no digits but those of their own size") {
    const Matrix kernel = centred_gram(random_matrix(40, 9, 3));
    const Matrix y = random_matrix(40, 4, 4);
    Matrix scaled = y;
    scaled.bottomRows(5) *= 5;
    Matrix dwarfing = y;
    dwarfing.row(37) *= 1e7;
    Workers workers(1);
    const FoldRows fold = {rows_from(0, 35), rows_from(35, 40)};
    const std::vector<FoldRows> folds = {fold, {rows_from(5, 40), rows_from(0, 5)}};
    for (const auto form : {PlsTargetForm::columns, PlsTargetForm::rows}) {
        const auto predicted = [&](const Matrix& targets, std::span<const FoldRows> of) {
            return pls_predict_as(form, {view(kernel), targets, 9}, of, 6, workers).front();
        };
        // No other fold trains on them.
        CHECK(same_bits(predicted(scaled, {&fold, 1}).prediction,
                        predicted(y, {&fold, 1}).prediction));
        // Another one does.
        const auto found = predicted(scaled, folds);
        const auto expected = predicted(y, folds);
        CHECK(found.passes == expected.passes);
        CHECK(largest_difference(found.prediction, expected.prediction) < 1e-11);
        // So much larger than what it trains on that it is fitted alone.
        CHECK(
            same_bits(predicted(dwarfing, folds).prediction, predicted(y, {&fold, 1}).prediction));
    }
}

TEST_CASE("the form of the targets follows from train rows and targets") {
    CHECK(pls_target_form(900, 900) == PlsTargetForm::columns);
    CHECK(pls_target_form(900, 901) == PlsTargetForm::rows);
    const std::vector<FoldRows> folds = {{rows_from(0, 900), {}}, {rows_from(0, 1000), {}}};
    CHECK(pls_prefers_features(folds, 449, 901));
    CHECK_FALSE(pls_prefers_features(folds, 450, 901));
    CHECK(pls_prefers_features(folds, 99, 200));
    CHECK_FALSE(pls_prefers_features(folds, 100, 200));
}

TEST_CASE("more targets than rows are fitted as a textbook does, in either form") {
    const Matrix x = random_matrix(50, 35, 7);
    Matrix y = random_matrix(50, 70, 8);
    y.leftCols(10) += x.leftCols(10);
    const Matrix kernel = centred_gram(x);
    const Problem problem{view(kernel), y, 35};
    const std::vector<FoldRows> folds = {{rows_from(0, 42), rows_from(42, 50)},
                                         {rows_from(5, 50), rows_from(0, 8)}};
    Workers workers(2);
    const auto columns = pls_predict_as(PlsTargetForm::columns, problem, folds, 10, workers);
    const auto rows = pls_predict_as(PlsTargetForm::rows, problem, folds, 10, workers);
    const auto chosen = pls_predict(problem, folds, 10, workers);
    for (std::size_t f = 0; f < 2; ++f) {
        const auto expected = ventral::test::textbook(x, y, folds[f], 10);
        CHECK(columns[f].passes == expected.passes);
        CHECK(rows[f].passes == expected.passes);
        CHECK(largest_difference(columns[f].prediction, expected.prediction) < 1e-10);
        CHECK(largest_difference(rows[f].prediction, expected.prediction) < 1e-10);
        CHECK(largest_difference(rows[f].prediction, columns[f].prediction) < 1e-10);
        CHECK(ventral::test::same_bits(chosen[f].prediction, rows[f].prediction));
    }
}

TEST_CASE("fewer targets than rows may be fitted in the form of rows too") {
    const Matrix x = random_matrix(40, 30, 9);
    const Matrix y = random_matrix(40, 6, 10);
    const Matrix kernel = centred_gram(x);
    const FoldRows fold = {rows_from(0, 34), rows_from(34, 40)};
    Workers workers(1);
    const auto rows =
        pls_predict_as(PlsTargetForm::rows, {view(kernel), y, 30}, {&fold, 1}, 5, workers).front();
    const auto expected = fit(kernel, y, fold, 5);
    CHECK(rows.passes == expected.passes);
    CHECK(largest_difference(rows.prediction, expected.prediction) < 1e-10);
}

TEST_CASE("of many targets those that are constant are predicted by their values") {
    const Matrix kernel = centred_gram(random_matrix(30, 20, 11));
    Matrix y = random_matrix(30, 60, 12);
    y.leftCols(3).setConstant(0.1);
    y.block(0, 20, 25, 1).setConstant(-7.3);  // over the train rows only
    const FoldRows fold = {rows_from(0, 25), rows_from(25, 30)};
    const auto found = fit(kernel, y, fold, 4);
    CHECK(largest_difference(found.prediction.leftCols(3), Matrix::Constant(5, 3, 0.1)) < 1e-15);
    CHECK(found.prediction.col(20) == Vector::Constant(5, found.prediction(0, 20)));
    CHECK(found.prediction(0, 20) == Approx(-7.3).epsilon(1e-14));
    CHECK((found.prediction.col(4).array() != found.prediction(0, 4)).any());

    y.topRows(25).setConstant(2.5);
    const auto constant = fit(kernel, y, fold, 4);
    CHECK(constant.passes.empty());
    CHECK(constant.prediction == Matrix::Constant(5, 60, 2.5));
}

TEST_CASE("many targets have the same bits with any number of workers, wherever they lie") {
    const Matrix kernel = centred_gram(random_matrix(150, 40, 13));
    const Matrix y = random_matrix(150, 1300, 14);
    const std::vector<FoldRows> folds = {{rows_from(0, 130), rows_from(130, 150)},
                                         {rows_from(20, 150), rows_from(0, 20)}};
    Workers alone(1);
    const auto expected = pls_predict({view(kernel), y, 40}, folds, 4, alone);
    for (const std::size_t threads : {2U, 5U}) {
        Workers workers(threads);
        const auto found = pls_predict({view(kernel), y, 40}, folds, 4, workers);
        for (std::size_t f = 0; f < 2; ++f)
            CHECK(ventral::test::same_bits(found[f].prediction, expected[f].prediction));
    }
    std::vector<double> shifted(static_cast<std::size_t>(kernel.size()) + 1);
    std::copy_n(kernel.data(), kernel.size(), shifted.begin() + 1);
    const MatrixView moved(shifted.data() + 1, kernel.rows(), kernel.cols());
    const auto found = pls_predict({moved, y, 40}, folds, 4, alone);
    for (std::size_t f = 0; f < 2; ++f)
        CHECK(ventral::test::same_bits(found[f].prediction, expected[f].prediction));
}

TEST_CASE("few targets have the same bits wherever the kernel lies") {
    const Matrix kernel = centred_gram(random_matrix(150, 40, 15));
    const Matrix y = random_matrix(150, 9, 16);
    const FoldRows fold = {rows_from(0, 130), rows_from(130, 150)};
    const auto expected = fit(kernel, y, fold, 4);
    std::vector<double> shifted(static_cast<std::size_t>(kernel.size()) + 1);
    std::copy_n(kernel.data(), kernel.size(), shifted.begin() + 1);
    Workers workers(1);
    const MatrixView moved(shifted.data() + 1, kernel.rows(), kernel.cols());
    const auto found = pls_predict({moved, y, 7}, {&fold, 1}, 4, workers).front();
    CHECK(ventral::test::same_bits(found.prediction, expected.prediction));
}
