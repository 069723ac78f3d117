#include "stats/logistic/logistic_regression.hpp"

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;

namespace {

const std::vector<std::size_t> three_classes = {0, 1, 2, 0, 1, 2, 0, 1};

RowTable<double> features() { return ventral::test::formula_features(8, 4); }

LogisticFit<double> fit_with(double c, std::size_t most_iterations = 100) {
    return fit_logistic_regression(features(), three_classes, 3, {c, 1e-4, most_iterations});
}

void check_row(const LogisticFit<double>& fit, Eigen::Index row,
               const std::vector<double>& expected, double tolerance = 1e-9) {
    REQUIRE(fit.coefficients.cols() == static_cast<Eigen::Index>(expected.size()));
    for (std::size_t j = 0; j < expected.size(); ++j)
        CHECK(fit.coefficients(row, static_cast<Eigen::Index>(j)) ==
              Approx(expected[j]).epsilon(tolerance));
}

/// Where the penalty is weak, rounding grows from step to step: scikit-learn's own results differ
/// by 3e-8 from one BLAS to another with C = 100, and by 1e-6 with C = 1e6.
constexpr double of_weak_penalty = 1e-6;
constexpr double of_hardly_any_penalty = 1e-5;

}  // namespace

// Expected values: LogisticRegression(multi_class="multinomial", solver="newton-cg", C=c,
// max_iter=…).fit(X, y) of scikit-learn 1.2.1, coef_ and intercept_.

TEST_CASE("a strong penalty stops where scikit-learn does") {
    const auto fit = fit_with(1e-3);
    CHECK(fit.iterations == 7);
    CHECK(fit.end == LogisticEnd::converged);
    check_row(fit, 0,
              {0.0008111850264673439, -3.094123623901286e-05, -0.00018687591600225997,
               -3.527445487403062e-08, 0.13442944755853073});
    check_row(fit, 2,
              {-0.001371721863342842, 0.0005621040586338722, 0.001122301107811918,
               0.000998555937887949, -0.27187593920069253});
}

TEST_CASE("a weak penalty takes scikit-learn's steps") {
    const auto fit = fit_with(100);
    CHECK(fit.iterations == 11);
    check_row(fit, 1,
              {-1.272824019277289, -7.264436653217008, -3.0104570203110677, -5.855180750056328,
               21.57242580400704},
              of_weak_penalty);
    CHECK(fit_with(1e6).iterations == 15);
    check_row(fit_with(1e6), 0,
              {21.13460124937996, 15.914737664963589, 18.392711420411935, -17.608980976591692,
               -42.167557765954996},
              of_hardly_any_penalty);
}

TEST_CASE("the number of iterations can be limited") {
    const auto fit = fit_with(100, 3);
    CHECK(fit.iterations == 3);
    CHECK(fit.end == LogisticEnd::out_of_iterations);
    check_row(fit, 0,
              {1.140037268519745, 0.19452149957524578, 0.8931469559499792, -1.160804639153408,
               -1.1416277480564432});
}

TEST_CASE("of two classes there is one row, that of the second") {
    const auto fit =
        fit_logistic_regression(features(), {0, 1, 1, 0, 1, 0, 0, 1}, 2, {1, 1e-4, 100});
    CHECK(fit.coefficients.rows() == 1);
    CHECK(fit.iterations == 5);
    check_row(fit, 0,
              {-0.17073676577201785, -0.6371902460404153, -0.1222753065398959, -0.16952251615066122,
               1.2676875000183612});
    const auto probabilities = predict_probabilities(fit, features());
    CHECK(probabilities(0, 0) == Approx(0.5020055342607156).epsilon(1e-9));
    CHECK(probabilities(1, 1) == Approx(0.6358093067950169).epsilon(1e-9));
}

TEST_CASE("probabilities are scikit-learn's and add up to 1") {
    const auto probabilities = predict_probabilities(fit_with(100), features());
    CHECK(probabilities(0, 0) == Approx(0.6923424423864729).epsilon(of_weak_penalty));
    CHECK(probabilities(1, 2) == Approx(3.077155317215696e-07).epsilon(of_weak_penalty));
    CHECK((probabilities.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-15);
}

TEST_CASE("float32 comes as near as its line search lets it") {
    // With some BLAS kernels rounding ends it one iteration early, 3e-4 away, as in scikit-learn.
    const RowTable<float> narrow = features().cast<float>();
    const auto fit = fit_logistic_regression(narrow, three_classes, 3, {});
    const auto wide = fit_with(1e-3);
    CHECK((fit.coefficients.cast<double>() - wide.coefficients).cwiseAbs().maxCoeff() < 1e-3);
}
