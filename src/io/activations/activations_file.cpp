#include "io/activations/activations_file.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <hdf5.h>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "core/known_names.hpp"
#include "core/product.hpp"
#include "io/activations/activations_layout.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_types.hpp"
#include "io/hdf5/survivable.hpp"

namespace ventral::io {
namespace {

std::vector<std::string> group_links(const Hdf5Object& file) {
    std::vector<std::string> names;
    const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
    };
    check_hdf5(H5Literate(file.id, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, collect, &names),
               file.path, "list the layers");
    return names;
}

void require_finished(const Hdf5Object& file) {
    const auto version = read_integer_attribute(file, "format_version");
    if (version != activations_format) {
        throw core::InputError(file.path + ": is of format version " + std::to_string(version) +
                               ", not " + std::to_string(activations_format));
    }
    if (read_integer_attribute(file, "finished") != 1) {
        throw core::InputError(file.path + ": was never finished");
    }
}

Hdf5Handle open_activations(const Hdf5Object& file, const std::string& layer) {
    const auto name = layer + "/" + activations_name;
    // Slabs are whole chunks: without a cache each is read to where it belongs, not copied twice.
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, file.path,
                            "make a property list");
    check_hdf5(H5Pset_chunk_cache(access.id(), 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT), file.path,
               "read without a cache");
    return {H5Dopen2(file.id, name.c_str(), access.id()), H5Dclose, file.path,
            "open the layer '" + layer + "'"};
}

LayerShape read_shape(const Hdf5Object& file, const std::string& layer) {
    const auto group = open_layer_group(file, layer);
    return {layer, read_integers_attribute({group.id(), file.path}, "shape")};
}

/// Whether every chunk of a compressed dataset is in the file. Others have their places from the
/// start.
bool has_all_chunks(const Hdf5Object& file, const Hdf5Handle& dataset) {
    const auto shape = shape_of(file.path, dataset.id());
    const auto chunk = chunk_layout_of(file.path, dataset.id()).chunk;
    if (chunk.empty() || std::count(chunk.begin(), chunk.end(), std::size_t{0}) > 0) return false;
    hsize_t found = 0, wanted = 1;
    const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose, file.path, "read the chunks");
    check_hdf5(H5Dget_num_chunks(dataset.id(), space.id(), &found), file.path, "count the chunks");
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        wanted *= core::ceil_divide<hsize_t>(shape[axis], chunk[axis]);
    return found == wanted;
}

bool is_compressed(const Hdf5Object& file, const Hdf5Handle& dataset) {
    return chunk_layout_of(file.path, dataset.id()).filters > 0;
}

/// Throws unless the dataset is `outer` × features, in float32, with all of its bytes in the file.
void require_whole(const Hdf5Object& file, const LayerShape& layer, const Hdf5Handle& dataset,
                   const std::vector<std::size_t>& outer) {
    const auto shape = shape_of(file.path, dataset.id());
    const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose, file.path, "read a type");
    const bool is_float = H5Tequal(type.id(), H5T_IEEE_F32LE) > 0;
    const auto stored = H5Dget_storage_size(dataset.id());
    const auto features = feature_count(layer);
    auto wanted = outer;
    wanted.push_back(features);
    if (is_float && shape == wanted &&
        (is_compressed(file, dataset)
             ? has_all_chunks(file, dataset)
             : stored / sizeof(float) / features >= core::product(outer)) &&
        stored <= std::filesystem::file_size(file.path)) {
        return;
    }
    throw core::InputError(file.path + ": the activations of layer '" + layer.name +
                           "' are not whole (damaged)");
}

/// Those of a layer; none if its activations have no such dimension.
core::TimeBins read_time_bins(const Hdf5Object& file, const std::string& layer,
                              const Hdf5Handle& dataset) {
    constexpr std::size_t dims_in_time = 3;
    const auto shape = shape_of(file.path, dataset.id());
    if (shape.size() != dims_in_time) return {};
    const auto starts = read_doubles(file, layer + "/" + time_bin_start_name);
    const auto ends = read_doubles(file, layer + "/" + time_bin_end_name);
    if (starts.size() != shape[1] || ends.size() != shape[1] || starts.empty())
        throw core::InputError(file.path + ": the time bins of layer '" + layer +
                               "' are not whole (damaged)");
    core::TimeBins bins;
    for (std::size_t i = 0; i < starts.size(); ++i) bins.push_back({starts[i], ends[i]});
    return bins;
}

}  // namespace

bool is_activations_file(const std::string& path) {
    const auto file = open_hdf5(path);
    const auto has = [&](const char* name) {
        const auto found = H5Aexists(file.id(), name);
        check_hdf5(found, path, std::string("look for the attribute '") + name + "'");
        return found > 0;
    };
    return has("format_version") && has("finished");
}

