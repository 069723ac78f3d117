#include "pipeline/configured_assembly.hpp"

#include "io/netcdf_assembly.hpp"

namespace ventral::pipeline {

core::Assembly read_configured(const std::string& path, const std::string& variable) {
    io::AssemblyRequest request;
    if (!variable.empty()) request.variable = variable;
    request.variable_choice = "the key 'variable' in the TOML, { file = …, variable = … }";
    request.layer_choice = {};
    auto assembly = io::read_assembly(path, request);
    assembly.name = path;
    return assembly;
}

}  // namespace ventral::pipeline
