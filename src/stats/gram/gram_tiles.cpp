#include "stats/gram/gram_tiles.hpp"

#include <algorithm>

#include "core/ceil_divide.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/row_strips.hpp"

namespace ventral::stats {
namespace {

double cost(const Tile& tile) {
    return static_cast<double>(tile.rows.end - tile.rows.first) *
           static_cast<double>(tile.columns.end - tile.columns.first) *
           (on_diagonal(tile) ? 0.6 : 1.0);
}

}  // namespace

std::size_t lower_tile_count(std::size_t rows) {
    const std::size_t edge = gram_tile(rows) / strip_rows;
    const std::size_t edges = core::ceil_divide(strips_of(rows), edge);
    return edges * (edges + 1) / 2;
}

std::vector<Tile> lower_tiles(std::size_t rows) {
    const std::size_t edge = gram_tile(rows) / strip_rows;
    const std::size_t strips = strips_of(rows);
    const auto range = [&](std::size_t first) {
        return StripRange{first, std::min(first + edge, strips)};
    };
    std::vector<Tile> tiles;
    tiles.reserve(lower_tile_count(rows));
    for (std::size_t j = 0; j < strips; j += edge)
        for (std::size_t i = j; i < strips; i += edge) tiles.push_back({range(i), range(j)});
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const Tile& a, const Tile& b) { return cost(a) > cost(b); });
    return tiles;
}

void add_tile(const Tile& tile, std::span<const double> more, std::span<double> kernel,
              std::size_t rows) {
    const std::size_t row_end = std::min(tile.rows.end * strip_rows, rows);
    const std::size_t column_end = std::min(tile.columns.end * strip_rows, rows);
    for (std::size_t j = tile.columns.first * strip_rows; j < column_end; ++j)
        for (std::size_t i = std::max(tile.rows.first * strip_rows, j); i < row_end; ++i)
            kernel[j * rows + i] += more[j * rows + i];
}

// In squares that stay in the cache.
void mirror_tile(const Tile& tile, std::span<double> kernel, std::size_t rows) {
    constexpr std::size_t edge = 32;
    const std::size_t row_end = std::min(tile.rows.end * strip_rows, rows);
    const std::size_t column_end = std::min(tile.columns.end * strip_rows, rows);
    for (std::size_t first_row = tile.rows.first * strip_rows; first_row < row_end;
         first_row += edge)
        for (std::size_t first = tile.columns.first * strip_rows; first < column_end; first += edge)
            for (std::size_t j = first; j < std::min(first + edge, column_end); ++j)
                for (std::size_t i = std::max(first_row, j + 1);
                     i < std::min(first_row + edge, row_end); ++i)
                    kernel[i * rows + j] = kernel[j * rows + i];
}

}  // namespace ventral::stats
