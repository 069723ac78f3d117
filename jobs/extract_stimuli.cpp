#include "extract_stimuli.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"
#include "io/input_file.hpp"
#include "io/text/stimulus_csv.hpp"

namespace ventral::jobs {
namespace {

namespace fs = std::filesystem;

/// As what other systems leave beside images ("._x.png").
bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// By its name.
bool is_image(const fs::path& path) {
    if (is_hidden(path)) return false;
    const auto ending = core::lower_case(path.extension().string());
    constexpr std::array endings{".png", ".jpg", ".jpeg"};
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

/// Nobody could open a file of HDF5 with other text.
void check_names(const core::StimulusSet& stimuli, const std::string& folder) {
    if (!core::is_utf8(stimuli.identifier))
        throw core::InputError(folder + ": its name is not UTF-8, rename it");
    for (const auto& id : stimuli.stimulus_ids)
        if (!core::is_utf8(id))
            throw core::InputError((fs::path(folder) / id).string() +
                                   ": its name is not UTF-8, rename it");
}

/// The images of a folder by name; their file names are the stimulus ids.
core::StimulusSet images_of(const std::string& folder, double degrees) {
    core::StimulusSet stimuli;
    auto named = fs::absolute(folder).lexically_normal();
    if (!named.has_filename()) named = named.parent_path();  // it ends with a slash
    stimuli.identifier = named.filename().string();
    std::size_t folders = 0;
    std::error_code unknown;
    for (const auto& entry : fs::directory_iterator(folder))
        if (is_image(entry.path()))
            stimuli.stimulus_ids.push_back(entry.path().filename());
        else if (entry.is_directory(unknown) && !is_hidden(entry.path()))
            ++folders;
    const auto not_seen = "not looked into: " + core::counted(folders, "folder") +
                          " in it (a stimulus table can name images in folders)";
    if (stimuli.stimulus_ids.empty())
        throw core::InputError(folder + ": has no PNG and no JPEG file" +
                               (folders > 0 ? "; " + not_seen : ""));
    if (folders > 0) core::log_warning_once(folder + ": " + not_seen);
    check_names(stimuli, folder);
    std::sort(stimuli.stimulus_ids.begin(), stimuli.stimulus_ids.end());
    for (const auto& id : stimuli.stimulus_ids) stimuli.files.push_back(fs::path(folder) / id);
    stimuli.visual_degrees.assign(stimuli.files.size(), degrees);
    return stimuli;
}

/// Of --count; empty if it is one.
std::string images_problem(const std::string& count) {
    const auto images = core::parse_integer(count);
    if (images && *images > 0) return {};
    return "'" + count + "' is no number of images (give 1 or more)";
}

/// Of --degrees; empty if it is a width.
std::string width_problem(const std::string& width) {
    const auto degrees = core::parse_number(width);
    if (degrees && *degrees > 0 && std::isfinite(*degrees)) return {};
    return "'" + width + "' is no width in visual degrees (give a number above 0)";
}

}  // namespace

void add_stimulus_options(CLI::App& sub, StimulusArguments& arguments) {
    sub.add_option(
           "--images", arguments.images,
           "folder of PNG and JPEG files (hidden ones, and those in folders within, are left "
           "out), or a stimulus table (CSV) beside its images")
        ->required();
    sub.add_option("--images-folder", arguments.images_folder,
                   "folder of the images that stimulus tables name (default: that of each table)");
    sub.add_option("--degrees", arguments.degrees,
                   "visual degrees of the images, unless a table's column visual_degrees says them "
                   "(default: the width of the model's screen)")
        ->check(CLI::Validator(width_problem, "above 0"));
    sub.add_option("--count", arguments.count, "only the first images")
        ->check(CLI::Validator(images_problem, "above 0"));
}

core::StimulusSet read_stimuli(const StimulusArguments& arguments, const std::string& images,
                               double degrees, bool is_fitted) {
    const fs::path path(images);
    if (fs::is_directory(path)) {
        if (!arguments.images_folder.empty() && !is_fitted)
            throw core::InputError("--images-folder: is of a stimulus table, " + images +
                                   " is a folder of images (leave it out)");
        return images_of(images, degrees);
    }
    if (io::is_surely_absent(images))
        throw core::InputError(images + ": no such folder, nor a stimulus table");
    const auto& folder = arguments.images_folder;
    return io::read_stimulus_set({path.stem().string(), images,
                                  folder.empty() ? path.parent_path().string() : folder, degrees,
                                  "--images-folder"});
}

void warn_of_degrees(const StimulusArguments& arguments, const std::string& table,
                     const core::StimulusSet& stimuli) {
    const auto warning = io::degrees_warning(table, arguments.degrees, stimuli);
    if (warning) core::log_warning_once(*warning);
}

void keep_first(core::StimulusSet& stimuli, std::size_t count) {
    if (count >= stimuli.files.size()) return;
    stimuli.stimulus_ids.resize(count);
    stimuli.files.resize(count);
    stimuli.visual_degrees.resize(count);
    for (auto& column : stimuli.columns)
        std::visit([&](auto& values) { values.resize(count); }, column.values);
}

}  // namespace ventral::jobs
