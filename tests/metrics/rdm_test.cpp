#include "metrics/rdm.hpp"

#include <catch2/catch.hpp>

#include "metrics/golden_similarity.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "stats/similarity/rdm.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using namespace ventral::metrics;

namespace {

constexpr double golden_tolerance = 1e-9;

std::vector<FoldResult> score(const stats::Problem& problem,
                              const std::vector<stats::FoldRows>& folds, std::size_t threads = 2) {
    core::Workers workers(threads);
    return score_rdm(problem, folds, {}, workers);
}

void check_golden(const test::SimilarityInputs& inputs, const std::string& file,
                  const std::vector<stats::FoldRows>& folds, double tolerance = golden_tolerance) {
    INFO(file);
    const auto expected = test::golden(file);
    if (expected) test::check_similarity(score(inputs.problem(), folds), *expected, tolerance);
}

}  // namespace

TEST_CASE("each fold is scored on its test rows alone") {
    // scipy.stats.spearmanr of the triangles of 1 - np.corrcoef of rows 1, 2, 4, 5, 7, 8 and 11;
    // row 0 of the features is constant.
    const test::GramProblem stored(test::formula_features(12, 5), test::formula_targets(12, 3));
    const std::vector<stats::FoldRows> folds = {{{0}, {1, 2, 4, 5, 7, 8, 11}},
                                                {{}, test::rows_from(0, 12)}};
    const auto found = score(stored.with_features(), folds);
    REQUIRE(found.size() == 2);
    CHECK(found[0].r.at(0) == Approx(0.5773180606614525).epsilon(1e-12));
    CHECK(found[0].route == "features");
    CHECK(std::isnan(found[1].r.at(0)));
    for (const std::size_t threads : {1U, 5U})
        CHECK(score(stored.with_features(), folds, threads)[0].r == found[0].r);
}

TEST_CASE("ties are those of the fold's rows by themselves") {
    // Two values: most dissimilarities are equal but for the order in which products are summed.
    const auto halves = [](const stats::Matrix& values) {
        return stats::Matrix((values.array() > 0).cast<double>());
    };
    const stats::Matrix x = halves(test::random_matrix(45, 7, 4));
    const stats::Matrix y = halves(test::random_matrix(45, 9, 5));
    const test::GramProblem stored(x, y);
    for (const std::vector<Eigen::Index>& part :
         {std::vector<Eigen::Index>{0, 2, 3, 5, 8, 9, 13, 20, 21, 22, 30, 31, 33, 40, 41, 44},
          std::vector<Eigen::Index>{1, 4, 6, 7, 10, 11, 12, 14, 15, 16, 17, 18, 19}}) {
        const test::GramProblem alone(stats::rows_of(x, part), stats::rows_of(y, part));
        const auto expected =
            score(alone.with_features(),
                  {{{}, test::rows_from(0, static_cast<Eigen::Index>(part.size()))}});
        CHECK(score(stored.with_features(), {{{}, part}})[0].r == expected[0].r);
    }
}

TEST_CASE("the margins tell the nearest ranks and what the Gram may have lost") {
    const test::GramProblem stored(test::random_matrix(20, 4200, 1), test::random_matrix(20, 9, 2));
    const auto found = score(stored.with_features(), {{{}, test::rows_from(0, 20)}});
    CHECK(found[0].route == "gram");
    CHECK(found[0].margins.guard > 0);
    CHECK(found[0].margins.guard < 1e-13);
    CHECK(found[0].margins.rank_gap > 0);
    CHECK(found[0].margins.rank_gap < 1.0 / 189);  // 190 distances have 189 gaps
    CHECK(std::abs(found[0].r[0]) < 0.5);
}

