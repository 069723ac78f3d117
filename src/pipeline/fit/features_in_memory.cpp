#include "pipeline/fit/features_in_memory.hpp"

#include <optional>

#include "comm/run_collectively.hpp"
#include "io/disk/durable_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/extraction/extract.hpp"

namespace ventral::pipeline {

core::Assembly features_in_memory(const FeaturesRequest& request, TeamContext& context) {
    std::optional<io::TemporaryName> name;  // on the first rank
    comm::run_collectively(context.team, [&] {
        if (context.leads()) name.emplace(request.beside);
    });
    const auto path = context.team.broadcast(name ? name->path() : "", 0);
    extract({request.model, request.stimuli, {request.layer}, "not kept", path}, context);
    core::Assembly features;
    comm::run_collectively(context.team, [&] {
        if (context.leads()) features = io::read_assembly(path, {{}, request.layer});
    });
    return features;
}

}  // namespace ventral::pipeline