ActivationsFile::ActivationsFile(std::string path, ReadAgain again)
    : path_(std::move(path)), again_(again), size_(path_), file_(open_hdf5(path_)) {
    const Hdf5Object file{file_.id(), path_};
    require_finished(file);
    for (const auto& name : group_links(file)) open_layer(name);
    if (layers_.empty()) throw core::InputError(path_ + ": has no layers");
    if (again_ == ReadAgain::yes) return;
    for (auto& dataset : datasets_) dataset.chunks = chunk_places(file, dataset.handle);
    if (std::any_of(datasets_.begin(), datasets_.end(),
                    [](const auto& dataset) { return dataset.chunks; }))
        slabs_.emplace(file);
}

void ActivationsFile::open_layer(const std::string& name) {
    const Hdf5Object file{file_.id(), path_};
    const auto& layer = layers_.emplace_back(read_shape(file, name));
    auto& dataset = datasets_.emplace_back(Dataset{open_activations(file, name), false, {}, {}});
    dataset.is_compressed = is_compressed(file, dataset.handle);
    const auto bins = read_time_bins(file, name, dataset.handle);
    if (layers_.size() == 1) {
        row_count_ = shape_of(path_, dataset.handle.id()).at(0);
        time_bins_ = bins;
    }
    if (bins != time_bins_)
        throw core::InputError(path_ + ": the time bins of layer '" + name +
                               "' are not those of layer '" + layers_.front().name + "' (damaged)");
    std::vector<std::size_t> shape{row_count_};
    if (!time_bins_.empty()) shape.push_back(time_bins_.size());
    require_whole(file, layer, dataset.handle, shape);
    if (!dataset.is_compressed) return;
    shape.push_back(feature_count(layer));
    dataset.deflated = DeflatedChunks::open(file_, path_, name + "/" + activations_name, shape);
}

std::string ActivationsFile::key() const { return read_text_attribute({file_.id(), path_}, "key"); }

std::vector<std::string> ActivationsFile::stimulus_ids() const {
    const auto read = [&] {
        return read_texts({file_.id(), path_}, layers_[0].name + "/stimulus_id");
    };
    require_survivable(path_, read);
    auto ids = read();
    size_.require(path_);
    return ids;
}

void ActivationsFile::use_threads(std::size_t threads) {
    // Few, since the plan of a run does not count them.
    constexpr std::size_t most_threads = 4;
    constexpr std::size_t most_bytes = std::size_t{8} << 20;
    std::shared_ptr<core::Workers> workers;  // of all layers, which are read one after the other
    for (auto& dataset : datasets_) {
        if (!dataset.deflated) continue;
        if (!workers) workers = make_inflaters(std::min(threads, most_threads));
        dataset.deflated->use_workers(workers, most_bytes);
    }
}

std::vector<double> ActivationsFile::visual_degrees() const {
    const auto name = layers_[0].name + "/" + degrees_name;
    const auto found = H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT);
    check_hdf5(found, path_, "look for the widths of the images");
    if (found == 0) return {};
    auto degrees = read_doubles({file_.id(), path_}, name);
    size_.require(path_);
    if (degrees.size() != row_count_)
        throw core::InputError(path_ + ": the widths of the images are not whole (damaged)");
    return degrees;
}

std::size_t ActivationsFile::chunk_rows(const std::string& layer) const {
    const auto chunk = chunk_layout_of(path_, datasets_[position(layer)].handle.id()).chunk;
    return chunk.empty() ? 1 : chunk[0];
}

void ActivationsFile::verify(const std::string& name, const std::function<void()>& on_block) const {
    constexpr std::size_t bytes_at_once = std::size_t{64} << 20;
    const auto layer = position(name);
    const auto features = feature_count(layers_[layer]);
    const auto row_width = features * std::max<std::size_t>(time_bins_.size(), 1);
    // Whole chunks: of a compressed one each part costs as much as all of it.
    const auto rows_of_chunk = chunk_rows(name);
    const auto chunk_bytes = rows_of_chunk * row_width * sizeof(float);
    const auto rows_at_once = rows_of_chunk * std::max<std::size_t>(1, bytes_at_once / chunk_bytes);
    std::vector<float> rows;
    std::int64_t checksum = 0;
    for (std::size_t first = 0; first < row_count_; first += rows_at_once) {
        const auto count = std::min(rows_at_once, row_count_ - first);
        rows.resize(count * row_width);
        read_block(layer, {first, count, 0, features}, rows);
        checksum =
            (checksum + checksum_of_rows(first, row_crcs(row_width, rows))) % checksum_modulus;
        if (on_block) on_block();
    }
    const auto group = open_layer_group({file_.id(), path_}, name);
    if (read_integer_attribute({group.id(), path_}, checksum_name) != checksum)
        throw core::InputError(path_ + ": the checksum of layer '" + name + "' is wrong (damaged)");
}

