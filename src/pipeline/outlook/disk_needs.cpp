#include "pipeline/outlook/disk_needs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include "core/number_text.hpp"
#include "core/text.hpp"
#include "io/out_folder.hpp"
#include "pipeline/extraction/activations_budget.hpp"

namespace ventral::pipeline {
namespace {

double activations_of(const UnitWork& unit) {
    return unit.activation_bytes + unit.projection_bytes;
}

double new_activations(const std::vector<UnitWork>& units, const KeptFiles& kept,
                       const DiskRoom& room) {
    if (kept.compression > 0) return 0;
    double all = 0, largest = 0;
    for (const auto& unit : units) {
        all += activations_of(unit);
        largest = std::max(largest, activations_of(unit));
    }
    if (kept.activations == Keep::discard) return largest;
    if (!kept.activations_budget) return all;
    // Between units they are within the budget.
    const double left = static_cast<double>(*kept.activations_budget) - room.activations;
    return std::min(all, std::max(left, 0.0) + largest);
}

std::string text_of(const DiskNeeds& needs, const DiskRoom& room) {
    std::string parts;
    const auto add = [&](const char* what, double bytes) {
        if (bytes > 0) core::add_part(parts, what + core::bytes_text(bytes), ", ");
    };
    add("activations ", needs.activations);
    add("Grams ", needs.grams);
    add("results ", needs.results);
    return core::bytes_text(needs.total()) + " of disk (" + parts + "; " +
           core::bytes_text(room.free) + " are free)";
}

/// Options with which the units fit; empty if there are none.
std::string fitting_options(const std::vector<UnitWork>& units, KeptFiles kept,
                            const DiskRoom& room) {
    std::string options;
    if (kept.activations == Keep::keep) {
        kept.activations = Keep::discard;
        options = "--activations discard";
        const double left = room.free - disk_needs(units, kept, room).total();
        constexpr double mebibyte = 1 << 20;
        const double budget = std::floor((left + room.activations) / mebibyte) * mebibyte;
        if (left >= 0 && budget > 0)
            return options + " or --activations-budget " + core::memory_setting(budget);
        if (left >= 0) return options;
    }
    if (kept.grams == Keep::keep) {
        kept.grams = Keep::discard;
        core::add_part(options, "--grams discard", " ");
        if (disk_needs(units, kept, room).total() <= room.free) return options;
    }
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
    std::error_code failed;
    while (folder.has_relative_path() && !std::filesystem::exists(folder, failed))
        folder = folder.parent_path();
    const auto space = std::filesystem::space(folder, failed);
    return {failed ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available),
            static_cast<double>(activations_bytes(io::activations_folder(out)))};
}

DiskNeeds disk_needs(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room) {
    DiskNeeds needs{new_activations(units, kept, room)};
    for (const auto& unit : units) {
        if (kept.grams == Keep::keep) needs.grams += unit.gram_bytes;
        needs.results += unit.written_bytes - activations_of(unit) - unit.gram_bytes;
    }
    return needs;
}

std::string why_too_large(const UnitWork& unit, const KeptFiles& kept, const DiskRoom& room) {
    auto alone = kept;
    alone.activations = Keep::discard;
    const auto needs = disk_needs({unit}, alone, room);
    if (needs.total() <= room.free) return "";
    return "needs " + text_of(needs, room) + " " +
           advice(fitting_options({unit}, alone, room), needs);
}

std::string why_full(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room) {
    const auto needs = disk_needs(units, kept, room);
    if (needs.total() <= room.free) return "";
    return "the run needs " + text_of(needs, room) + " " +
           advice(fitting_options(units, kept, room), needs);
}

}  // namespace ventral::pipeline
