#include "io/hdf5/hdf5_array.hpp"

#include <algorithm>

#include <hdf5.h>

#include "core/errors.hpp"
#include "core/product.hpp"
#include "io/hdf5/hdf5_types.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t chunk_entries = 65536;

/// Values in memory as HDF5 wants to be given them.
struct Entries {
    hid_t type;
    const void* first;
    const std::vector<std::size_t>& shape;
};

/// Whole rows as far as they fit.
std::vector<hsize_t> chunk_shape(const std::vector<std::size_t>& shape) {
    std::vector<hsize_t> chunk(shape.size());
    std::size_t room = chunk_entries;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        chunk[axis] = std::min(shape[axis], room);
        room = std::max<std::size_t>(1, room / chunk[axis]);
    }
    return chunk;
}

Hdf5Handle creation_list(const std::string& path, const std::vector<std::size_t>& shape,
                         Storage storage) {
    Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path, "make a property list");
    if (storage == Storage::plain || shape.empty() || core::product(shape) == 0) return list;
    const auto chunk = chunk_shape(shape);
    check_hdf5(H5Pset_chunk(list.id(), static_cast<int>(chunk.size()), chunk.data()), path,
               "set a chunk size");
    if (storage == Storage::checked) {
        check_hdf5(H5Pset_fletcher32(list.id()), path, "set a filter");
        return list;
    }
    check_hdf5(H5Pset_shuffle(list.id()), path, "set a filter");
    check_hdf5(H5Pset_deflate(list.id(), 1), path, "set a filter");
    return list;
}

Hdf5Handle write_dataset(const Hdf5Object& group, const std::string& name, const Entries& entries,
                         Storage storage) {
    const auto space = make_shape(group.path, entries.shape);
    const auto list = creation_list(group.path, entries.shape, storage);
    Hdf5Handle dataset(H5Dcreate2(group.id, name.c_str(), entries.type, space.id(), H5P_DEFAULT,
                                  list.id(), H5P_DEFAULT),
                       H5Dclose, group.path, "create the dataset '" + name + "'");
    if (core::product(entries.shape) == 0) return dataset;
    check_hdf5(H5Dwrite(dataset.id(), entries.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries.first),
               group.path, "write the dataset '" + name + "'");
    return dataset;
}

Hdf5Handle write_texts(const Hdf5Object& group, const std::string& name,
                       const std::vector<std::string>& texts,
                       const std::vector<std::size_t>& shape) {
    std::vector<const char*> characters;
    characters.reserve(texts.size());
    for (const auto& text : texts) characters.push_back(text.c_str());
    const auto type = make_text_type(group.path);
    return write_dataset(group, name, {type.id(), characters.data(), shape}, Storage::plain);
}

template <typename T>
hid_t number_type() {
    if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
    if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
    if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
}

Hdf5Handle open_array(const Hdf5Object& group, const std::string& name) {
    return {H5Dopen2(group.id, name.c_str(), H5P_DEFAULT), H5Dclose, group.path,
            "open the dataset '" + name + "'"};
}

std::size_t array_size(const Hdf5Object& group, const std::string& name, const Hdf5Handle& dataset,
                       std::size_t entry_size) {
    const auto shape = shape_of(group.path, dataset.id());
    if (shape.size() != 1) {
        throw core::InputError(group.path + ": the dataset '" + name + "' is not a list");
    }
    require_plausible_size(group.path, shape[0], entry_size);
    return shape[0];
}

}  // namespace

Hdf5Handle write_array(const Hdf5Object& group, const std::string& name, const ShapedValues& array,
                       Storage storage) {
    return std::visit(
        [&](const auto& entries) {
            using Entry = typename std::decay_t<decltype(entries)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>) {
                return write_texts(group, name, entries, array.shape);
            } else {
                return write_dataset(group, name,
                                     {number_type<Entry>(), entries.data(), array.shape}, storage);
            }
        },
        array.values);
}

Hdf5Handle write_array(const Hdf5Object& group, const std::string& name, const core::Values& values,
                       Storage storage) {
    return write_array(group, name, {values, {core::value_count(values)}}, storage);
}

std::vector<double> read_doubles(const Hdf5Object& group, const std::string& name) {
    const auto dataset = open_array(group, name);
    std::vector<double> values(array_size(group, name, dataset, sizeof(double)));
    if (values.empty()) return values;
    check_hdf5(
        H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        group.path, "read the dataset '" + name + "'");
    return values;
}

std::vector<std::string> read_texts(const Hdf5Object& group, const std::string& name) {
    const auto dataset = open_array(group, name);
    const Hdf5Handle stored(H5Dget_type(dataset.id()), H5Tclose, group.path, "read a type");
    if (H5Tis_variable_str(stored.id()) <= 0) {
        throw core::InputError(group.path + ": the dataset '" + name + "' is not of text");
    }
    std::vector<char*> characters(array_size(group, name, dataset, sizeof(char*)), nullptr);
    if (characters.empty()) return {};
    const auto type = make_text_type(group.path);
    check_hdf5(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()),
               group.path, "read the dataset '" + name + "'");
    std::vector<std::string> texts;
    for (char* text : characters) {
        texts.emplace_back(text ? text : "");
        H5free_memory(text);
    }
    return texts;
}

}  // namespace ventral::io
