#pragma once
/// @file
/// Labelled arrays: values along named dimensions with coordinates, as BrainIO and xarray have
/// them. Only the container and questions about it; operations stand in files of their own.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ventral::core {

/// A flat array of one of the four value types that an assembly or a coordinate may have.
using Values = std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>,
                            std::vector<std::string>>;

using Attribute = std::variant<std::string, double, std::int64_t>;

struct Dimension {
    std::string name;
    std::size_t size = 0;
};

/// Labels along one dimension; `values` has the size of that dimension.
struct Coordinate {
    std::string name;
    std::string dim;
    Values values;
};

/// An array with named dimensions. `values` is row-major over `dims`: the last dimension is
/// contiguous. Any number of dims (none is a scalar) and of coordinates, each along one dim.
struct Assembly {
    std::string name = "data";
    std::vector<Dimension> dims;
    Values values;
    std::vector<Coordinate> coordinates;
    std::map<std::string, Attribute> attributes;
};

std::size_t value_count(const Values& values);
/// "float32", "float64", "int64" or "string".
std::string type_name(const Values& values);
/// Whether they are float32 or float64.
bool are_fractions(const Values& values);
/// The entries at `positions`, in that order.
Values take(const Values& values, const std::vector<std::size_t>& positions);
/// Compares two entries of one array: numbers by value, strings by code point.
bool less(const Values& values, std::size_t left, std::size_t right);
bool equal(const Values& values, std::size_t left, std::size_t right);
/// The entry as text: strings as they are, whole numbers as integers, others in shortest form.
std::string text(const Values& values, std::size_t position);

/// Position of a dimension; throws `InputError` that lists the dimensions there are.
std::size_t dimension_index(const Assembly& assembly, const std::string& dim);
std::size_t dimension_size(const Assembly& assembly, const std::string& dim);
bool has_dimension(const Assembly& assembly, const std::string& dim);
/// Throws `InputError` unless its dimensions are presentation, neuroid and, maybe, time_bin.
void require_presentations_by_neuroids(const Assembly& assembly);

const Coordinate* find_coordinate(const Assembly& assembly, std::string_view name);
/// Only if it lies along `dim`.
const Coordinate* find_coordinate(const Assembly& assembly, std::string_view name,
                                  std::string_view dim);
/// Throws `InputError` that lists the coordinates there are.
const Coordinate& coordinate(const Assembly& assembly, std::string_view name);
/// A coordinate's entries as text, whatever its type.
std::vector<std::string> texts(const Assembly& assembly, const std::string& name);

/// Throws `InputError` if the number of values or of a coordinate's labels contradicts the dims.
void check_consistent(const Assembly& assembly);

/// The assembly at `positions` along `dim`, in that order; positions may repeat. One without values
/// has none afterwards.
Assembly take(const Assembly& assembly, const std::string& dim,
              const std::vector<std::size_t>& positions);

/// The same values with the dimensions in the order of `dims` (a permutation of all of them).
Assembly transpose(const Assembly& assembly, const std::vector<std::string>& dims);

/// Without dimension `dim`, which must have size 1, and without the coordinates along it.
Assembly squeeze(const Assembly& assembly, const std::string& dim);

/// Values as float64, converted from float32 or int64; throws `InputError` for strings.
std::vector<double> as_float64(const Values& values);

/// Positions 0 … n-1 ordered by the label tuples of `keys` (lexicographic, stable): NUMERICS 1.6.
std::vector<std::size_t> sorted_positions(const std::vector<const Values*>& keys, std::size_t size);

}  // namespace ventral::core
