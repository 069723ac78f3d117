#include "metrics/predictor_consistency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "core/number_text.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/result_shape.hpp"
#include "metrics/split_halves.hpp"
#include "stats/folds/pcg64.hpp"
#include "stats/regression/normalised_column.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {
namespace {

constexpr std::size_t split_count = 10;
constexpr std::size_t fewest_images = 10;
constexpr std::uint64_t seed = 0;

/// An image that has repetitions to deal out.
struct Image {
    std::vector<std::size_t> rows;
    std::vector<std::size_t> repetitions;  ///< distinct, sorted
};

const core::Coordinate& image_coordinate(const core::Assembly& assembly) {
    if (const auto* images = core::find_coordinate(assembly, "image_id")) return *images;
    return core::coordinate(assembly, "stimulus_id");
}

/// Along `presentation`, or it could not be read row by row.
const core::Coordinate& along_presentation(const core::Coordinate& labels) {
    if (labels.dim != "presentation")
        throw core::InputError("coordinate '" + labels.name + "' lies along '" + labels.dim +
                               "' (predictor_consistency needs it along 'presentation')");
    return labels;
}

/// As NumPy makes integers of them: numbers without their fraction, texts by what they say.
std::vector<std::int64_t> repetition_numbers(const core::Values& values) {
    std::vector<std::int64_t> numbers(core::value_count(values));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto text = core::text(values, i);
        const auto number = core::parse_number(text);
        const bool is_text = std::holds_alternative<std::vector<std::string>>(values);
        const auto whole = is_text ? core::parse_integer(text) : std::nullopt;
        constexpr double most = 9e15;  // so far float64 holds them all
        if (is_text ? !whole : !(std::abs(number.value_or(most)) < most))
            throw core::InputError("repetition '" + text + "' is no whole number");
        numbers[i] = whole ? *whole : static_cast<std::int64_t>(*number);
    }
    return numbers;
}

/// The images with at least two repetitions, in sorted order.
std::vector<Image> repeated_images(const core::Assembly& assembly,
                                   const std::vector<std::size_t>& repetition) {
    const auto codes = core::label_codes(along_presentation(image_coordinate(assembly)).values);
    std::vector<Image> images(codes.distinct);
    for (std::size_t row = 0; row < codes.codes.size(); ++row) {
        images[codes.codes[row]].rows.push_back(row);
        images[codes.codes[row]].repetitions.push_back(repetition[row]);
    }
    for (auto& image : images) {
        auto& distinct = image.repetitions;
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    }
    std::erase_if(images, [](const Image& image) { return image.repetitions.size() < 2; });
    return images;
}

/// Places are in the list of the rows of all images.
SplitHalves draw_halves(const std::vector<Image>& images,
                        const std::vector<std::size_t>& repetition, stats::Pcg64& random) {
    SplitHalves halves;
    std::uint32_t place = 0;
    for (const auto& image : images) {
        const auto dealt = random.permutation(image.repetitions);
        const auto middle = dealt.begin() + static_cast<std::ptrdiff_t>(dealt.size() / 2);
        for (const auto row : image.rows) {
            const bool is_first = std::find(dealt.begin(), middle, repetition[row]) != middle;
            (is_first ? halves.first : halves.second).places.push_back(place++);
        }
        halves.first.close();
        halves.second.close();
    }
    return halves;
}

/// Products over norms, each added up row after row as NumPy does.
double product_over_norms(std::span<const double> x, std::span<const double> y) {
    using stats::add_up, stats::ColumnSum;
    const auto centred = [](std::span<const double> values) {
        const double mean = add_up(values, ColumnSum::in_turn) / static_cast<double>(values.size());
        std::vector<double> result;
        for (const double value : values) result.push_back(value - mean);
        return result;
    };
    const auto a = centred(x);
    const auto b = centred(y);
    const double norms = std::sqrt(stats::dot_as_numpy(a, a, ColumnSum::in_turn)) *
                         std::sqrt(stats::dot_as_numpy(b, b, ColumnSum::in_turn));
    return norms == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : stats::dot_as_numpy(a, b, ColumnSum::in_turn) / norms;
}

/// Pearson's r of each neuroid, also of a constant one: NaN if its mean is exact, else rounding is
/// correlated, as in the reference, which looks at norms alone.
std::vector<double> correlations_by_norms(const stats::Matrix& x, const stats::Matrix& y) {
    std::vector<double> r;
    for (Eigen::Index j = 0; j < x.cols(); ++j)
        r.push_back(product_over_norms(stats::column(x, j), stats::column(y, j)));
    return r;
}

double standard_error(const std::vector<double>& raw, std::size_t neuroids) {
    std::vector<double> medians;
    for (std::size_t s = 0; s < split_count; ++s)
        medians.push_back(stats::nan_median(std::span(raw).subspan(s * neuroids, neuroids)));
    const auto finite = std::count_if(medians.begin(), medians.end(),
                                      [](double median) { return std::isfinite(median); });
    return stats::nan_std(medians) / std::sqrt(static_cast<double>(finite));
}

}  // namespace

core::Score predictor_consistency(const core::Assembly& assembly, core::Workers& workers) {
    const auto presentations = view_presentations(assembly);
    const auto& labels = along_presentation(core::coordinate(assembly, "repetition"));
    const auto repetition = core::label_codes(repetition_numbers(labels.values)).codes;
    const auto images = repeated_images(assembly, repetition);
    std::vector<SplitHalves> splits(split_count);
    stats::Pcg64 random(seed);
    if (images.size() >= fewest_images)
        for (auto& split : splits) split = draw_halves(images, repetition, random);
    std::vector<std::size_t> rows;
    for (const auto& image : images) rows.insert(rows.end(), image.rows.begin(), image.rows.end());
    const auto raw =
        split_half_consistency(presentations, rows, splits, correlations_by_norms, workers);

    ResultShape shape;
    shape.neuroid_order.resize(presentations.neuroids);
    std::iota(shape.neuroid_order.begin(), shape.neuroid_order.end(), std::size_t{0});
    shape.neuroid_coordinates = neuroid_coordinates(assembly, shape.neuroid_order);
    core::Score score = aggregate(shape, raw);
    score.error = standard_error(raw, presentations.neuroids);
    score.further_texts["ceiling"] = "predictor_consistency_split_half";
    score.route = "split-half";
    return score;
}

}  // namespace ventral::metrics
