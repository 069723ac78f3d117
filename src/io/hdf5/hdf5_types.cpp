#include "io/hdf5/hdf5_types.hpp"

#include <hdf5.h>

namespace ventral::io {

Hdf5Handle make_text_type(const std::string& path) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, path, "make a type for text");
    check_hdf5(H5Tset_size(type.id(), H5T_VARIABLE), path, "make a type for text");
    check_hdf5(H5Tset_cset(type.id(), H5T_CSET_UTF8), path, "make a type for text");
    return type;
}

Hdf5Handle make_shape(const std::string& path, const std::vector<std::size_t>& shape) {
    const std::vector<hsize_t> sizes(shape.begin(), shape.end());
    return {H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose, path,
            "make a shape"};
}

std::vector<std::size_t> shape_of(const std::string& path, std::int64_t dataset) {
    const Hdf5Handle space(H5Dget_space(dataset), H5Sclose, path, "read the shape of a dataset");
    const int rank = H5Sget_simple_extent_ndims(space.id());
    check_hdf5(rank, path, "read the shape of a dataset");
    std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
    check_hdf5(H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr), path,
               "read the shape of a dataset");
    return {sizes.begin(), sizes.end()};
}

ChunkLayout chunk_layout_of(const std::string& path, std::int64_t dataset) {
    const Hdf5Handle list(H5Dget_create_plist(dataset), H5Pclose, path, "read the chunks");
    std::vector<hsize_t> chunk(shape_of(path, dataset).size());
    const auto rank = static_cast<int>(chunk.size());
    if (H5Pget_layout(list.id()) != H5D_CHUNKED ||
        H5Pget_chunk(list.id(), rank, chunk.data()) != rank)
        chunk.clear();
    return {{chunk.begin(), chunk.end()}, H5Pget_nfilters(list.id())};
}

}  // namespace ventral::io
