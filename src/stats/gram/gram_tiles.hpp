#pragma once
/// @file
/// The parts of a Gram's lower triangle that tasks add to.

#include <cstddef>
#include <span>
#include <vector>

#include "stats/gram/strip_products.hpp"

namespace ventral::stats {

/// In strips.
struct Tile {
    StripRange rows, columns;
};

inline bool on_diagonal(const Tile& tile) { return tile.rows.first == tile.columns.first; }

/// Those of a Gram of so many rows, with edges of `gram_tile`: the longest to add to first.
std::vector<Tile> lower_tiles(std::size_t rows);
std::size_t lower_tile_count(std::size_t rows);

/// Adds `more` to the tile's part on and below the diagonal.
void add_tile(const Tile& tile, std::span<const double> more, std::span<double> kernel,
              std::size_t rows);

/// Copies the tile's part below the diagonal to the part above.
void mirror_tile(const Tile& tile, std::span<double> kernel, std::size_t rows);

}  // namespace ventral::stats