TEST_CASE("far offsets and other units of the features leave the score") {
    // Multiples of 2^-10, so that the offset features are exact.
    const stats::Matrix x = (test::random_matrix(30, 4200, 3).array() * 1024).round() / 1024;
    const stats::Matrix y = x.leftCols(1000) + test::random_matrix(30, 1000, 4);
    const std::vector<stats::FoldRows> all = {{{}, test::rows_from(0, 30)}};
    const double expected = score(test::GramProblem(x, y).with_features(), all)[0].r[0];
    CHECK(expected > 0.05);
    const stats::Matrix far = x.array() + 1e4;
    const test::GramProblem stored(far, y);
    CHECK(score(stored.with_features(), all)[0].route == "features");
    CHECK(score(stored.with_features(), all)[0].r[0] == Approx(expected).epsilon(1e-12));
    CHECK(score(stored.without_features(), all)[0].r[0] == Approx(expected).margin(1e-5));
    const test::GramProblem scaled(x * 64, y);
    CHECK(score(scaled.with_features(), all)[0].r[0] == expected);
}

TEST_CASE("too few rows have no score") {
    const test::GramProblem stored(test::random_matrix(8, 20, 5), test::random_matrix(8, 9, 6));
    for (const auto& found :
         score(stored.with_features(), {{{}, {}}, {{}, {1}}, {{}, {1, 2}}, {{0}, {5, 6}}}))
        CHECK(std::isnan(found.r.at(0)));
}

TEST_CASE("rdm scores equal the reference's") {
    for (const std::string folder :
         {"neural_small_f64", "neural_odd_f64", "neural_medium_f32", "neural_wide_f32"}) {
        const auto inputs = test::similarity_inputs(folder);
        if (!inputs) return;
        check_golden(*inputs, folder + "/expected.rdm.json", inputs->all_rows());
        check_golden(*inputs, folder + "/expected.rdm_cv.json", inputs->test_rows());
    }
}

TEST_CASE("tied and nearly tied dissimilarities are ranked as the reference does") {
    if (const auto inputs = test::similarity_inputs("rdm_parts"))
        check_golden(*inputs, "rdm_parts/expected.rdm.json", inputs->all_rows());
    if (const auto inputs = test::similarity_inputs("rdm_parts", "low"))
        check_golden(*inputs, "rdm_parts/expected.rdm-ties.json", inputs->all_rows());
    if (const auto inputs = test::similarity_inputs("neural_degenerate"))
        check_golden(*inputs, "neural_degenerate/expected.rdm.json", inputs->all_rows());
    if (const auto inputs = test::similarity_inputs("neural_degenerate", "source_zero_row"))
        check_golden(*inputs, "neural_degenerate/expected.rdm-zero-row.json", inputs->all_rows());
}

TEST_CASE("dissimilarities have the reference's very bits if the BLAS's kernels are the same") {
    // The goldens were made with these; others differ in the last bits.
    const double tolerance = stats::blas_core() == "SkylakeX" ? 0 : 1e-14;
    core::Workers workers(2);
    for (const std::string part : {"source", "target"}) {
        INFO(part);
        const auto path = test::golden_path("rdm_parts/" + part + ".nc");
        const auto expected = test::golden("rdm_parts/expected.rdm_matrix-" + part + ".json");
        if (!path || !expected) return;
        const auto table = presentation_by_neuroid(io::read_assembly(*path));
        const test::GramProblem stored(matrix_of(table), matrix_of(table));
        const auto of_features = stats::feature_distances(stored.with_features(), workers);
        const auto of_targets = stats::recording_distances(matrix_of(table), {}, workers);
        CHECK(of_features.form == stats::DistanceForm::rows);
        const auto& rows = expected->at("value");
        REQUIRE(rows.size() == table.dims[0].size);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < rows.size(); ++j) {
                if (i == j) continue;
                const auto a = static_cast<Eigen::Index>(i);
                const auto b = static_cast<Eigen::Index>(j);
                const auto expected_distance = rows[i][j].get<double>();
                CHECK(std::abs(of_features.distances(a, b) - expected_distance) <= tolerance);
                CHECK(std::abs(of_targets(a, b) - expected_distance) <= tolerance);
            }
    }
}
