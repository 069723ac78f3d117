#include <limits>

#include <netcdf.h>

#include "io/disk/durable_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "io/netcdf/netcdf_file.hpp"
#include "io/netcdf/netcdf_layout.hpp"

namespace ventral::io {
namespace {

/// Where an assembly goes: an open file, and the group (or the file itself) in it.
struct Place {
    const NetcdfFile& file;
    int group;

    void check(int status, const std::string& doing) const {
        check_netcdf(status, file.path(), doing);
    }
};

nc_type type_of(const core::Values& values) {
    constexpr nc_type types[] = {NC_FLOAT, NC_DOUBLE, NC_INT64, NC_STRING};
    return types[values.index()];
}

void put_attribute(const Place& place, int variable, const std::string& name,
                   const core::Attribute& value) {
    const auto doing = "write the attribute '" + name + "'";
    if (const auto* text = std::get_if<std::string>(&value)) {
        place.check(
            nc_put_att_text(place.group, variable, name.c_str(), text->size(), text->data()),
            doing);
    } else if (const auto* real = std::get_if<double>(&value)) {
        place.check(nc_put_att_double(place.group, variable, name.c_str(), NC_DOUBLE, 1, real),
                    doing);
    } else {
        const long integer = std::get<std::int64_t>(value);
        place.check(nc_put_att_long(place.group, variable, name.c_str(), NC_INT64, 1, &integer),
                    doing);
    }
}

int define(const Place& place, const std::string& name, const std::vector<int>& dims,
           const core::Values& values) {
    int id = 0;
    place.check(nc_def_var(place.group, name.c_str(), type_of(values),
                           static_cast<int>(dims.size()), dims.data(), &id),
                "define the variable '" + name + "'");
    if (std::holds_alternative<std::vector<float>>(values)) {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        place.check(nc_def_var_fill(place.group, id, NC_FILL, &nan), "set the fill value");
    } else if (std::holds_alternative<std::vector<double>>(values)) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        place.check(nc_def_var_fill(place.group, id, NC_FILL, &nan), "set the fill value");
    }
    const bool has_fixed_size = !std::holds_alternative<std::vector<std::string>>(values);
    if (has_fixed_size && !dims.empty() && core::value_count(values) > 0)
        place.check(nc_def_var_fletcher32(place.group, id, NC_FLETCHER32), "set the checksum");
    return id;
}

int put(const Place& place, int id, const std::vector<float>& values) {
    return nc_put_var_float(place.group, id, values.data());
}
int put(const Place& place, int id, const std::vector<double>& values) {
    return nc_put_var_double(place.group, id, values.data());
}
int put(const Place& place, int id, const std::vector<std::int64_t>& values) {
    return nc_put_var_long(place.group, id, values.data());
}
int put(const Place& place, int id, const std::vector<std::string>& values) {
    std::vector<const char*> texts;
    for (const auto& value : values) texts.push_back(value.c_str());
    return nc_put_var_string(place.group, id, texts.data());
}

void put_values(const Place& place, int id, const std::string& name, const core::Values& values) {
    if (core::value_count(values) == 0) return;
    const int status =
        std::visit([&](const auto& entries) { return put(place, id, entries); }, values);
    place.check(status, "write the variable '" + name + "'");
}

/// The netCDF dimension of each dim of the assembly; equal names are one dimension.
std::vector<int> define_dimensions(const Place& place, const core::Assembly& assembly) {
    std::vector<int> ids;
    for (const auto& dim : assembly.dims) {
        int id = 0;
        if (nc_inq_dimid(place.group, dim.name.c_str(), &id) != NC_NOERR) {
            place.check(nc_def_dim(place.group, dim.name.c_str(), dim.size, &id),
                        "define the dimension '" + dim.name + "'");
        }
        ids.push_back(id);
    }
    return ids;
}

void write_into(const Place& place, const core::Assembly& assembly) {
    require_writable(place.file.path(), assembly);
    const auto dims = define_dimensions(place, assembly);
    const int variable = define(place, assembly.name, dims, assembly.values);
    for (const auto& [name, value] : assembly.attributes) {
        put_attribute(place, variable, name, value);
    }
    const auto listed = coordinate_list(assembly);
    if (!listed.empty()) put_attribute(place, variable, "coordinates", listed);
    put_values(place, variable, assembly.name, assembly.values);
    for (const auto& coordinate : assembly.coordinates) {
        const auto dim = dims[core::dimension_index(assembly, coordinate.dim)];
        const int id = define(place, coordinate.name, {dim}, coordinate.values);
        put_values(place, id, coordinate.name, coordinate.values);
    }
}

}  // namespace

// The file is made in memory: a full disk inside netCDF leaves HDF5 unable to end the program.
void write_assembly(const std::string& path, const core::Assembly& assembly) {
    auto file = NetcdfFile::create(path);
    write_into({file, file.id()}, assembly);
    write_file_durably(path, file.close());
}

}  // namespace ventral::io
