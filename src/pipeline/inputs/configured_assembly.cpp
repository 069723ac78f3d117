#include "pipeline/inputs/configured_assembly.hpp"

namespace ventral::pipeline {

io::AssemblyRequest configured_request(const std::string& variable) {
    io::AssemblyRequest request;
    if (!variable.empty()) request.variable = variable;
    request.variable_choice = "the key 'variable' in the TOML, { file = …, variable = … }";
    request.layer_choice = {};
    return request;
}

io::AssemblyRequest recordings_request(const benchmarks::DataFile& file) {
    auto request = configured_request(file.variable);
    request.name = file.path;
    request.renamed = file.renamed;
    return request;
}

core::Assembly read_configured(const std::string& path, const std::string& variable) {
    auto request = configured_request(variable);
    request.name = path;
    return io::read_assembly(path, request);
}

}  // namespace ventral::pipeline
