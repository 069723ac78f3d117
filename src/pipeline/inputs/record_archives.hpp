#pragma once
/// @file
/// How configurations and stimulus sets travel between ranks (`comm/records.hpp`): one rank reads
/// the files, so that a file that is changed meanwhile, or a variable of the environment that only
/// one node has, cannot make ranks do different things. The bindings name all members of a record,
/// or do not compile.

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <variant>

#include <boost/serialization/array.hpp>

#include "config/run_record.hpp"
#include "core/archive_optional.hpp"
#include "core/stimulus_set.hpp"

namespace ventral::core {

template <std::size_t kind = 0>
Values values_of_kind(std::size_t wanted) {
    if constexpr (kind < std::variant_size_v<Values>)
        return wanted == kind ? Values(std::in_place_index<kind>)
                              : values_of_kind<kind + 1>(wanted);
    else
        throw std::logic_error("values of an unknown kind");
}

template <typename Archive>
void archive_values(Archive& archive, Values& values) {
    std::size_t kind = values.index();
    archive& kind;
    if constexpr (Archive::is_loading::value) values = values_of_kind(kind);
    std::visit([&](auto& entries) { archive& entries; }, values);
}

template <typename Archive>
void serialize(Archive& archive, Column& column, unsigned) {
    auto& [name, values] = column;
    archive& name;
    archive_values(archive, values);
}

template <typename Archive>
void serialize(Archive& archive, StimulusSet& stimuli, unsigned) {
    auto& [identifier, ids, files, degrees, columns] = stimuli;
    archive& identifier& ids& files& degrees& columns;
}

template <typename Archive>
void serialize(Archive& archive, Condition& condition, unsigned) {
    auto& [coordinate, values, minimum, maximum] = condition;
    archive& coordinate& values;
    archive_optional(archive, minimum);
    archive_optional(archive, maximum);
}

}  // namespace ventral::core

namespace ventral::stimuli {

template <typename Archive>
void serialize(Archive& archive, Size& size, unsigned) {
    auto& [height, width] = size;
    archive& height& width;
}

template <typename Archive>
void serialize(Archive& archive, Preprocessing& preprocessing, unsigned) {
    auto& [backend, resize, resize_exact, crop, interpolation, mean, deviation] = preprocessing;
    archive& backend& interpolation& mean& deviation;
    core::archive_optional(archive, resize);
    core::archive_optional(archive, resize_exact);
    core::archive_optional(archive, crop);
}

}  // namespace ventral::stimuli

namespace ventral::models {

template <typename Archive>
void serialize(Archive& archive, FeaturesFile& file, unsigned) {
    auto& [path, variable] = file;
    archive& path& variable;
}

template <typename Archive>
void serialize(Archive& archive, PcaRecord& pca, unsigned) {
    auto& [components, dataset, features] = pca;
    archive& components& dataset& features;
}

template <typename Archive>
void serialize(Archive& archive, TimeRecord& time, unsigned) {
    auto& [axis, bins] = time;
    archive& axis& bins;
}

template <typename Archive>
void serialize(Archive& archive, ModelRecord& model, unsigned) {
    auto& [identifier, origin, weights_file, weights_sha256, features, degrees, batch_size,
           readout_layer, candidate_layers, preprocessing, regions, pca, time, device, layout,
           builtin, require_variance, features_of, dataset, problem] = model;
    archive& identifier& origin& weights_file& weights_sha256& features& degrees& batch_size&
        readout_layer& candidate_layers& regions& device& layout& require_variance& features_of&
            dataset& problem;
    core::archive_optional(archive, preprocessing);
    core::archive_optional(archive, pca);
    core::archive_optional(archive, time);
    core::archive_optional(archive, builtin);
}

}  // namespace ventral::models

namespace ventral::metrics {

template <typename Archive>
void serialize(Archive& archive, CrossValidationOptions& options, unsigned) {
    auto& [splits, train_size, test_size, kfold, split_coordinate, stratification_coordinate,
           unique_split_values, random_state] = options;
    archive& splits& kfold& split_coordinate& unique_split_values& random_state;
    core::archive_optional(archive, train_size);
    core::archive_optional(archive, test_size);
    core::archive_optional(archive, stratification_coordinate);
}

template <typename Archive>
void serialize(Archive& archive, MetricOptions& metric, unsigned) {
    auto& [name, cross_validation, n_components, alpha, alphas, gram_only] = metric;
    archive& name& cross_validation& n_components& alpha& alphas& gram_only;
}

template <typename Archive>
void serialize(Archive& archive, CeilingOptions& ceiling, unsigned) {
    auto& [name] = ceiling;
    archive& name;
}

}  // namespace ventral::metrics

namespace ventral::benchmarks {

template <typename Archive>
void serialize(Archive& archive, Expectation& expectation, unsigned) {
    auto& [quantity, value, tolerance, model] = expectation;
    archive& quantity& value& tolerance& model;
}

template <typename Archive>
void serialize(Archive& archive, BenchmarkRecord& benchmark, unsigned) {
    auto& [identifier, origin, version, parent, bibtex, pattern, dataset, region, select, metric,
           ceiling, normalisation, time_bins, dropna, number_of_trials, require_variance, expected,
           problem] = benchmark;
    archive& identifier& origin& version& parent& bibtex& pattern& dataset& region& select& metric&
        ceiling& normalisation& time_bins& dropna& number_of_trials& require_variance& expected&
            problem;
}

template <typename Archive>
void serialize(Archive& archive, DataFile& file, unsigned) {
    auto& [path, sha1, variable, renamed] = file;
    archive& path& sha1& variable& renamed;
}

template <typename Archive>
void serialize(Archive& archive, StimulusRecord& stimuli, unsigned) {
    auto& [csv, folder, degrees] = stimuli;
    archive& csv& folder;
    core::archive_optional(archive, degrees);
}

template <typename Archive>
void serialize(Archive& archive, DatasetRecord& dataset, unsigned) {
    auto& [identifier, origin, stimuli, access, assemblies] = dataset;
    archive& identifier& origin& stimuli& access& assemblies;
}

}  // namespace ventral::benchmarks

namespace ventral::config {

template <typename Archive>
void serialize(Archive& archive, RunRecord& run, unsigned) {
    auto& [origin, place, data_folder, models, benchmarks, datasets, layers, listed_layers, seed,
           settings, left_out] = run;
    archive& origin& place& data_folder& models& benchmarks& datasets& layers& listed_layers& seed&
        settings& left_out;
}

}  // namespace ventral::config
