#include "pipeline/inputs/configured_assembly.hpp"

namespace ventral::pipeline {

io::AssemblyRequest configured_request(const std::string& variable) {
    io::AssemblyRequest request;
    if (!variable.empty()) request.variable = variable;
    request.variable_choice = "the key 'variable' in the TOML, { file = …, variable = … }";
    request.layer_choice = {};
    return request;
}

core::Assembly read_configured(const std::string& path, const std::string& variable,
                               const io::PartWanted& wanted) {
    auto request = configured_request(variable);
    request.name = path;
    return io::read_assembly(path, request, wanted);
}

}  // namespace ventral::pipeline
