#include "io/netcdf/netcdf_packing.hpp"

#include <cmath>
#include <limits>

#include <netcdf.h>

#include "core/errors.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

/// Of an integer type; 0 of all others.
int bits_of(int type) {
    switch (type) {
        case NC_BYTE:
        case NC_UBYTE:
            return 8;
        case NC_SHORT:
        case NC_USHORT:
            return 16;
        case NC_INT:
        case NC_UINT:
            return 32;
        case NC_INT64:
        case NC_UINT64:
            return 64;
        default:
            return 0;
    }
}

/// A number of an attribute, which may be of another type, in the precision of the values.
double as_stored(double number, int type) {
    const bool rounds = type == NC_FLOAT && std::abs(number) <= std::numeric_limits<float>::max();
    return rounds ? static_cast<float>(number) : number;
}

/// The numbers of an attribute, none if it is text; nothing if there is no such attribute.
std::optional<std::vector<double>> read_stated_numbers(const NetcdfFile& file, int group,
                                                       int variable, const char* name) {
    const auto doing = std::string("read the attribute '") + name + "'";
    nc_type type = 0;
    std::size_t length = 0;
    const int status = nc_inq_att(group, variable, name, &type, &length);
    if (status == NC_ENOTATT) return std::nullopt;
    check_netcdf(status, file.path(), doing);
    require_plausible_size(file.path(), length, sizeof(double));
    if (bits_of(type) == 0 && type != NC_FLOAT && type != NC_DOUBLE) return std::vector<double>{};
    std::vector<double> numbers(length);
    check_netcdf(nc_get_att_double(group, variable, name, numbers.data()), file.path(), doing);
    return numbers;
}

std::optional<double> read_one(const NetcdfFile& file, int group, const NetcdfVariable& variable,
                               const char* name) {
    const auto numbers = read_stated_numbers(file, group, variable.id, name);
    if (!numbers) return std::nullopt;
    if (numbers->size() == 1) return numbers->front();
    throw core::InputError(file.path() + ": '" + variable.name + "' has a " + name +
                           " that is not one number");
}

/// What the attribute `_Unsigned` makes of integers, if it says that their type has another sign.
std::optional<IntegerRange> stated_range(const NetcdfFile& file, int group,
                                         const NetcdfVariable& variable) {
    const int bits = bits_of(variable.type);
    const auto attributes = read_attributes(file, group, variable);
    const auto found = attributes.find("_Unsigned");
    if (bits == 0 || found == attributes.end()) return std::nullopt;
    const double count = std::ldexp(1.0, bits);
    if (found->second == core::Attribute(std::string("true"))) return IntegerRange{0, count};
    if (found->second == core::Attribute(std::string("false")))
        return IntegerRange{-count / 2, count};
    return std::nullopt;
}

}  // namespace

Packing read_packing(const NetcdfFile& file, int group, const NetcdfVariable& variable) {
    Packing packing;
    packing.range = stated_range(file, group, variable);
    for (const auto* name : {"_FillValue", "missing_value"})
        for (const double number :
             read_stated_numbers(file, group, variable.id, name).value_or(std::vector<double>{}))
            if (!std::isnan(number))
                packing.missing.push_back(packing.in_range(as_stored(number, variable.type)));
    const auto scale = read_one(file, group, variable, "scale_factor");
    const auto offset = read_one(file, group, variable, "add_offset");
    packing.scale = scale.value_or(1);
    packing.offset = offset.value_or(0);
    // xarray masks small integers in float32, and takes float64 for an offset only if it has not.
    const int bits = bits_of(variable.type);
    const bool is_small = bits > 0 && bits <= 16;
    packing.in_float32 =
        variable.type == NC_FLOAT || (is_small && (!offset || !packing.missing.empty()));
    return packing;
}

}  // namespace ventral::io
