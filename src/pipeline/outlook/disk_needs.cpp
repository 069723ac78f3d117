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

double bytes_of(const NewFiles& files) {
    double bytes = 0;
    for (const auto& [held, of_file] : files) bytes += of_file;
    return bytes;
}

/// Those of all units, each once.
NewFiles all_files(const std::vector<UnitWork>& units, NewFiles UnitWork::*files) {
    NewFiles all;
    for (const auto& unit : units) all.insert((unit.*files).begin(), (unit.*files).end());
    return all;
}

double new_activations(const std::vector<UnitWork>& units, const KeptFiles& kept,
                       const DiskRoom& room) {
    if (kept.compression > 0) return 0;
    double largest = 0;
    for (const auto& unit : units) largest = std::max(largest, bytes_of(unit.activation_files));
    const double all = bytes_of(all_files(units, &UnitWork::activation_files));
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
    const auto left_by = [&](const KeptFiles& choice) {
        return room.free - disk_needs(units, choice, room).total();
    };
    auto discarding = kept;
    discarding.activations = Keep::discard;
    std::string options;
    if (kept.activations == Keep::keep && kept.compression == 0) {
        const double left = left_by(discarding);
        if (left >= 0) options = "--activations discard";
        constexpr double mebibyte = 1 << 20;
        // What it removes of earlier runs' activations leaves room too.
        const double budget = std::floor((left + room.activations) / mebibyte) * mebibyte;
        if (budget > 0)
            core::add_part(options, "--activations-budget " + core::memory_setting(budget), " or ");
        if (!options.empty()) return options;
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

DiskRoom disk_room(const std::string& out, const KeptFiles& kept) {
    std::filesystem::path folder = std::filesystem::absolute(out);
    std::error_code failed;
    while (folder.has_relative_path() && !std::filesystem::exists(folder, failed))
        folder = folder.parent_path();
    const auto space = std::filesystem::space(folder, failed);
    if (failed) return {std::numeric_limits<double>::infinity()};
    const auto there = activations_bytes(io::activations_folder(out));
    const auto stays = std::min(there, kept.activations_budget.value_or(there));
    return {static_cast<double>(space.available + (there - stays)), static_cast<double>(stays)};
}

DiskNeeds disk_needs(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room) {
    DiskNeeds needs{new_activations(units, kept, room)};
    if (kept.grams == Keep::keep) needs.grams = bytes_of(all_files(units, &UnitWork::gram_files));
    for (const auto& unit : units) needs.results += unit.result_bytes;
    return needs;
}

std::string why_too_large(const UnitWork& unit, const KeptFiles& kept, const DiskRoom& room) {
    auto alone = kept;
    alone.activations = Keep::discard;
    const auto needs = disk_needs({unit}, alone, room);
    if (needs.total() <= room.free) return "";
    return "needs " + text_of(needs, room) + " " +
           advice(fitting_options({unit}, kept, room), needs);
}

std::string why_full(const std::vector<UnitWork>& units, const KeptFiles& kept,
                     const DiskRoom& room) {
    const auto needs = disk_needs(units, kept, room);
    if (needs.total() <= room.free) return "";
    return "the run needs " + text_of(needs, room) + " " +
           advice(fitting_options(units, kept, room), needs);
}

}  // namespace ventral::pipeline
