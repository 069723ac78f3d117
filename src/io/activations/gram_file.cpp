#include "io/activations/gram_file.hpp"

#include <span>
#include <stdexcept>

#include <hdf5.h>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "io/disk/durable_file.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_output.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

constexpr std::int64_t format_version = 3;

bool has_consistent_sizes(const GramCheckpoint& gram) {
    const auto n = gram.rows;
    const bool has_kernel = gram.packed.size() == n * (n + 1) / 2;
    return (has_kernel || (gram.packed.empty() && gram.features < n)) &&
           gram.centred_times_mean.size() == n && gram.row_sums.size() == n &&
           gram.row_extremes.size() == 2 * n &&
           gram.centred_features.size() == (gram.features < n ? n * gram.features : 0);
}

template <typename T>
std::int64_t crc_of(const std::vector<T>& values) {
    return core::crc32c(std::as_bytes(std::span(values)));
}

template <typename T>
void write_checked(const Hdf5Object& file, const std::string& name, const std::vector<T>& values) {
    const auto dataset = write_array(file, name, values);
    write_attribute({dataset.id(), file.path}, "crc32c", crc_of(values));
}

template <typename T>
std::vector<T> checked(const Hdf5Object& file, const std::string& name, std::vector<T> values) {
    const Hdf5Handle dataset(H5Dopen2(file.id, name.c_str(), H5P_DEFAULT), H5Dclose, file.path,
                             "open the dataset '" + name + "'");
    if (read_integer_attribute({dataset.id(), file.path}, "crc32c") != crc_of(values)) {
        throw core::InputError(file.path + ": the CRC of '" + name + "' is wrong (damaged)");
    }
    return values;
}

std::vector<double> checked_doubles(const Hdf5Object& file, const std::string& name) {
    return checked(file, name, read_doubles(file, name));
}

void write_members(const Hdf5Object& file, const GramCheckpoint& gram) {
    write_attribute(file, "rows", static_cast<std::int64_t>(gram.rows));
    write_attribute(file, "features", static_cast<std::int64_t>(gram.features));
    write_attribute(file, "has_kernel", std::int64_t{!gram.packed.empty()});
    if (!gram.packed.empty()) write_checked(file, "packed", gram.packed);
    write_checked(file, "centred_times_mean", gram.centred_times_mean);
    write_checked(file, "mean_squared", std::vector<double>{gram.mean_squared});
    write_checked(file, "row_sums", gram.row_sums);
    write_checked(file, "row_extremes", gram.row_extremes);
    if (!gram.centred_features.empty())
        write_checked(file, "centred_features", gram.centred_features);
}

GramCheckpoint read_members(const Hdf5Object& file) {
    GramCheckpoint gram;
    gram.rows = static_cast<std::size_t>(read_integer_attribute(file, "rows"));
    gram.features = static_cast<std::size_t>(read_integer_attribute(file, "features"));
    if (read_integer_attribute(file, "has_kernel") != 0)
        gram.packed = checked_doubles(file, "packed");
    gram.centred_times_mean = checked_doubles(file, "centred_times_mean");
    const auto mean_squared = checked_doubles(file, "mean_squared");
    gram.row_sums = checked_doubles(file, "row_sums");
    gram.row_extremes = checked_doubles(file, "row_extremes");
    if (gram.features < gram.rows)
        gram.centred_features = checked_doubles(file, "centred_features");
    if (mean_squared.size() != 1 || !has_consistent_sizes(gram)) {
        throw core::InputError(file.path + ": the sizes of its arrays contradict each other");
    }
    gram.mean_squared = mean_squared[0];
    return gram;
}

void require_same(const std::string& path, const std::string& what, const std::string& found,
                  const std::string& wanted) {
    if (found == wanted) return;
    throw core::InputError(path + ": is of " + what + " " + found + ", not " + wanted);
}

}  // namespace

void write_gram(const std::string& path, const std::string& key,
                const std::map<std::string, std::string>& provenance, const GramCheckpoint& gram) {
    if (!has_consistent_sizes(gram)) throw std::invalid_argument("write_gram: sizes differ");
    TemporaryName name(path);
    auto output = Hdf5Output::create(name.path());
    const Hdf5Object file{output.id(), name.path()};
    write_attribute(file, "format_version", format_version);
    write_attribute(file, "key", key);
    for (const auto& [field, text] : provenance) write_attribute(file, "provenance." + field, text);
    write_members(file, gram);
    output.close();
    name.commit();
}

std::optional<GramCheckpoint> read_gram(const std::string& path, const std::string& key) {
    if (is_surely_absent(path)) return std::nullopt;
    try {
        const auto handle = open_hdf5(path);
        const Hdf5Object file{handle.id(), path};
        require_same(path, "format version",
                     std::to_string(read_integer_attribute(file, "format_version")),
                     std::to_string(format_version));
        require_same(path, "key", read_text_attribute(file, "key"), key);
        return read_members(file);
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) + "; the Gram is computed again");
        return std::nullopt;
    }
}

}  // namespace ventral::io
