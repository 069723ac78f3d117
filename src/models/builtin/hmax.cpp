#include "models/builtin/hmax.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/portable_random.hpp"
#include "models/builtin/dead_leaves.hpp"
#include "models/builtin/gabor.hpp"
#include "models/network/network.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::models {
namespace {

struct Scale {
    int pixels;
    double sigma, wavelength;
};

struct Band {
    int pool_pixels;
    std::array<Scale, 2> scales;
};

constexpr std::array<Band, hmax_bands> bands = {{
    {8, {{{7, 2.8, 3.5}, {9, 3.6, 4.6}}}},
    {10, {{{11, 4.5, 5.6}, {13, 5.4, 6.8}}}},
    {12, {{{15, 6.3, 7.9}, {17, 7.3, 9.1}}}},
    {14, {{{19, 8.2, 10.3}, {21, 9.2, 11.5}}}},
    {16, {{{23, 10.2, 12.7}, {25, 11.3, 14.1}}}},
    {18, {{{27, 12.3, 15.4}, {29, 13.4, 16.8}}}},
    {20, {{{31, 14.6, 18.2}, {33, 15.8, 19.7}}}},
    {22, {{{35, 17.0, 21.2}, {37, 18.2, 22.8}}}},
}};
constexpr double aspect = 0.3;
constexpr std::size_t prototype_band = 1;
constexpr std::array<std::size_t, 4> patch_sides = {4, 8, 12, 16};

/// On a square of `pixels`, with zeros outside the circle that the filter fills.
std::vector<double> s1_filter(const Scale& scale, double orientation, int pixels) {
    const Gabor gabor{scale.wavelength, orientation, 0, scale.sigma, scale.sigma / aspect};
    const double radius = scale.pixels / 2.0;
    const auto inside = [&](double x, double y) { return x * x + y * y <= radius * radius; };
    auto filter = on_square(pixels, [&](double x, double y) {
        return inside(x, y) ? gabor.envelope(x, y) * gabor.wave(x, y) : 0;
    });
    const auto circle = on_square(pixels, [&](double x, double y) { return inside(x, y) ? 1 : 0; });
    const double mean = std::accumulate(filter.begin(), filter.end(), 0.0) /
                        std::accumulate(circle.begin(), circle.end(), 0.0);
    for (std::size_t i = 0; i < filter.size(); ++i) filter[i] -= mean * circle[i];
    const double norm =
        std::sqrt(std::inner_product(filter.begin(), filter.end(), filter.begin(), 0.0));
    for (auto& value : filter) value /= norm;
    return filter;
}

/// Of both scales in squares of the larger: one convolution of eight filters takes half the time of
/// two of four.
ScriptWeight s1_filters(const std::string& name, const Band& band) {
    std::vector<std::vector<double>> filters;
    const int pixels = band.scales[1].pixels;
    for (const auto& scale : band.scales)
        for (std::size_t i = 0; i < hmax_orientations; ++i)
            filters.push_back(s1_filter(
                scale, std::numbers::pi * static_cast<double>(i) / double{hmax_orientations},
                pixels));
    return filter_weights(name, pixels, filters);
}

// The constant keeps black from being 0 / 0; one pixel of 1/255 has the square 1.5e-5.
constexpr const char* band_method = R"(
def norm(self, squares: Tensor, size: int) -> Tensor:
    edge = size // 2
    rows = torch.avg_pool2d(torch.replication_pad2d(squares, [edge, edge, edge, edge]), [size, 1], [1, 1])
    return torch.sqrt(torch.avg_pool2d(rows, [1, size], [1, 1]) * (size * size) + 1e-06)

def band(self, grey: Tensor, filters: Tensor, sizes: List[int], pool: int) -> Tensor:
    edge = sizes[1] // 2
    responses = torch.abs(torch.conv2d(torch.replication_pad2d(grey, [edge, edge, edge, edge]), filters))
    pair = torch.chunk(responses, 2, 1)
    squares = grey * grey
    both = torch.maximum(pair[0] / self.norm(squares, sizes[0]), pair[1] / self.norm(squares, sizes[1]))
    return torch.max_pool2d(both, [pool, pool], [pool // 2, pool // 2])

)";

/// C1 as a list of bands. It returns no tensor, and so is no layer.
ScriptModule bands_module(std::span<const Band> wanted) {
    ScriptModule module{"bands", "", {luminance_weights("luminance")}, {}};
    std::string list;
    for (const auto& band : wanted) {
        const auto& [small, large] = band.scales;
        module.weights.push_back(
            s1_filters("filters" + std::to_string(module.weights.size()), band));
        list += "self.band(grey, self." + module.weights.back().name + ", [" +
                std::to_string(small.pixels) + ", " + std::to_string(large.pixels) + "], " +
                std::to_string(band.pool_pixels) + "), ";
    }
    module.methods = std::string(band_method) +
                     "def forward(self, x):\n"
                     "    grey = torch.conv2d(x, self.luminance)\n"
                     "    return [" +
                     list + "]\n";
    return module;
}

ScriptModule c1_module() {
    return {"c1",
            R"(
def forward(self, bands: List[Tensor]):
    flat: List[Tensor] = []
    for band in bands:
        flat.append(torch.flatten(band, 1))
    return torch.cat(flat, 1)
)",
            {},
            {}};
}

/// C1 of the prototypes' images in the prototypes' band.
class PrototypeSource {
public:
    explicit PrototypeSource(core::PortableRandom& random)
        : recorder_(Network::build(
                        {"Network",
                         "def forward(self, x):\n"
                         "    return self.c1.forward(self.bands.forward(x))\n",
                         {},
                         {bands_module(std::span(bands).subspan(prototype_band, 1)), c1_module()}},
                        "hmax", {MemoryLayout::contiguous, "cpu"}),
                    {"c1"}) {
        for (std::size_t i = 0; i < hmax_prototype_images; ++i) images_.push_back(c1_of(random));
    }

