#include "io/hdf5/fixed_strings.hpp"

#include <hdf5.h>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/steady_size.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

/// Size of a string of the type, or 0 if it is not a string of fixed length. One byte is the
/// character of netCDF, which netCDF reads well.
std::size_t fixed_length(hid_t type) {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    const auto size = H5Tget_size(type);
    return size > 1 ? size : 0;
}

std::string without_padding(const char* text, std::size_t length, H5T_str_t padding) {
    std::string result(text, length);
    const auto end = padding == H5T_STR_SPACEPAD ? result.find_last_not_of(' ') + 1
                                                 : std::min(result.find('\0'), length);
    result.resize(end);
    return result;
}

std::vector<std::string> read_strings(const std::string& path, hid_t dataset, hid_t type) {
    const Hdf5Handle space(H5Dget_space(dataset), H5Sclose, path, "read a dataset's shape");
    const auto count = H5Sget_simple_extent_npoints(space.id());
    check_hdf5(count, path, "read a dataset's shape");
    const auto length = fixed_length(type);
    const auto entries = static_cast<std::size_t>(count);
    require_plausible_size(path, entries, length);
    std::vector<char> bytes(entries * length);
    check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), path,
               "read the strings of a dataset");
    std::vector<std::string> strings;
    for (std::size_t i = 0; i < entries; ++i) {
        strings.push_back(without_padding(bytes.data() + i * length, length, H5Tget_strpad(type)));
    }
    return strings;
}

std::vector<std::string> dataset_names(const std::string& path, hid_t group) {
    std::vector<std::string> names;
    const auto collect = [](hid_t place, const char* name, const H5L_info_t* link,
                            void* out) -> herr_t {
        H5O_info_t object;
        if (link->type != H5L_TYPE_HARD) return 0;
        if (H5Oget_info_by_name1(place, name, &object, H5P_DEFAULT) < 0) return -1;
        if (object.type == H5O_TYPE_DATASET) {
            static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        }
        return 0;
    };
    check_hdf5(H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect, &names), path,
               "list the contents");
    return names;
}

}  // namespace

std::map<std::string, std::vector<std::string>> read_fixed_strings(const std::string& path,
                                                                   const std::string& group) {
    prepare_hdf5();
    const auto is_hdf5 = H5Fis_hdf5(path.c_str());
    check_hdf5(is_hdf5, path, "open it");
    if (is_hdf5 == 0) return {};
    const SteadySize size(path);
    const auto file = open_hdf5(path);
    if (group != "/" && H5Lexists(file.id(), group.c_str(), H5P_DEFAULT) <= 0) return {};
    const Hdf5Handle place(H5Gopen2(file.id(), group.c_str(), H5P_DEFAULT), H5Gclose, path,
                           "open the group '" + group + "'");
    std::map<std::string, std::vector<std::string>> found;
    for (const auto& name : dataset_names(path, place.id())) {
        const Hdf5Handle dataset(H5Dopen2(place.id(), name.c_str(), H5P_DEFAULT), H5Dclose, path,
                                 "open the dataset '" + name + "'");
        const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose, path,
                              "read the type of '" + name + "'");
        if (fixed_length(type.id()) > 0) found[name] = read_strings(path, dataset.id(), type.id());
    }
    size.require(path);
    return found;
}

}  // namespace ventral::io
