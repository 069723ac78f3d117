#include "pipeline/outlook/disk_needs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include "core/number_text.hpp"
#include "core/text.hpp"
#include "io/disk/leftovers.hpp"
#include "io/out_folder.hpp"
#include "pipeline/extraction/activations_budget.hpp"

namespace ventral::pipeline {
namespace {

double bytes_of(const NewFiles& files) {
    double bytes = 0;
    for (const auto& [held, of_file] : files) bytes += of_file;
    return bytes;
}

/// Those of which the size is known.
NewFiles activations_of(const UnitWork& unit, const KeptFiles& kept) {
    auto files = unit.projection_files;
    if (kept.compression == 0)
        files.insert(unit.activation_files.begin(), unit.activation_files.end());
    return files;
}

/// The most that there is at once where each file goes with the last unit that wants it.
double most_at_once(const std::vector<UnitWork>& units, const KeptFiles& kept) {
    std::map<std::string, std::size_t> last_unit;
    for (std::size_t u = 0; u < units.size(); ++u)
        for (const auto& [held, bytes] : activations_of(units[u], kept)) last_unit[held] = u;
    double most = 0;
    NewFiles there;
    for (std::size_t u = 0; u < units.size(); ++u) {
        there.merge(activations_of(units[u], kept));
        most = std::max(most, bytes_of(there));
        std::erase_if(there, [&](const auto& file) { return last_unit[file.first] == u; });
    }
    return most;
}

double new_activations(const std::vector<UnitWork>& units, const KeptFiles& kept,
                       const DiskRoom& room) {
    if (kept.activations == Keep::discard) return most_at_once(units, kept);
    NewFiles all;
    double largest = 0;
    for (const auto& unit : units) {
        auto files = activations_of(unit, kept);
        largest = std::max(largest, bytes_of(files));
        all.merge(std::move(files));
    }
    if (!kept.activations_budget) return bytes_of(all);
    // Between units they are within the budget.
    const double left = static_cast<double>(*kept.activations_budget) - room.activations;
    return std::min(bytes_of(all), std::max(left, 0.0) + largest);
}

double new_grams(const std::vector<UnitWork>& units) {
    NewFiles all;
    for (const auto& unit : units) all.insert(unit.gram_files.begin(), unit.gram_files.end());
    return bytes_of(all);
}

std::string text_of(const DiskNeeds& needs, const DiskRoom& room) {
    std::string parts;
    const auto add = [&](const char* what, double bytes) {
        if (bytes > 0) core::add_part(parts, what + core::bytes_text(bytes), ", ");
    };
    add("activations ", needs.activations);
    add("Grams ", needs.grams);
    add("results ", needs.results);
    if (room.discarded > 0)
        core::add_part(parts, core::bytes_text(room.discarded) + " are those of finished units",
                       "; ");
    return core::bytes_text(needs.total()) + " of disk (" + parts + "; " +
           core::bytes_text(room.free) + " are free)";
}

/// Options with which the units fit; empty if there are none.
std::string fitting_options(const std::vector<UnitWork>& units, KeptFiles kept,
                            const DiskRoom& room) {
    const auto left_by = [&](const KeptFiles& choice) {
        return room.free + room.discarded - disk_needs(units, choice, room).total();
    };
    auto discarding = kept;
    discarding.activations = Keep::discard;
    const double left = left_by(discarding);
    if (kept.activations == Keep::keep && kept.compression == 0 && left >= 0) {
        constexpr double mebibyte = 1 << 20;
        const double budget = std::floor((left + room.activations) / mebibyte) * mebibyte;
        const std::string discard = "--activations discard";
        return budget > 0 ? discard + " or --activations-budget " + core::memory_setting(budget)
                          : discard;
    }
    kept.grams = discarding.grams = Keep::discard;
    if (left_by(kept) >= 0) return "--grams discard";
    if (left_by(discarding) >= 0) return "--activations discard --grams discard";
    return "";
}

std::string advice(const std::string& options, const DiskNeeds& needs) {
    if (!options.empty()) return "it fits with " + options;
    const std::string larger = "take a larger disk";
    return needs.activations > 0 ? larger + ", or try --activations-compress 1" : larger;
}

}  // namespace

DiskRoom disk_room(const std::string& out) {
    std::filesystem::path folder = std::filesystem::absolute(out);
    const auto activations = io::activations_folder(out);
    std::error_code failed;
    while (folder.has_relative_path() && !std::filesystem::exists(folder, failed))
        folder = folder.parent_path();
    const auto space = std::filesystem::space(folder, failed);
    if (failed || std::filesystem::is_symlink(activations, failed))
        return {std::numeric_limits<double>::infinity()};
    const auto left =
        io::leftover_bytes(activations, std::filesystem::file_time_type::clock::now());
    return {static_cast<double>(space.available + left),
            static_cast<double>(activations_bytes(activations))};
}

DiskNeeds disk_needs(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room) {
    DiskNeeds needs{new_activations(units, kept, room)};
    if (kept.grams == Keep::keep) needs.grams = new_grams(units);
    for (const auto& unit : units) needs.results += unit.result_bytes;
    return needs;
}

std::string why_too_large(const UnitWork& unit, const KeptFiles& kept, const DiskRoom& room) {
    auto alone = kept;
    alone.activations = Keep::discard;
    const auto needs = disk_needs({unit}, alone, room);
    if (needs.total() <= room.free + room.discarded) return "";
    return "needs " + text_of(needs, room) + " " +
           advice(fitting_options({unit}, kept, room), needs);
}

std::string why_full(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room) {
    const auto needs = disk_needs(units, kept, room);
    if (needs.total() <= room.free + room.discarded) return "";
    return "the run needs " + text_of(needs, room) + " " +
           advice(fitting_options(units, kept, room), needs);
}

}  // namespace ventral::pipeline
