#include <algorithm>

#include <catch2/catch.hpp>

#include "stats/gram/gram_block.hpp"
#include "stats/gram/layer_pca.hpp"
#include "stats/stored_features.hpp"
#include "stimuli/preprocessing.hpp"
#include "support/golden.hpp"
#include "support/hdf5_numbers.hpp"

using namespace ventral;
using test::hdf5_numbers;
using test::RowMajorMatrix;

namespace {

constexpr std::size_t images = 16;
constexpr std::size_t image_side = 24;
constexpr std::size_t input_side = 32;
constexpr std::size_t kernel_side = 5;
constexpr std::size_t output_side = 14;
constexpr std::size_t channels = 4;
constexpr std::size_t features = channels * output_side * output_side;
constexpr std::size_t projected_images = 6;

/// The reference computes in float32, and the largest projection is about 9.
constexpr double tolerance = 2e-5;

stimuli::Preprocessing preprocessing() {
    stimuli::Preprocessing steps;
    steps.resize_exact = {input_side, input_side};
    steps.mean = {0.485F, 0.456F, 0.406F};
    steps.standard_deviation = {0.229F, 0.224F, 0.225F};
    return steps;
}

std::vector<float> input_of(const std::vector<double>& pixels, std::size_t image) {
    constexpr std::size_t size = image_side * image_side * 3;
    stimuli::Image picture;
    picture.width = picture.height = image_side;
    picture.mode = stimuli::PixelMode::rgb;
    for (std::size_t i = 0; i < size; ++i)
        picture.pixels.push_back(static_cast<std::uint8_t>(pixels[image * size + i]));
    return stimuli::preprocess(picture, preprocessing());
}

struct Convolution {
    std::vector<double> weight, bias;  ///< channel × input channel × row × column
};

/// Layer relu1 of the reference's network: a convolution of stride 2, and what is negative is 0.
double relu1(const Convolution& conv1, const std::vector<float>& input, std::size_t feature) {
    const std::size_t channel = feature / (output_side * output_side);
    const std::size_t row = feature / output_side % output_side * 2;
    const std::size_t column = feature % output_side * 2;
    double value = conv1.bias[channel];
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < kernel_side; ++i)
            for (std::size_t j = 0; j < kernel_side; ++j)
                value += conv1.weight[((channel * 3 + c) * kernel_side + i) * kernel_side + j] *
                         static_cast<double>(
                             input[(c * input_side + row + i) * input_side + column + j]);
    return std::max(value, 0.0);
}

RowMajorMatrix fitting_features(const std::string& weights, const std::string& imagenet) {
    const Convolution conv1 = {hdf5_numbers(weights, "conv1.weight"),
                               hdf5_numbers(weights, "conv1.bias")};
    const auto pixels = hdf5_numbers(imagenet, "images");
    RowMajorMatrix layer(images, features);
    for (std::size_t image = 0; image < images; ++image) {
        const auto input = input_of(pixels, image);
        for (std::size_t f = 0; f < features; ++f)
            layer(static_cast<Eigen::Index>(image), static_cast<Eigen::Index>(f)) =
                relu1(conv1, input, f);
    }
    return layer;
}

RowMajorMatrix table(const std::vector<double>& values, Eigen::Index rows) {
    return Eigen::Map<const RowMajorMatrix>(values.data(), rows,
                                            static_cast<Eigen::Index>(values.size()) / rows);
}

}  // namespace

TEST_CASE("LayerPCA of the reference's network has the reference's components and projections") {
    const auto weights = test::golden_path("activations/weights.h5");
    const auto imagenet = test::golden_path("activations/imagenet.h5");
    const auto expected_file = test::golden_path("activations/pca.h5");
    const auto activations = test::golden_path("activations/activations.h5");
    const auto expected = test::golden("activations/expected.layer_pca.json");
    if (!weights || !imagenet || !expected_file || !activations || !expected) return;

    const RowMajorMatrix fitted = fitting_features(*weights, *imagenet);
    core::Workers workers(1);
    const stats::GramBlock block(images, features);
    stats::build_gram({images, features, test::slabs_of(fitted)}, block.memory(), workers, {});
    const auto pca =
        stats::fit_layer_pca(stats::MatrixView(block.memory().kernel.data(), images, images),
                             expected->at("n_components").get<std::size_t>());

    // The last component of as many as there are images is arbitrary in the reference, zero here.
    const auto components = table(hdf5_numbers(*expected_file, "relu1/components"), images);
    const stats::Matrix centred = fitted.rowwise() - fitted.colwise().mean();
    for (Eigen::Index k = 0; k + 1 < static_cast<Eigen::Index>(images); ++k) {
        const stats::Vector component = centred.transpose() * pca.directions.col(k);
        CHECK((component - components.row(k).transpose()).cwiseAbs().maxCoeff() < tolerance);
    }

    const auto stimuli = table(hdf5_numbers(*activations, "relu1"), projected_images);
    const auto transformed =
        table(hdf5_numbers(*expected_file, "relu1/transformed"), projected_images);
    const auto found = stats::project_on_components(
        pca, {images, features, test::slabs_of(fitted)},
        {projected_images, features, test::slabs_of(stimuli)}, workers);
    CHECK((found - transformed).leftCols(images - 1).cwiseAbs().maxCoeff() < tolerance);
    CHECK(found.col(images - 1).isZero(0));
    CHECK(stats::passes_through_pca(7, images) != expected->at("fc_has_pca").get<bool>());
}
