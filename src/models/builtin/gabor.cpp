#include "models/builtin/gabor.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ventral::models {

std::vector<double> on_square(int pixels, const std::function<double(double x, double y)>& sample) {
    const double middle = (pixels - 1) / 2.0;
    std::vector<double> values;
    for (int row = 0; row < pixels; ++row)
        for (int column = 0; column < pixels; ++column)
            values.push_back(sample(column - middle, row - middle));
    return values;
}

ScriptWeight filter_weights(const std::string& name, int pixels,
                            const std::vector<std::vector<double>>& filters) {
    ScriptWeight weight{name, {static_cast<std::int64_t>(filters.size()), 1, pixels, pixels}, {}};
    for (const auto& filter : filters) {
        assert(filter.size() == static_cast<std::size_t>(pixels * pixels));
        std::transform(filter.begin(), filter.end(), std::back_inserter(weight.values),
                       [](double value) { return static_cast<float>(value); });
    }
    return weight;
}

ScriptWeight luminance_weights(const std::string& name) {
    return {name, {1, 3, 1, 1}, {0.299F, 0.587F, 0.114F}};
}

}  // namespace ventral::models
