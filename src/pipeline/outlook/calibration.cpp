#include "pipeline/outlook/calibration.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/where_and_when.hpp"
#include "io/disk/durable_file.hpp"
#include "io/text/json_problem.hpp"

namespace ventral::pipeline {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

/// The rates by the names that they have in the file.
template <typename OfMachine>
auto named_rates(OfMachine& of) {
    using Rate = decltype(&of.written_bytes);
    return std::array<std::pair<const char*, Rate>, 12>{
        {{"gram_flops", &of.together.gram_flops},
         {"product_flops", &of.together.product_flops},
         {"pass_flops", &of.together.pass_flops},
         {"convolution_flops", &of.together.convolution_flops},
         {"gram_flops_alone", &of.alone.gram_flops},
         {"product_flops_alone", &of.alone.product_flops},
         {"pass_flops_alone", &of.alone.pass_flops},
         {"convolution_flops_alone", &of.alone.convolution_flops},
         {"written_bytes", &of.written_bytes},
         {"read_bytes", &of.read_bytes},
         {"buffered_bytes", &of.buffered_bytes},
         {"process_seconds", &of.process_seconds}}};
}

Calibration calibration_from(const OrderedJson& json) {
    Calibration calibration;
    calibration.host = json.at("host");
    calibration.measured_at = json.at("measured_at");
    calibration.kernels = json.at("kernels");
    calibration.workers = json.at("workers");
    for (const auto& [name, rate] : named_rates(calibration)) {
        *rate = json.at(name);
        if (!(*rate > 0) || !std::isfinite(*rate))
            throw core::InputError(std::string(name) + " is not above 0");
    }
    return calibration;
}

}  // namespace

std::string calibration_path(const std::string& out) {
    if (!out.empty()) return (fs::path(out) / "calibration.json").string();
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if ((!cache || !*cache) && (!home || !*home))
        throw core::InputError(
            "--calibrate: there is no place for the result (neither XDG_CACHE_HOME nor HOME is "
            "set) give --out");
    const auto folder = cache && *cache ? fs::path(cache) : fs::path(home) / ".cache";
    return (folder / "ventral" / ("calibration-" + core::host_name() + ".json")).string();
}

void write_calibration(const std::string& path, const Calibration& calibration) {
    OrderedJson json = {{"host", calibration.host},
                        {"measured_at", calibration.measured_at},
                        {"kernels", calibration.kernels},
                        {"workers", calibration.workers}};
    for (const auto& [name, rate] : named_rates(calibration)) json[name] = *rate;
    const auto folder = fs::path(path).parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw core::InputError(folder.string() + ": cannot be made (" + error.message() +
                               ") name a folder that can be written with --out");
    io::write_file_durably(path, json.dump(2) + "\n");
}

std::optional<Calibration> read_calibration(const std::string& path) {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    const std::string text(std::istreambuf_iterator<char>(file), {});
    try {
        return calibration_from(OrderedJson::parse(text));
    } catch (const std::exception& error) {
        core::log_warning(path + ": is not used (" + io::json_problem(error, text) +
                          ") measure again: ventral plan --calibrate");
        return std::nullopt;
    }
}

}  // namespace ventral::pipeline
