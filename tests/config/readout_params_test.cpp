#include "config/readout_params.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using Catch::Matchers::Contains;
using ventral::config::readout_params;
using ventral::models::Similarity;
using ventral::models::Triplet;

TEST_CASE("without parameters a readout has the reference's defaults") {
    for (const std::string text : {"", "{}"}) {
        CHECK(readout_params("label", text).choice_labels.empty());
        CHECK(readout_params("probabilities", text).logistic.c == 1e-3);
        CHECK(readout_params("probabilities", text).logistic.tolerance == 1e-4);
        CHECK(readout_params("probabilities", text).logistic.most_iterations == 100);
        CHECK(readout_params("odd_one_out", text).similarity == Similarity::dot);
    }
}

TEST_CASE("every parameter of a readout can be given") {
    CHECK(readout_params("label", R"({"choice_labels": ["cat", "dog"]})").choice_labels ==
          std::vector<std::string>{"cat", "dog"});
    CHECK(readout_params("label", R"({"choice_labels": "imagenet"})").choice_labels.empty());
    const auto logistic =
        readout_params("probabilities",
                       R"({"C": 0.5, "tol": 1e-6, "max_iter": 7, "solver": "newton-cg",
                           "multi_class": "multinomial"})")
            .logistic;
    CHECK(logistic.c == 0.5);
    CHECK(logistic.tolerance == 1e-6);
    CHECK(logistic.most_iterations == 7);
    const auto odd = readout_params(
        "odd_one_out", R"({"similarity_measure": "cosine", "triplets": [["a", "b", "c"]]})");
    CHECK(odd.similarity == Similarity::cosine);
    CHECK(odd.triplets == std::vector<Triplet>{{"a", "b", "c"}});
    const auto numbers = readout_params("odd_one_out", R"({"triplets": [[1, "2", -3]]})");
    CHECK(numbers.triplets == std::vector<Triplet>{{"1", "2", "-3"}});
    const auto fractions = readout_params("odd_one_out", R"({"triplets": [[3.5, 4.0, 1e-3]]})");
    CHECK(fractions.triplets == std::vector<Triplet>{{"3.5", "4", "0.001"}});
}

TEST_CASE("features are taken to float64 for any readout that is told which parts were") {
    for (const std::string readout : {"label", "probabilities", "odd_one_out"}) {
        CHECK(readout_params(readout, R"({"upcast_to_float64": ["fit", "test"]})").in_float64);
        CHECK_FALSE(readout_params(readout, R"({"upcast_to_float64": []})").in_float64);
        CHECK_FALSE(readout_params(readout, "{}").in_float64);
        CHECK_THROWS_AS(readout_params(readout, R"({"upcast_to_float64": 1})"),
                        ventral::core::InputError);
    }
}

TEST_CASE("what a readout does not have is an error with a guess") {
    CHECK_THROWS_WITH(readout_params("lable", "{}"), Contains("did you mean 'label'"));
    CHECK_THROWS_WITH(readout_params("probabilities", R"({"toll": 1})"),
                      Contains("did you mean 'tol'"));
    CHECK_THROWS_WITH(readout_params("label", R"({"C": 1})"),
                      Contains("unknown key 'C'") && Contains("choice_labels"));
    CHECK_THROWS_WITH(readout_params("label", R"({"choice_labels": ["cat", "elefant"]})"),
                      Contains("'elefant'") && Contains("did you mean 'elephant'"));
}

TEST_CASE("values that cannot be are errors") {
    for (const std::string text :
         {R"({"C": 0})", R"({"C": "1"})", R"({"tol": -1})", R"({"max_iter": 0})",
          R"({"max_iter": 1.5})", R"({"max_iter": 18446744073709551615})", R"({"solver": "lbfgs"})",
          R"({"multi_class": "ovr"})", "[]", "{"})
        CHECK_THROWS_AS(readout_params("probabilities", text), ventral::core::InputError);
    for (const std::string text : {R"({"choice_labels": []})", R"({"choice_labels": [1]})",
                                   R"({"choice_labels": "geirhos"})"})
        CHECK_THROWS_AS(readout_params("label", text), ventral::core::InputError);
    for (const std::string text :
         {R"({"triplets": [["a", "b"]]})", R"({"triplets": [[1, 2, null]]})", R"({"triplets": []})",
          R"({"similarity_measure": "l2"})"})
        CHECK_THROWS_AS(readout_params("odd_one_out", text), ventral::core::InputError);
}

TEST_CASE("errors begin with the place of the parameters") {
    CHECK_THROWS_WITH(readout_params("label", R"({"C": 1})"), Catch::StartsWith("--params: "));
    for (const std::string text : {"{", "[]", R"({"triplets": 3})", R"({"C": 1})"})
        CHECK_THROWS_WITH(readout_params("odd_one_out", text, "triplets.json"),
                          Catch::StartsWith("triplets.json: "));
}
