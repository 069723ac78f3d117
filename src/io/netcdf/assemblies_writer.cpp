#include "io/netcdf/assemblies_writer.hpp"

#include <limits>
#include <map>

#include "core/errors.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_attribute.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/netcdf/netcdf_layout.hpp"

namespace ventral::io {
namespace {

/// One assembly and the open group that it goes into.
class GroupWriter {
public:
    GroupWriter(const Hdf5Object& group, const core::Assembly& assembly)
        : group_(group), assembly_(assembly) {}

    void write() {
        for (const auto& dim : assembly_.dims)
            if (scales_.count(dim.name) == 0) scales_[dim.name] = make_scale(dim);
        write_variable();
        for (const auto& coordinate : assembly_.coordinates)
            if (coordinate.name != coordinate.dim)
                attach_dimension(group_.path, write_values(coordinate), scales_.at(coordinate.dim),
                                 0);
    }

private:
    /// A coordinate that is named as its dim is the dimension.
    Hdf5Handle make_scale(const core::Dimension& dim) const {
        const auto* values = core::find_coordinate(assembly_, dim.name, dim.name);
        if (!values) return create_dimension(group_, dim.name, dim.size);
        auto scale = write_values(*values);
        make_dimension(group_.path, scale, dim.name);
        return scale;
    }

    Hdf5Handle write_values(const core::Coordinate& coordinate) const {
        return write_array(group_, coordinate.name, coordinate.values, Storage::checked);
    }

    void write_variable() const {
        std::vector<std::size_t> shape;
        for (const auto& dim : assembly_.dims) shape.push_back(dim.size);
        const auto variable =
            write_array(group_, assembly_.name, {assembly_.values, shape}, Storage::checked);
        for (unsigned d = 0; d < assembly_.dims.size(); ++d)
            attach_dimension(group_.path, variable, scales_.at(assembly_.dims[d].name), d);
        const Hdf5Object object{variable.id(), group_.path};
        if (std::holds_alternative<std::vector<double>>(assembly_.values))
            write_attribute(object, "_FillValue", std::numeric_limits<double>::quiet_NaN());
        for (const auto& attribute : assembly_.attributes)
            std::visit([&](const auto& value) { write_attribute(object, attribute.first, value); },
                       attribute.second);
        const auto listed = coordinate_list(assembly_);
        if (!listed.empty()) write_attribute(object, "coordinates", listed);
    }

    const Hdf5Object& group_;
    const core::Assembly& assembly_;
    std::map<std::string, Hdf5Handle> scales_;
};

}  // namespace

AssembliesWriter::AssembliesWriter(const std::string& path)
    : path_(path), name_(path), output_(Hdf5Output::create(name_.path())) {}

void AssembliesWriter::add(const core::Assembly& assembly) {
    require_writable(path_, assembly);
    {
        const auto group = create_group({output_.id(), path_}, assembly.name);
        GroupWriter({group.id(), path_}, assembly).write();
    }
    output_.check();
}

void AssembliesWriter::describe(const std::string& name, const std::string& text) {
    write_attribute({output_.id(), path_}, name, text);
    output_.check();
}

void AssembliesWriter::commit() {
    output_.close();
    name_.commit();
}

std::optional<std::string> description_in(const std::string& path, const std::string& name) {
    try {
        const auto file = open_hdf5(path);
        return read_text_attribute({file.id(), path}, name);
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

}  // namespace ventral::io
