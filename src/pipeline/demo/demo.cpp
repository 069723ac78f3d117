#include "pipeline/demo/demo.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "io/disk/durable_file.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "models/builtin/demo_network.hpp"
#include "models/network/network.hpp"
#include "models/recording/recorder.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/demo/demo_configs.hpp"
#include "pipeline/demo/simulated_brain.hpp"
#include "stimuli/demo_images.hpp"
#include "stimuli/load_stimulus.hpp"
#include "stimuli/write_png.hpp"

namespace ventral::pipeline {
namespace {

namespace fs = std::filesystem;

/// First line of the manifest; to be raised with every change of what is written.
const std::string manifest_title = "ventral demo 3";
/// How that line begins in every demo, an unfinished one included.
const std::string demo_sign = "ventral demo";

constexpr std::size_t stimulus_count = 640;
constexpr std::size_t batch_size = 64;
constexpr std::uint64_t seed = 1;
const std::string designed = "demo_designed";
const std::string random_twin = "demo_random";

bool is_file(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// What has been written, relative to the folder of the demo.
class DemoFolder {
public:
    explicit DemoFolder(std::string path) : path_(std::move(path)) {}

    std::string file(const std::string& name) const { return (fs::path(path_) / name).string(); }

    /// The path for a new file, its folder made.
    std::string add(const std::string& name) {
        std::error_code error;
        fs::create_directories(fs::path(file(name)).parent_path(), error);
        if (error)
            throw core::InputError(file(name) + ": cannot be made (" + error.message() + ")");
        written_.push_back(name);
        return file(name);
    }
    void add(const std::string& name, const std::string& contents) {
        io::write_file_durably(add(name), contents);
    }

    /// Written first, so that an unfinished demo is known as one.
    void begin() { add("manifest.txt", demo_sign + ", unfinished\n"); }

    /// Written last: what must be there, with its checksums.
    void write_manifest() const {
        std::string manifest = manifest_title + "\n";
        std::set<std::string> folders;
        for (const auto& name : written_) {
            if (name == "manifest.txt") continue;
            io::sync_file(file(name));
            folders.insert(fs::path(file(name)).parent_path().string());
            manifest += core::sha256_of_file(file(name)) + " " + name + "\n";
        }
        for (const auto& folder : folders) io::sync_folder(folder);
        io::write_file_durably(file("manifest.txt"), manifest);
    }

    bool is_demo() const { return manifest().rfind(demo_sign, 0) == 0; }

    bool is_complete() const {
        std::istringstream lines(manifest());
        std::string line;
        if (!std::getline(lines, line) || line != manifest_title) return false;
        std::string digest, name;
        bool is_whole = true;
        while (lines >> digest >> name) {
            if (!is_file(file(name)))
                is_whole = false;
            else if (core::sha256_of_file(file(name)) != digest)
                throw core::InputError(file(name) +
                                       ": is not as the demo wrote it, which does not replace it "
                                       "(changed or damaged) delete it, or choose another folder");
        }
        return is_whole;
    }

    /// The first entry that stands in the folder, or nothing.
    std::string first_entry() const {
        std::error_code error;
        const fs::directory_iterator entry(path_, error);
        return error || entry == fs::directory_iterator() ? "" : entry->path().filename().string();
    }

private:
    std::string manifest() const {
        const auto path = file("manifest.txt");
        return is_file(path) ? io::read_file(path) : "";
    }

    std::string path_;
    std::vector<std::string> written_;
};

std::vector<std::string> write_stimuli(DemoFolder& folder) {
    std::vector<std::string> stimulus_ids;
    std::string table = "stimulus_id,filename,object_name\n";
    for (std::size_t i = 0; i < stimulus_count; ++i) {
        auto number = std::to_string(i);
        number.insert(0, 3 - number.size(), '0');
        const auto identifier = "demo_" + number;
        const auto [image, object_name] = stimuli::demo_image(i, seed);
        stimuli::write_png(folder.add("data/images/" + identifier + ".png"), image);
        table += identifier + "," + identifier + ".png," + object_name + "\n";
        stimulus_ids.push_back(identifier);
    }
    folder.add("data/stimuli.csv", table);
    return stimulus_ids;
}

void write_model(DemoFolder& folder, const std::string& identifier, models::DemoWeights weights) {
    const auto path = folder.add("models/" + identifier + ".ts");
    models::write_demo_network(path, weights, seed);
    folder.add("models/" + identifier + ".toml",
               demo_model_toml({identifier, core::sha256_of_file(path)}));
}

stimuli::Preprocessing demo_preprocessing() {
    stimuli::Preprocessing preprocessing;
    preprocessing.resize = preprocessing.crop = models::demo_input_pixels;
    preprocessing.mean.fill(static_cast<float>(models::demo_input_mean));
    preprocessing.standard_deviation.fill(static_cast<float>(models::demo_input_std));
    return preprocessing;
}

/// The images as the network will see them, one after the other.
std::vector<float> load_images(const DemoFolder& folder,
                               const std::vector<std::string>& stimulus_ids, std::size_t first,
                               std::size_t count) {
    std::vector<float> batch;
    for (std::size_t i = first; i < first + count; ++i) {
        const auto file = folder.file("data/images/" + stimulus_ids[i] + ".png");
        const auto tensor = stimuli::load_stimulus(file, 8, 8, demo_preprocessing());
        batch.insert(batch.end(), tensor.begin(), tensor.end());
    }
    return batch;
}

/// What each region's layer of the designed network gives for all stimuli.
std::vector<SimulatedRegion> record_regions(const DemoFolder& folder,
                                            const std::vector<std::string>& stimulus_ids) {
    std::vector<SimulatedRegion> regions;
    std::vector<std::string> layers;
    for (const auto& [name, layer] : demo_regions()) {
        regions.push_back({name, layer, {}});
        layers.push_back(layer);
    }
    models::configure_torch();
    const auto network = models::Network::load(folder.file("models/" + designed + ".ts"));
    const models::LayerRecorder recorder(network, layers);
    static_assert(stimulus_count % batch_size == 0);
    for (std::size_t first = 0; first < stimulus_count; first += batch_size) {
        const auto outputs =
            recorder.record(load_images(folder, stimulus_ids, first, batch_size),
                            {batch_size, 3, models::demo_input_pixels, models::demo_input_pixels});
        for (std::size_t i = 0; i < regions.size(); ++i)
            regions[i].activations.insert(regions[i].activations.end(), outputs[i].values.begin(),
                                          outputs[i].values.end());
    }
    return regions;
}

void write_recordings(DemoFolder& folder, const std::vector<std::string>& stimulus_ids) {
    auto recordings = simulate_recordings(stimulus_ids, record_regions(folder, stimulus_ids),
                                          {.ceiling = demo_ceiling, .seed = seed});
    recordings.attributes = {{"identifier", "demo"}, {"stimulus_set_identifier", "demo"}};
    io::write_assembly(folder.add("data/recordings.nc"), recordings);
}

}  // namespace

void write_demo(const std::string& folder_path) {
    DemoFolder folder(folder_path);
    if (folder.is_complete()) return;
    const auto other = folder.first_entry();
    if (!other.empty() && !folder.is_demo())
        throw core::InputError(folder_path + ": is not empty and has no demo (there is '" + other +
                               "') give an empty folder or one that does not exist");
    folder.begin();
    const auto stimulus_ids = write_stimuli(folder);
    write_model(folder, designed, models::DemoWeights::designed);
    write_model(folder, random_twin, models::DemoWeights::random);
    write_recordings(folder, stimulus_ids);
    folder.add("datasets/demo.toml",
               demo_dataset_toml({core::sha1_of_file(folder.file("data/stimuli.csv")),
                                  core::sha1_of_file(folder.file("data/recordings.nc"))}));
    folder.add("benchmarks/demo.toml", demo_benchmarks_toml());
    folder.add("run.toml", demo_run_toml({designed, random_twin}));
    folder.write_manifest();
}

}  // namespace ventral::pipeline
