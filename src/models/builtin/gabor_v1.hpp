#pragma once
/// @file
/// The built-in model `gabor_v1`: simple and complex cells of primary visual cortex as Gabor
/// filters and their energy, on the luminance of the screen. Linear but for rectification and
/// energy: no contrast normalisation, no noise, no colour, no change with eccentricity, and the
/// same cells everywhere.
///
/// Of each tuning there is one cell per 8 × 8 pixels of the screen, its receptive field around the
/// middle of them; beyond the screen its edge goes on.
/// - Spatial frequency: half an octave apart from 0.5 cycles per degree on (macaque cells prefer
///   0.5 to more than 8), as far as a period has 4 pixels and the screen has 2 periods. Bandwidth
///   1.4 octaves, the median (R. De Valois, D. Albrecht, L. Thorell, Vision Research 22, 1982).
/// - Orientation: 8, 22.5° apart; bandwidth 40°, the median (R. De Valois, E. Yund, N. Hepler,
///   Vision Research 22, 1982). Both bandwidths are full widths where the response is half its
///   maximum.
/// - Shape: Gabor (J. Jones, L. Palmer, J. Neurophysiology 58, 1987). The two bandwidths give a
///   Gaussian of 0.42 periods across the stripes and 0.54 along them, among those measured in
///   macaques (D. Ringach, J. Neurophysiology 88, 2002).
/// - Phase: 0°, 90°, 180° and 270°.
/// - Complex cells: the square root of the energy of such a set (E. Adelson, J. Bergen, J. Opt.
///   Soc. Am. A 2, 1985), which is the sum of the squares of the four half-rectified cells
///   (D. Heeger, Visual Neuroscience 9, 1992).

#include <cstddef>
#include <vector>

#include "models/builtin/script_module.hpp"

namespace ventral::models {

/// Bump when a bit of its layers changes.
inline constexpr int gabor_v1_version = 1;

inline constexpr std::size_t gabor_v1_orientations = 8;
/// Between neighbouring cells of one tuning.
inline constexpr int gabor_v1_step_pixels = 8;

/// The screen that the pixels of an image show.
struct ScreenResolution {
    double pixels_per_degree;
    double degrees;  ///< width
};

/// Cycles per degree, ascending; none where the screen is too small or too coarse for all of them.
std::vector<double> gabor_v1_frequencies(const ScreenResolution& screen);

/// Layers "simple", {phase × frequency × orientation, y, x}, and "complex", {frequency ×
/// orientation, y, x}; orientation i is that of `Gabor`, i · 22.5°. Responses to a grating that a
/// cell is tuned to are the amplitude of its luminance. `screen` has at least one frequency.
ScriptModule gabor_v1_network(const ScreenResolution& screen);

}  // namespace ventral::models
