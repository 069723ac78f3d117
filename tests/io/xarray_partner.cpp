/// @file
/// The C++ side of read_with_xarray.py: prints assemblies as JSON, copies them, also into a group,
/// and writes a file of activations.

#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "comm/communicator.hpp"
#include "io/activations/activations_writer.hpp"
#include "io/netcdf/assemblies_writer.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace {

using namespace ventral;
using nlohmann::json;

json values_json(const core::Values& values) {
    json texts = json::array();
    for (std::size_t i = 0; i < core::value_count(values); ++i)
        texts.push_back(core::text(values, i));
    return {{"type", core::type_name(values)}, {"texts", texts}};
}

json assembly_json(const core::Assembly& assembly) {
    json result{{"name", assembly.name}, {"values", values_json(assembly.values)}};
    result["dims"] = json::array();
    for (const auto& dim : assembly.dims) result["dims"].push_back({dim.name, dim.size});
    result["coordinates"] = json::object();
    for (const auto& coordinate : assembly.coordinates) {
        result["coordinates"][coordinate.name] = values_json(coordinate.values);
        result["coordinates"][coordinate.name]["dim"] = coordinate.dim;
    }
    result["attributes"] = json::object();
    for (const auto& [name, value] : assembly.attributes) {
        std::visit([&, &key = name](const auto& one) { result["attributes"][key] = one; }, value);
    }
    return result;
}

/// Seven stimuli in batches of four, two layers, activation = 100 · row + feature.
void write_activations(const std::string& path, int compression) {
    const auto comm = comm::make_serial();
    io::ActivationsHeader header;
    header.key = "0123abc";
    header.provenance = {{"commit", "deadbeef"}};
    header.layers = {{"features.5", {3, 2, 2}}, {"logits", {5}}};
    header.batch_size = 4;
    header.compression = compression;
    std::vector<std::string> names;
    std::vector<double> sizes;
    for (int i = 0; i < 7; ++i) {
        header.stimuli.stimulus_ids.push_back("s" + std::to_string(i));
        names.push_back(i % 2 ? "dög" : "");
        sizes.push_back(i / 2.0);
    }
    header.stimuli.columns = {{"object_name", names}, {"size", sizes}};
    io::ActivationsWriter writer(path, *comm, header);
    for (std::size_t layer = 0; layer < header.layers.size(); ++layer) {
        for (std::size_t first = 0; first < 7; first += 4) {
            std::vector<float> values;
            for (std::size_t row = first; row < std::min<std::size_t>(first + 4, 7); ++row)
                for (std::size_t i = 0; i < io::feature_count(header.layers[layer]); ++i)
                    values.push_back(static_cast<float>(row * 100 + i));
            writer.write_rows(layer, first, values);
        }
    }
    writer.finish();
}

int run(const std::vector<std::string>& words) {
    if (words.size() >= 2 && words[0] == "print") {
        io::AssemblyRequest request;
        if (words.size() > 2) request.layer = words[2];
        std::cout << assembly_json(io::read_assembly(words[1], request)) << '\n';
        return 0;
    }
    if (words.size() == 3 && words[0] == "copy") {
        io::write_assembly(words[2], io::read_assembly(words[1]));
        return 0;
    }
    if (words.size() == 3 && words[0] == "group") {
        io::AssembliesWriter writer(words[2]);
        writer.add(io::read_assembly(words[1]));
        writer.commit();
        return 0;
    }
    if (words.size() == 3 && words[0] == "activations") {
        write_activations(words[1], std::stoi(words[2]));
        return 0;
    }
    std::cerr << "usage: io_xarray_partner print FILE [LAYER] | copy FROM TO | group FROM TO | "
                 "activations FILE LEVEL\n";
    return 1;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run({words + 1, words + count});
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
