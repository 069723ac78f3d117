#include "model_argument.hpp"

#include <filesystem>
#include <vector>

#include "config/catalogue.hpp"
#include "config/model_file.hpp"
#include "config/places.hpp"
#include "core/errors.hpp"

namespace ventral::jobs {

models::ModelRecord model_named(const std::string& model, const std::string& configs,
                                const config::ConfigPlaces& places) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::path(model).extension() == ".toml" || fs::is_regular_file(model, ignored))
        return config::read_model_file(model, places).record;
    const bool is_folder = fs::is_directory(model, ignored);
    const bool is_path = model.find('/') != std::string::npos;
    if (is_folder && (is_path || !fs::is_directory(configs, ignored)))
        throw core::InputError(model + ": is a folder, give a model's TOML file");
    if (is_path) throw core::InputError(model + ": no such file");
    config::require_records(configs);
    const auto catalogue = config::read_catalogue(configs, places);
    const auto found = catalogue.models.find(model);
    if (found != catalogue.models.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& each : catalogue.models) known.push_back(each.first);
    throw core::InputError(configs + ": " +
                           config::unknown_record("model", model, known, catalogue.wrong_models));
}

}  // namespace ventral::jobs
