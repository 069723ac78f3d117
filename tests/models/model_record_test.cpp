#include "models/model_record.hpp"

#include <catch2/catch.hpp>

using namespace ventral::models;

TEST_CASE("features are stored in one file or in one for each dataset") {
    ModelRecord model;
    model.identifier = "m";
    CHECK_FALSE(has_stored_features(model));
    CHECK(full_name(model) == ModelName{"m", ""});
    model.features_of["day1"] = {"day1.nc", ""};
    CHECK(has_stored_features(model));
    model.features_of.clear();
    model.features.path = "f.nc";
    CHECK(has_stored_features(model));
    model.features.path.clear();
    model.dataset = "day1";  // of which there is no file
    CHECK(has_stored_features(model));
    CHECK(full_name(model) == ModelName{"m", "day1"});
}

TEST_CASE("images are run at once in whole passes, at least eight") {
    const auto at_once = [](std::size_t batch_size) {
        ModelRecord model;
        model.batch_size = batch_size;
        return images_at_once(model);
    };
    CHECK(at_once(1) == 8);
    CHECK(at_once(2) == 8);
    CHECK(at_once(3) == 9);
    CHECK(at_once(5) == 10);
    CHECK(at_once(8) == 8);
    CHECK(at_once(16) == 16);
}
