#include "models/readouts/readout_features.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace ventral::models {
namespace {

std::string presentation_name(const core::Assembly& features, std::size_t position) {
    const auto* ids = core::find_coordinate(features, "stimulus_id");
    return ids ? "stimulus '" + core::text(ids->values, position) + "'"
               : "presentation " + std::to_string(position);
}

void check_finite(const core::Assembly& features) {
    const auto neuroids = features.dims[1].size;
    std::visit(
        [&](const auto& values) {
            if constexpr (std::is_floating_point_v<
                              typename std::decay_t<decltype(values)>::value_type>) {
                for (std::size_t i = 0; i < values.size(); ++i)
                    if (!std::isfinite(values[i]))
                        throw core::InputError(features.name + ": the features of " +
                                               presentation_name(features, i / neuroids) +
                                               " are not all finite (NaN or infinity at neuroid " +
                                               std::to_string(i % neuroids) +
                                               ") leave such presentations out");
            } else {
                throw core::InputError(features.name + ": the features are " +
                                       core::type_name(values) + " (a readout takes numbers)");
            }
        },
        features.values);
}

}  // namespace

core::Assembly readout_features(const core::Assembly& features) {
    const bool timed = core::has_dimension(features, "time_bin");
    if (timed && core::dimension_size(features, "time_bin") != 1)
        throw core::InputError(features.name + ": has several time bins (a readout takes one)");
    core::require_presentations_by_neuroids(features);
    auto table = core::transpose(timed ? core::squeeze(features, "time_bin") : features,
                                 {"presentation", "neuroid"});
    if (core::value_count(table.values) == 0)
        throw core::InputError(features.name + ": has no presentation or no neuroid");
    if (std::holds_alternative<std::vector<std::int64_t>>(table.values))
        table.values = core::as_float64(table.values);
    check_finite(table);
    return table;
}

template <typename Real>
void check_not_overflowed(const stats::RowTable<Real>& table, const core::Assembly& features,
                          const std::string& of_what) {
    for (Eigen::Index i = 0; i < table.rows(); ++i)
        if (!table.row(i).allFinite())
            throw core::InputError(features.name + ": the " + of_what + " of " +
                                   presentation_name(features, static_cast<std::size_t>(i)) +
                                   " are beyond the range of " + core::type_name(features.values) +
                                   " (its features lie too far from the fitting ones) leave it out "
                                   "or scale the features");
}

template void check_not_overflowed(const stats::RowTable<float>&, const core::Assembly&,
                                   const std::string&);
template void check_not_overflowed(const stats::RowTable<double>&, const core::Assembly&,
                                   const std::string&);

void put_coordinate(std::vector<core::Coordinate>& coordinates, core::Coordinate added) {
    const auto same_name = [&](const core::Coordinate& each) { return each.name == added.name; };
    coordinates.erase(std::remove_if(coordinates.begin(), coordinates.end(), same_name),
                      coordinates.end());
    coordinates.push_back(std::move(added));
}

std::vector<core::Coordinate> presentation_coordinates(const core::Assembly& features) {
    std::vector<core::Coordinate> coordinates;
    for (const auto& labels : features.coordinates)
        if (labels.dim == "presentation" && labels.name != "choice") coordinates.push_back(labels);
    return coordinates;
}

core::Assembly choices_of(core::Values choices, std::vector<core::Coordinate> along_presentation) {
    core::Assembly result;
    result.dims = {{"choice", 1}, {"presentation", core::value_count(choices)}};
    result.values = std::move(choices);
    result.coordinates = std::move(along_presentation);
    result.attributes["assembly_class"] = "BehavioralAssembly";
    return result;
}

}  // namespace ventral::models