    /// A patch at a random place, [orientation × side × side].
    std::vector<float> patch(std::size_t image, std::size_t side,
                             core::PortableRandom& random) const {
        const auto top = random.below(width - side + 1), left = random.below(width - side + 1);
        std::vector<float> patch;
        for (std::size_t orientation = 0; orientation < hmax_orientations; ++orientation)
            for (std::size_t row = 0; row < side; ++row) {
                const auto begin =
                    images_[image].begin() +
                    static_cast<std::ptrdiff_t>((orientation * width + top + row) * width + left);
                patch.insert(patch.end(), begin, begin + static_cast<std::ptrdiff_t>(side));
            }
        return patch;
    }

private:
    static constexpr std::size_t pool = bands[prototype_band].pool_pixels;
    static constexpr std::size_t width = (hmax_prototype_image_pixels - pool) / (pool / 2) + 1;

    std::vector<float> c1_of(core::PortableRandom& random) const {
        const auto grey = dead_leaves(hmax_prototype_image_pixels, random);
        std::vector<float> colours;
        for (int colour = 0; colour < 3; ++colour)
            colours.insert(colours.end(), grey.begin(), grey.end());
        constexpr auto side = static_cast<std::int64_t>(hmax_prototype_image_pixels);
        return recorder_.record(colours, {1, 3, side, side})[0].values;
    }

    LayerRecorder recorder_;
    std::vector<std::vector<float>> images_;
};

struct Prototypes {
    ScriptWeight patches;   ///< [prototype × orientation × side × side]
    ScriptWeight squares;   ///< |P|², [1 × prototype × 1 × 1]
    ScriptWeight variance;  ///< mean of |P - mean of P|²
};

double sum_of_squares(const std::vector<double>& values) {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

Prototypes draw_prototypes(const PrototypeSource& source, std::size_t side,
                           core::PortableRandom& random) {
    const auto count = static_cast<std::int64_t>(hmax_prototypes_per_size);
    const auto pixels = static_cast<std::int64_t>(side);
    Prototypes drawn;
    drawn.patches = {"prototypes" + std::to_string(side),
                     {count, std::int64_t{hmax_orientations}, pixels, pixels},
                     {}};
    drawn.squares = {"squares" + std::to_string(side), {1, count, 1, 1}, {}};
    double variance = 0;
    std::vector<double> mean(hmax_orientations * side * side);
    for (std::size_t i = 0; i < hmax_prototypes_per_size; ++i) {
        const auto patch = source.patch(i % hmax_prototype_images, side, random);
        const double square = std::inner_product(patch.begin(), patch.end(), patch.begin(), 0.0);
        drawn.patches.values.insert(drawn.patches.values.end(), patch.begin(), patch.end());
        drawn.squares.values.push_back(static_cast<float>(square));
        variance += square / double{hmax_prototypes_per_size};
        for (std::size_t k = 0; k < patch.size(); ++k)
            mean[k] += double{patch[k]} / double{hmax_prototypes_per_size};
    }
    variance -= sum_of_squares(mean);
    drawn.variance = {"variance" + std::to_string(side), {1}, {static_cast<float>(variance)}};
    return drawn;
}

// The nearest patch is the one with the largest response.
constexpr const char* nearest_method = R"(
def nearest(self, bands: List[Tensor], prototypes: Tensor, squares: Tensor, side: int) -> Tensor:
    found: List[Tensor] = []
    for band in bands:
        sums = torch.sum(band * band, [1], True)
        seen = torch.avg_pool2d(sums, [side, side], [1, 1]) * (side * side)
        distances = seen + squares - 2 * torch.conv2d(band, prototypes)
        found.append(torch.amin(distances, [2, 3]))
    return torch.relu(torch.amin(torch.stack(found), [0]))

)";

ScriptModule c2_module() {
    core::PortableRandom random(hmax_prototype_seed);
    const PrototypeSource source(random);
    ScriptModule module{"c2", "", {}, {}};
    std::string sizes;
    for (const auto side : patch_sides) {
        const auto drawn = draw_prototypes(source, side, random);
        sizes += "torch.exp(self.nearest(bands, self." + drawn.patches.name + ", self." +
                 drawn.squares.name + ", " + std::to_string(side) + ") / (-2 * self." +
                 drawn.variance.name + ")), ";
        for (const auto& weight : {drawn.patches, drawn.squares, drawn.variance})
            module.weights.push_back(weight);
    }
    module.methods = std::string(nearest_method) +
                     "def forward(self, bands: List[Tensor]):\n    return torch.cat([" + sizes +
                     "], 1)\n";
    return module;
}

}  // namespace

ScriptModule hmax_network() {
    return {"Network",
            "def forward(self, x):\n"
            "    bands = self.bands.forward(x)\n"
            "    c1 = self.c1.forward(bands)\n"
            "    return self.c2.forward(bands)\n",
            {},
            {bands_module(bands), c1_module(), c2_module()}};
}

}  // namespace ventral::models
