#include "io/hdf5/hdf5_attribute.hpp"

#include <algorithm>

#include <hdf5.h>

#include "core/errors.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/hdf5_types.hpp"

namespace ventral::io {
namespace {

constexpr hssize_t most_numbers = 4096;  // far more than a shape has; a damaged header may say more
constexpr std::size_t longest_text = std::size_t{1} << 26;

/// As netCDF stores an attribute of text; unlike text of variable length it lies in the header and
/// under its checksum.
Hdf5Handle fixed_text_type(const std::string& path, std::size_t length) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, path, "make a type for text");
    check_hdf5(H5Tset_size(type.id(), std::max<std::size_t>(1, length)), path,
               "make a type for text");
    check_hdf5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), path, "make a type for text");
    check_hdf5(H5Tset_cset(type.id(), H5T_CSET_UTF8), path, "make a type for text");
    return type;
}

Hdf5Handle create(const Hdf5Object& object, const std::string& name, hid_t type, hid_t space) {
    return {H5Acreate2(object.id, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
            object.path, "create the attribute '" + name + "'"};
}

Hdf5Handle open_attribute(const Hdf5Object& object, const std::string& name) {
    return {H5Aopen(object.id, name.c_str(), H5P_DEFAULT), H5Aclose, object.path,
            "find the attribute '" + name + "'"};
}

void write_value(const Hdf5Object& object, const std::string& name, const Hdf5Handle& attribute,
                 hid_t type, const void* value) {
    check_hdf5(H5Awrite(attribute.id(), type, value), object.path,
               "write the attribute '" + name + "'");
}

}  // namespace

void write_attribute(const Hdf5Object& object, const std::string& name, const std::string& text) {
    const auto type = fixed_text_type(object.path, text.size());
    const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, object.path, "make a scalar");
    write_value(object, name, create(object, name, type.id(), scalar.id()), type.id(),
                text.c_str());
}

void write_attribute(const Hdf5Object& object, const std::string& name, std::int64_t number) {
    const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, object.path, "make a scalar");
    write_value(object, name, create(object, name, H5T_NATIVE_INT64, scalar.id()), H5T_NATIVE_INT64,
                &number);
}

void write_attribute(const Hdf5Object& object, const std::string& name, double number) {
    const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, object.path, "make a scalar");
    write_value(object, name, create(object, name, H5T_NATIVE_DOUBLE, scalar.id()),
                H5T_NATIVE_DOUBLE, &number);
}

void write_attribute(const Hdf5Object& object, const std::string& name,
                     const std::vector<std::int64_t>& numbers) {
    const auto space = make_shape(object.path, {numbers.size()});
    write_value(object, name, create(object, name, H5T_NATIVE_INT64, space.id()), H5T_NATIVE_INT64,
                numbers.data());
}

void overwrite_attribute(const Hdf5Object& object, const std::string& name, std::int64_t number) {
    write_value(object, name, open_attribute(object, name), H5T_NATIVE_INT64, &number);
}

std::string read_text_attribute(const Hdf5Object& object, const std::string& name) {
    const auto attribute = open_attribute(object, name);
    const Hdf5Handle stored(H5Aget_type(attribute.id()), H5Tclose, object.path, "read a type");
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose, object.path, "read a shape");
    const auto size = H5Tget_size(stored.id());
    if (H5Tget_class(stored.id()) != H5T_STRING || H5Tis_variable_str(stored.id()) != 0 ||
        H5Sget_simple_extent_npoints(space.id()) != 1 || size > longest_text) {
        throw core::InputError(object.path + ": the attribute '" + name + "' is not a text");
    }
    std::string text(size, '\0');
    check_hdf5(H5Aread(attribute.id(), stored.id(), text.data()), object.path,
               "read the attribute '" + name + "'");
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
}

std::vector<std::int64_t> read_integers_attribute(const Hdf5Object& object,
                                                  const std::string& name) {
    const auto attribute = open_attribute(object, name);
    const Hdf5Handle stored(H5Aget_type(attribute.id()), H5Tclose, object.path, "read a type");
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose, object.path, "read a shape");
    const auto count = H5Sget_simple_extent_npoints(space.id());
    if (H5Tget_class(stored.id()) != H5T_INTEGER || count < 0 || count > most_numbers) {
        throw core::InputError(object.path + ": the attribute '" + name + "' is not of integers");
    }
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    check_hdf5(H5Aread(attribute.id(), H5T_NATIVE_INT64, numbers.data()), object.path,
               "read the attribute '" + name + "'");
    return numbers;
}

std::int64_t read_integer_attribute(const Hdf5Object& object, const std::string& name) {
    const auto numbers = read_integers_attribute(object, name);
    if (numbers.size() == 1) return numbers[0];
    throw core::InputError(object.path + ": the attribute '" + name + "' is not one integer");
}

}  // namespace ventral::io
