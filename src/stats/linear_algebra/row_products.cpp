#include "stats/linear_algebra/row_products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include <cblas.h>

#include "core/ceil_divide.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/pairwise_sum.hpp"

namespace ventral::stats {
namespace {

/// Rows that lie interleaved, feature by feature, in a panel; panels along the edge of a tile;
/// features of a panel that stay in the first-level cache.
constexpr std::size_t interleaved_rows = 8;
constexpr std::size_t tile_panels = 8;
constexpr std::size_t piece = 256;

constexpr std::size_t most_numpy_rows = 512;

std::size_t panels_of(std::size_t rows) { return core::ceil_divide(rows, interleaved_rows); }

/// Calls `use(first, width, slab)` for all slabs in order.
template <typename Use>
void for_each_slab(std::size_t features, const ReadSlab& read, const Use& use) {
    for (std::size_t first = 0; first < features; first += slab_features) {
        const std::size_t width = std::min(slab_features, features - first);
        use(width, read(first, width));
    }
}

/// Row `row` of the slab in float64.
void copy_row(const FeatureMatrix& slab, std::size_t row, std::span<double> to) {
    std::visit(
        [&](const auto& values) {
            const auto* from = values.data() + row * slab.stride;
            for (std::size_t j = 0; j < to.size(); ++j) to[j] = static_cast<double>(from[j]);
        },
        slab.values);
}

struct RowStatistics {
    double sum = 0;
    double first = 0;
    bool constant = true;
};

std::vector<RowStatistics> row_statistics(std::size_t rows, std::size_t features,
                                          const ReadSlab& read, core::Workers& workers) {
    std::vector<RowStatistics> all(rows);
    bool begun = false;
    for_each_slab(features, read, [&](std::size_t width, const FeatureMatrix& slab) {
        workers.parallel_for(panels_of(rows), [&](std::size_t panel) {
            std::vector<double> values(width);
            const std::size_t first = panel * interleaved_rows;
            for (std::size_t row = first; row < std::min(first + interleaved_rows, rows); ++row) {
                copy_row(slab, row, values);
                RowStatistics& of_row = all[row];
                if (!begun) of_row.first = values[0];
                of_row.sum += pairwise_sum(values);
                of_row.constant =
                    of_row.constant && std::all_of(values.begin(), values.end(),
                                                   [&](double v) { return v == of_row.first; });
            }
        });
        begun = true;
    });
    return all;
}

/// Centres the rows of a panel; entry (row, feature) is at feature × interleaved_rows + row. Rows
/// that are not there are zero.
void fill_panel(const FeatureMatrix& slab, std::size_t panel, std::span<const double> means,
                std::span<double> to) {
    const std::size_t width = to.size() / interleaved_rows;
    const std::size_t first = panel * interleaved_rows;
    std::vector<double> values(width);
    std::fill(to.begin(), to.end(), 0.0);
    for (std::size_t r = 0; r < interleaved_rows && first + r < means.size(); ++r) {
        copy_row(slab, first + r, values);
        for (std::size_t j = 0; j < width; ++j)
            to[j * interleaved_rows + r] = values[j] - means[first + r];
    }
}

/// Products of half a panel with a panel.
constexpr std::size_t half = interleaved_rows / 2;
using HalfBlock = std::array<std::array<double, interleaved_rows>, half>;

/// As one register: from plain arrays GCC 12 makes a loop ten times slower.
using Quad [[gnu::vector_size(32)]] = double;

Quad quad_at(const double* values) {
    Quad quad;
    std::memcpy(&quad, values, sizeof quad);
    return quad;
}

Quad multiply_add(double factor, Quad x, Quad y) {
    Quad result;
    for (int lane = 0; lane < 4; ++lane) result[lane] = std::fma(factor, x[lane], y[lane]);
    return result;
}

/// Goes on with the chains over `count` features.
void add_products(const double* a, const double* b, std::size_t count, HalfBlock& sums) {
    std::array<std::array<Quad, 2>, half> s;
    static_assert(sizeof s == sizeof sums);
    std::memcpy(s.data(), sums.data(), sizeof s);
    for (std::size_t k = 0; k < count; ++k) {
        const Quad low = quad_at(b + k * interleaved_rows);
        const Quad high = quad_at(b + k * interleaved_rows + 4);
        for (std::size_t i = 0; i < half; ++i) {
            const double factor = a[k * interleaved_rows + i];
            s[i][0] = multiply_add(factor, low, s[i][0]);
            s[i][1] = multiply_add(factor, high, s[i][1]);
        }
    }
    std::memcpy(sums.data(), s.data(), sizeof s);
}

/// Square blocks of interleaved_rows × interleaved_rows sums for the lower triangle of panels.
class Blocks {
public:
    explicit Blocks(std::size_t panels) : blocks_(panels * (panels + 1) / 2) {}

