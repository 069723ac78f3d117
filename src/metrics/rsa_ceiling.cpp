#include "metrics/rsa_ceiling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/regression_fit.hpp"
#include "stats/similarity/ranks.hpp"
#include "stats/similarity/rdm.hpp"

namespace ventral::metrics {
namespace {

using Triangle = std::vector<double>;

/// The dissimilarities of one subject's neuroids.
Triangle triangle_of(const stats::Matrix& recordings, core::Workers& workers) {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(recordings.rows()));
    std::iota(order.begin(), order.end(), 0);
    return stats::upper_triangle(stats::recording_distances(recordings, {}, workers), order,
                                 workers);
}

/// Mean of all triangles, or of all but `left_out`, added up in their order as `numpy.mean` does.
Triangle mean_triangle(const std::vector<Triangle>& triangles, std::size_t left_out,
                       core::Workers& workers) {
    constexpr std::size_t block = std::size_t{1} << 14;
    const std::size_t size = triangles.front().size();
    const auto count =
        static_cast<double>(triangles.size() - (left_out < triangles.size() ? 1 : 0));
    Triangle mean(size, 0.0);
    workers.parallel_for(core::ceil_divide(size, block), [&](std::size_t b) {
        const std::size_t end = std::min((b + 1) * block, size);
        for (std::size_t s = 0; s < triangles.size(); ++s)
            if (s != left_out)
                for (std::size_t i = b * block; i < end; ++i) mean[i] += triangles[s][i];
        for (std::size_t i = b * block; i < end; ++i) mean[i] /= count;
    });
    return mean;
}

struct Subjects {
    core::Coordinate labels;          ///< sorted, distinct
    std::vector<Triangle> triangles;  ///< of each
};

Subjects subjects_of(const core::Assembly& table, core::Workers& workers) {
    const auto& labels = core::coordinate(table, "subject");
    if (labels.dim != "neuroid")
        throw core::InputError("the coordinate 'subject' of '" + table.name + "' lies along its " +
                               labels.dim + "s (rsa_ceiling compares the neuroids of subjects)");
    require_entries(table);
    const auto codes = core::label_codes(labels.values);
    const stats::Matrix recordings = matrix_of(table);
    Subjects subjects;
    std::vector<std::size_t> first_of_each;
    for (std::size_t s = 0; s < codes.distinct; ++s) {
        std::vector<Eigen::Index> columns;
        for (std::size_t j = 0; j < codes.codes.size(); ++j)
            if (codes.codes[j] == s) columns.push_back(static_cast<Eigen::Index>(j));
        stats::Matrix own(recordings.rows(), static_cast<Eigen::Index>(columns.size()));
        for (Eigen::Index j = 0; j < own.cols(); ++j)
            own.col(j) = recordings.col(columns[static_cast<std::size_t>(j)]);
        subjects.triangles.push_back(triangle_of(own, workers));
        first_of_each.push_back(static_cast<std::size_t>(columns.front()));
    }
    subjects.labels = {"subject", "subject", core::take(labels.values, first_of_each)};
    return subjects;
}

double mean(std::span<const double> values) {
    return stats::sum(values) / static_cast<double>(values.size());
}

}  // namespace

core::Score rsa_ceiling(const core::Assembly& assembly, core::Workers& workers) {
    const auto subjects = subjects_of(presentation_by_neuroid(assembly), workers);
    const auto& triangles = subjects.triangles;
    if (triangles.empty()) throw core::InputError("rsa_ceiling of recordings without neuroids");
    core::Score score;
    const auto ranks_of = [&](const Triangle& triangle) {
        auto ranks = stats::average_ranks(triangle, workers);
        score.margins.rank_gap = std::min(score.margins.rank_gap, ranks.gap);
        return ranks.values;
    };
    const auto of_all = ranks_of(mean_triangle(triangles, triangles.size(), workers));
    std::vector<double> upper;
    std::vector<double> lower;
    for (std::size_t s = 0; s < triangles.size(); ++s) {
        const auto own = ranks_of(triangles[s]);
        upper.push_back(stats::rank_correlation(own, of_all, workers));
        const auto of_others = ranks_of(mean_triangle(triangles, s, workers));
        lower.push_back(stats::rank_correlation(own, of_others, workers));
    }
    score.value = mean(upper);
    if (std::isnan(score.value))
        score.warnings.push_back(
            "the comparison of some subject is undefined (constant or missing responses)");
    score.further["lower_bound_loo"] = mean(lower);
    score.raw.dims = {{"subject", upper.size()}};
    score.raw.values = upper;
    score.raw.coordinates = {subjects.labels};
    score.route = features_route;
    return score;
}

}  // namespace ventral::metrics
