#include "io/activations/activations_shape.hpp"

#include <algorithm>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"

namespace ventral::io {

std::size_t chunk_rows_of(std::size_t batch_size, std::size_t rows) {
    return std::clamp<std::size_t>(batch_size, 1, rows);
}

std::size_t bytes_in_chunks(std::size_t batch_size, std::size_t rows, std::size_t time_bins,
                            std::size_t features) {
    if (rows == 0 || features == 0) return 0;
    const auto whole = [](std::size_t size, std::size_t chunk) {
        return chunk * core::ceil_divide(size, chunk);
    };
    return whole(rows, chunk_rows_of(batch_size, rows)) * time_bins *
           whole(features, std::min(features, chunk_features)) * sizeof(float);
}

std::size_t feature_count(const LayerShape& layer) {
    std::size_t count = 1;
    for (const auto size : layer.shape) {
        std::size_t next = 0;
        if (size < 1 || __builtin_mul_overflow(count, static_cast<std::size_t>(size), &next)) {
            throw core::InputError("layer '" + layer.name + "': its shape has a size of " +
                                   std::to_string(size));
        }
        count = next;
    }
    return count;
}

}  // namespace ventral::io
