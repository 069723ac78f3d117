#include "io/netcdf/netcdf_variable.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <netcdf.h>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/netcdf_packing.hpp"

namespace ventral::io {
namespace {

bool is_integer(int type) {
    return type == NC_BYTE || type == NC_UBYTE || type == NC_SHORT || type == NC_USHORT ||
           type == NC_INT || type == NC_UINT || type == NC_INT64 || type == NC_UINT64;
}

core::Dimension read_dimension(const NetcdfFile& file, int group, int id) {
    char name[NC_MAX_NAME + 1] = {};
    std::size_t size = 0;
    check_netcdf(nc_inq_dim(group, id, name, &size), file.path(), "read a dimension");
    return {name, size};
}

NetcdfVariable describe(const NetcdfFile& file, int group, int id) {
    char name[NC_MAX_NAME + 1] = {};
    std::array<int, NC_MAX_VAR_DIMS> dims;
    int dim_count = 0;
    NetcdfVariable variable;
    variable.id = id;
    check_netcdf(nc_inq_var(group, id, name, &variable.type, &dim_count, dims.data(), nullptr),
                 file.path(), "read the header of a variable");
    variable.name = name;
    for (int i = 0; i < dim_count; ++i) {
        variable.dims.push_back(read_dimension(file, group, dims[static_cast<std::size_t>(i)]));
    }
    if (variable.type == NC_CHAR && dim_count > 0) {
        variable.string_length = variable.dims.back().size;
        variable.dims.pop_back();
    }
    return variable;
}

/// The C strings that netCDF allocates, freed with this.
struct NetcdfStrings {
    explicit NetcdfStrings(std::size_t count) : texts(count, nullptr) {}
    ~NetcdfStrings() { nc_free_string(texts.size(), texts.data()); }
    NetcdfStrings(const NetcdfStrings&) = delete;
    NetcdfStrings& operator=(const NetcdfStrings&) = delete;

    std::vector<std::string> strings() const {
        std::vector<std::string> result;
        for (const char* text : texts) result.emplace_back(text ? text : "");
        return result;
    }