const LayerShape* ActivationsFile::find(const std::string& layer) const {
    const auto found = std::find_if(layers_.begin(), layers_.end(),
                                    [&](const auto& each) { return each.name == layer; });
    return found == layers_.end() ? nullptr : &*found;
}

std::size_t ActivationsFile::position(const std::string& layer) const {
    if (const auto* found = find(layer)) return static_cast<std::size_t>(found - layers_.data());
    std::vector<std::string> names;
    for (const auto& one : layers_) names.push_back(one.name);
    throw core::InputError(path_ + ": has no layer '" + layer + "'" +
                           core::known_names(layer, names));
}

void ActivationsFile::read_columns(const std::string& layer, std::size_t first, std::size_t count,
                                   std::span<float> out) const {
    read_block(position(layer), {0, row_count_, first, count}, out);
}

void ActivationsFile::read_slabs(const std::string& layer, std::size_t first, std::size_t count,
                                 std::span<float> out) const {
    const auto at = position(layer);
    const auto values = row_count_ * std::max<std::size_t>(time_bins_.size(), 1);
    if (first % chunk_features > 0 || out.size() != values * count)
        throw std::out_of_range(path_ + ": no such slabs of layer '" + layer + "'");
    if (read_past_cache(at, first, count, out)) return;
    for (std::size_t done = 0; done < count; done += chunk_features) {
        const auto width = std::min(chunk_features, count - done);
        read_block(at, {0, row_count_, first + done, width},
                   out.subspan(values * done, values * width));
    }
}

bool ActivationsFile::read_past_cache(std::size_t layer, std::size_t first, std::size_t count,
                                      std::span<float> out) const {
    const auto& chunks = datasets_[layer].chunks;
    if (!slabs_ || !chunks) return false;
    const auto features = chunks->features;
    if (first > features || count > features - first ||
        (count % chunk_features > 0 && first + count < features))
        return false;
    try {
        return slabs_->read(*chunks, first, count, out);
    } catch (const std::system_error& error) {
        size_.require(path_);
        core::throw_system_error(
            path_ + ": cannot read activations of layer '" + layers_[layer].name + "'",
            error.code().value());
    }
}

/// False if HDF5 has to read it.
bool ActivationsFile::read_deflated(std::size_t layer, const Block& block,
                                    std::span<float> out) const {
    auto& chunks = datasets_[layer].deflated;
    if (!chunks) return false;
    try {
        const bool is_read = chunks->read(block, std::as_writable_bytes(out));
        size_.require(path_);
        return is_read;
    } catch (const core::InputError&) {
        size_.require(path_);
        throw;
    }
}

void ActivationsFile::read_block(std::size_t layer, const Part& part, std::span<float> out) const {
    const auto all_features = feature_count(layers_[layer]);
    const auto bins = part.time_bin ? 1 : std::max<std::size_t>(time_bins_.size(), 1);
    if (out.size() != part.rows * bins * part.features || part.first_row > row_count_ ||
        (part.time_bin && *part.time_bin >= time_bins_.size()) ||
        part.rows > row_count_ - part.first_row || part.first_feature > all_features ||
        part.features > all_features - part.first_feature) {
        throw std::out_of_range(path_ + ": no such part of layer '" + layers_[layer].name + "'");
    }
    if (out.empty()) return;
    std::vector<hsize_t> start{part.first_row, part.first_feature};
    std::vector<hsize_t> count{part.rows, part.features};
    if (!time_bins_.empty()) {
        start.insert(start.begin() + 1, part.time_bin.value_or(0));
        count.insert(count.begin() + 1, bins);
    }
    const auto doing = "read activations of layer '" + layers_[layer].name + "'";
    if (read_deflated(layer, {{start.begin(), start.end()}, {count.begin(), count.end()}}, out))
        return;
    const Hdf5Handle space(H5Dget_space(datasets_[layer].handle.id()), H5Sclose, path_, doing);
    const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                            H5Sclose, path_, doing);
    check_hdf5(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                   nullptr),
               path_, doing);
    const double start_s = thread_seconds();
    const auto status = H5Dread(datasets_[layer].handle.id(), H5T_NATIVE_FLOAT, memory.id(),
                                space.id(), H5P_DEFAULT, out.data());
    size_.require(path_);
    check_hdf5(status, path_, doing);
    have_read(layer, out.size_bytes(), thread_seconds() - start_s);
}

/// Where the pages of what is read once cost much, the next ones take the same.
void ActivationsFile::have_read(std::size_t layer, std::size_t bytes, double seconds) const {
    if (again_ == ReadAgain::yes || datasets_[layer].is_compressed) return;
    cost_.add(bytes, seconds);
    if (!cost_.is_high()) return;
    void* descriptor = nullptr;
    if (H5Fget_vfd_handle(file_.id(), H5P_DEFAULT, &descriptor) < 0 || !descriptor) return;
    const int file = *static_cast<const int*>(descriptor);
    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);  // nothing is read that is not asked for
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace ventral::io
