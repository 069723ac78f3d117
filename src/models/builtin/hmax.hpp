#pragma once
/// @file
/// The built-in model `hmax`: layers C1 and C2 of the feedforward hierarchy of M. Riesenhuber and
/// T. Poggio (Nature Neuroscience 2, 1999) in the form of T. Serre, L. Wolf, S. Bileschi,
/// M. Riesenhuber, T. Poggio (IEEE PAMI 29, 2007), whose table 1 gives all sizes below in pixels.
///
/// - S1: Gabor filters of 16 sizes, 7 to 37 pixels, and 4 orientations, of aspect 0.3, inside a
///   circle, with mean 0 and norm 1, on luminance; the absolute value of their response, divided by
///   the norm of the pixels they see. Beyond the screen its edge goes on.
/// - C1: 8 bands of two neighbouring sizes: the maximum over both and over 8 to 22 pixels squared,
///   every half of that.
/// - S2: exp(-|X - P|² / 2σ²) of C1 patches X of 4, 8, 12 and 16 positions squared, all
///   orientations, and 250 prototypes P of each size; in all bands.
/// - C2: the maximum over positions and bands.
///
/// The paper takes prototypes from photographs, which this program does not have: they are patches
/// of C1, band 2 as in the authors' program, of 50 dead-leaves images (`dead_leaves.hpp`) from a
/// fixed seed. C2 has therefore not seen an object, and is a lower bound for what HMAX can do. The
/// paper leaves the sharpness of S2 open: σ² is the variance of the prototypes of a size, their
/// mean squared distance from their mean.
///
/// With 28 pixels per degree (`configs/models/hmax.toml`) the filters are 0.25° to 1.3° wide; the
/// authors had about 36.

#include <cstddef>

#include "models/builtin/script_module.hpp"

namespace ventral::models {

/// Bump when a bit of its layers changes.
inline constexpr int hmax_version = 1;

inline constexpr std::size_t hmax_orientations = 4;
inline constexpr std::size_t hmax_bands = 8;
/// Least width and height of images: a patch of S2 has a place in every band.
inline constexpr std::size_t hmax_least_pixels = 187;

/// Images whose C1 the prototypes come from, one after the other from one random stream. Prototype
/// i of a size is of image i modulo their number.
inline constexpr std::size_t hmax_prototype_images = 50;
inline constexpr std::size_t hmax_prototype_image_pixels = 192;
inline constexpr unsigned hmax_prototype_seed = 1;
inline constexpr std::size_t hmax_prototypes_per_size = 250;

/// Layers "c1", {feature}: band by band, in each orientation × y × x, orientation i being that of
/// `Gabor`, i · 45°; and "c2", {prototype}, the smallest patches first. Takes some tenths of a
/// second: the prototypes are computed.
ScriptModule hmax_network();

}  // namespace ventral::models