    std::array<HalfBlock, 2>& at(std::size_t i, std::size_t j) {
        return blocks_[i * (i + 1) / 2 + j];
    }

private:
    std::vector<std::array<HalfBlock, 2>> blocks_;
};

struct ProductTile {
    std::size_t row, column;  ///< first panels
};

std::vector<ProductTile> product_tiles(std::size_t panels) {
    std::vector<ProductTile> tiles;
    for (std::size_t i = 0; i < panels; i += tile_panels)
        for (std::size_t j = 0; j <= i; j += tile_panels) tiles.push_back({i, j});
    return tiles;
}

void add_product_tile(const ProductTile& tile, std::span<const double> slab, std::size_t width,
                      Blocks& blocks) {
    const std::size_t panels = slab.size() / (width * interleaved_rows);
    for (std::size_t first = 0; first < width; first += piece) {
        const std::size_t count = std::min(piece, width - first);
        const auto piece_of = [&](std::size_t panel) {
            return slab.data() + (panel * width + first) * interleaved_rows;
        };
        for (std::size_t i = tile.row; i < std::min(tile.row + tile_panels, panels); ++i)
            for (std::size_t j = tile.column; j <= std::min(i, tile.column + tile_panels - 1);
                 ++j) {
                auto& halves = blocks.at(i, j);
                add_products(piece_of(i), piece_of(j), count, halves[0]);
                add_products(piece_of(i) + half, piece_of(j), count, halves[1]);
            }
    }
}

/// Writes the rows of a panel, left of its end, and the columns that mirror them.
void write_panel(Blocks& blocks, std::size_t panel, Matrix& products) {
    const auto rows = static_cast<std::size_t>(products.rows());
    const std::size_t first = panel * interleaved_rows;
    const std::size_t end = std::min(first + interleaved_rows, rows);
    const auto value = [&](std::size_t i, std::size_t j) {
        const std::size_t r = i - first;
        return blocks.at(panel, j / interleaved_rows)[r / half][r % half][j % interleaved_rows];
    };
    double* to = products.data();
    for (std::size_t j = 0; j < end; ++j)
        for (std::size_t i = first; i < end; ++i) to[j * rows + i] = value(i, j);
    for (std::size_t i = first; i < end; ++i)
        for (std::size_t j = 0; j < end; ++j) to[i * rows + j] = value(i, j);
}

}  // namespace

RowProducts centred_row_products(std::size_t rows, std::size_t features, const ReadSlab& read,
                                 core::Workers& workers) {
    const auto statistics = row_statistics(rows, features, read, workers);
    std::vector<double> means(rows);
    std::vector<char> constant(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        means[i] = statistics[i].sum / static_cast<double>(features);
        constant[i] = statistics[i].constant && means[i] == statistics[i].first ? 1 : 0;
    }
    const std::size_t panels = panels_of(rows);
    const auto tiles = product_tiles(panels);
    Blocks blocks(panels);
    std::vector<double> centred;
    for_each_slab(features, read, [&](std::size_t width, const FeatureMatrix& slab) {
        const std::size_t panel_size = width * interleaved_rows;
        centred.resize(panels * panel_size);
        workers.parallel_for(panels, [&](std::size_t panel) {
            fill_panel(slab, panel, means,
                       std::span(centred).subspan(panel * panel_size, panel_size));
        });
        workers.parallel_for(tiles.size(), [&](std::size_t t) {
            add_product_tile(tiles[t], centred, width, blocks);
        });
    });
    RowProducts result{Matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(rows)),
                       std::move(constant)};
    workers.parallel_for(panels,
                         [&](std::size_t panel) { write_panel(blocks, panel, result.products); });
    return result;
}

bool small_enough_for_numpy(std::size_t rows, std::size_t features) {
    return rows <= most_numpy_rows && features <= slab_features;
}

RowProducts numpy_row_products(std::size_t rows, std::size_t features, const ReadSlab& read,
                               std::span<const Eigen::Index> order) {
    std::vector<Eigen::Index> given(order.begin(), order.end());
    if (given.empty()) {
        given.resize(rows);
        std::iota(given.begin(), given.end(), Eigen::Index{0});
    }
    auto ranked = given;
    std::sort(ranked.begin(), ranked.end());
    const auto place = [&](std::size_t i) {
        return std::lower_bound(ranked.begin(), ranked.end(), given[i]) - ranked.begin();
    };
    const auto n = static_cast<Eigen::Index>(given.size());
    const FeatureMatrix slab = read(0, features);
    std::vector<double> centred(given.size() * features);
    RowProducts result{Matrix(n, n), std::vector<char>(given.size())};
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto row = static_cast<std::size_t>(given[i]);
        const auto values = std::span(centred).subspan(i * features, features);
        copy_row(slab, row, values);
        const double mean = pairwise_sum(values) / static_cast<double>(features);
        for (double& value : values) value -= mean;
        result.constant[static_cast<std::size_t>(place(i))] = static_cast<char>(
            std::all_of(values.begin(), values.end(), [](double v) { return v == 0; }));
    }
    Matrix lower = Matrix::Zero(n, n);
    const auto size = blas_size(n);
    const auto width = blas_size(static_cast<Eigen::Index>(features));
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, size, width, 1.0, centred.data(), width, 0.0,
                lower.data(), size);
    for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index i = j; i < n; ++i) {
            const auto a = place(static_cast<std::size_t>(i));
            const auto b = place(static_cast<std::size_t>(j));
            result.products(a, b) = result.products(b, a) = lower(i, j);
        }
    return result;
}

}  // namespace ventral::stats