    std::vector<char*> texts;
};

std::vector<std::string> read_characters(const NetcdfFile& file, int group,
                                         const NetcdfVariable& variable, std::size_t count) {
    const auto length = std::max<std::size_t>(1, variable.string_length);
    std::vector<char> bytes(count * length);
    file.check_read(nc_get_var_text(group, variable.id, bytes.data()),
                    "read the variable '" + variable.name + "'");
    std::vector<std::string> strings;
    for (std::size_t i = 0; i < count; ++i) {
        std::string_view text(bytes.data() + i * length, length);
        strings.emplace_back(text.substr(0, text.find_last_not_of('\0') + 1));
    }
    return strings;
}

/// Reads into `values`, which has the right size, with one of netCDF's typed functions.
template <typename T, typename Read>
std::vector<T> read_numbers(const NetcdfFile& file, int group, const NetcdfVariable& variable,
                            std::size_t count, Read read) {
    std::vector<T> values(count);
    if (count == 0) return values;
    file.check_read(read(group, variable.id, values.data()),
                    "read the variable '" + variable.name + "'");
    return values;
}

core::Values read_strings(const NetcdfFile& file, int group, const NetcdfVariable& variable,
                          std::size_t count) {
    if (count == 0) return std::vector<std::string>{};
    if (variable.type == NC_CHAR) return read_characters(file, group, variable, count);
    NetcdfStrings strings(count);
    file.check_read(nc_get_var_string(group, variable.id, strings.texts.data()),
                    "read the variable '" + variable.name + "'");
    return strings.strings();
}

template <typename T>
core::Attribute one_or_text(const std::vector<T>& values) {
    if (values.size() == 1) return values[0];
    std::string text;
    for (const auto value : values) {
        text += text.empty() ? "[" : ", ";
        if constexpr (std::is_floating_point_v<T>) {
            text += core::number_text(value);
        } else {
            text += std::to_string(value);
        }
    }
    return text.empty() ? "[]" : text + "]";
}

std::optional<core::Attribute> read_attribute(const NetcdfFile& file, int group, int variable,
                                              const std::string& name) {
    nc_type type = 0;
    std::size_t length = 0;
    const auto doing = "read the attribute '" + name + "'";
    check_netcdf(nc_inq_att(group, variable, name.c_str(), &type, &length), file.path(), doing);
    require_plausible_size(file.path(), length, sizeof(double));
    if (type == NC_CHAR) {
        std::string text(length, '\0');
        check_netcdf(nc_get_att_text(group, variable, name.c_str(), text.data()), file.path(),
                     doing);
        text.resize(text.find_last_not_of('\0') + 1);
        return text;
    }
    if (type == NC_STRING) {
        NetcdfStrings strings(length);
        check_netcdf(nc_get_att_string(group, variable, name.c_str(), strings.texts.data()),
                     file.path(), doing);
        return core::joined(strings.strings());
    }
    if (type == NC_FLOAT || type == NC_DOUBLE || type == NC_UINT64) {
        std::vector<double> values(length);
        check_netcdf(nc_get_att_double(group, variable, name.c_str(), values.data()), file.path(),
                     doing);
        return one_or_text(values);
    }
    if (!is_integer(type)) return std::nullopt;
    std::vector<std::int64_t> values(length);
    check_netcdf(nc_get_att_long(group, variable, name.c_str(), values.data()), file.path(), doing);
    return one_or_text(values);
}

/// Of a type whose values int64 can hold, also those that stand for none.
bool fits_int64(int type) { return is_integer(type) && type != NC_UINT64; }

bool none_missing(const std::vector<std::int64_t>& values, const Packing& packing) {
    return std::none_of(values.begin(), values.end(), [&](auto value) {
        return packing.is_missing(packing.in_range(static_cast<double>(value)));
    });
}

template <typename T>
void require_none_filled(const NetcdfFile& file, const NetcdfVariable& variable,
                         std::span<const T> values, T fill) {
    const auto found = std::find(values.begin(), values.end(), fill);
    if (found == values.end()) return;
    const auto count = static_cast<std::size_t>(std::count(found, values.end(), fill));
    throw core::InputError(
        file.path() + ": '" + variable.name + "' has " + core::counted(count, "value") +
        " that netCDF has never written (" + core::number_text(fill) + ", the first is number " +
        std::to_string(found - values.begin() + 1) + " of the " + std::to_string(values.size()) +
        " that were read) write them, as NaN where there are none, or give the "
        "variable the attribute _FillValue");
}

}  // namespace

std::vector<NetcdfVariable> list_variables(const NetcdfFile& file, int group) {
    int count = 0;
    check_netcdf(nc_inq_nvars(group, &count), file.path(), "list the variables");
    std::vector<NetcdfVariable> variables;
    for (int id = 0; id < count; ++id) variables.push_back(describe(file, group, id));
    return variables;
}

std::size_t entry_count(const NetcdfFile& file, const NetcdfVariable& variable) {
    std::size_t count = 1;
    for (const auto& dim : variable.dims) {
        if (dim.size == 0) return 0;
        require_plausible_size(file.path(), count, dim.size);
        count *= dim.size;
    }
    require_plausible_size(file.path(), count, std::max<std::size_t>(8, variable.string_length));
    return count;
}

bool is_readable(const NetcdfVariable& variable) {
    const auto type = variable.type;
    return is_integer(type) || type == NC_FLOAT || type == NC_DOUBLE || is_text(variable);
}

bool is_text(const NetcdfVariable& variable) {
    return variable.type == NC_CHAR || variable.type == NC_STRING;
}

Attributes read_attributes(const NetcdfFile& file, int group,
                           const std::optional<NetcdfVariable>& variable) {
    const int id = variable ? variable->id : NC_GLOBAL;
    int count = 0;
    check_netcdf(variable ? nc_inq_varnatts(group, id, &count) : nc_inq_natts(group, &count),
                 file.path(), "count the attributes");
    Attributes attributes;
    for (int i = 0; i < count; ++i) {
        char name[NC_MAX_NAME + 1] = {};
        check_netcdf(nc_inq_attname(group, id, i, name), file.path(), "read an attribute's name");
        if (auto value = read_attribute(file, group, id, name)) {
            attributes.emplace(name, std::move(*value));
        }
    }
    return attributes;
}

core::Values read_values(const NetcdfFile& file, int group, const NetcdfVariable& variable) {
    const auto count = entry_count(file, variable);
    if (is_text(variable)) {
        return read_strings(file, group, variable, count);
    }
    auto packing = read_packing(file, group, variable);
    if (variable.type == NC_FLOAT) {
        auto values = read_numbers<float>(file, group, variable, count, nc_get_var_float);
        packing.decode(values);
        return values;
    }
    if (packing.keeps_integers() ? variable.type != NC_DOUBLE
                                 : fits_int64(variable.type) && packing.keeps_present_integers()) {
        auto values = read_numbers<std::int64_t>(file, group, variable, count, nc_get_var_long);
        if (none_missing(values, packing)) {
            packing.missing.clear();
            packing.decode(values);
            return values;
        }
    }
    auto values = read_numbers<double>(file, group, variable, count, nc_get_var_double);
    packing.decode(values);
    return values;
}

void require_written(const NetcdfFile& file, const NetcdfVariable& variable,
                     std::span<const float> values) {
    require_none_filled(file, variable, values, NC_FILL_FLOAT);
}

void require_written(const NetcdfFile& file, const NetcdfVariable& variable,
                     std::span<const double> values) {
    require_none_filled(file, variable, values, NC_FILL_DOUBLE);
}

bool is_encoding(const std::string& attribute) {
    static constexpr std::array names{"_FillValue", "missing_value", "scale_factor", "add_offset",
                                      "_Unsigned",  "coordinates",   "dtype",        "_Encoding"};
    return std::find(names.begin(), names.end(), attribute) != names.end();
}

}  // namespace ventral::io
