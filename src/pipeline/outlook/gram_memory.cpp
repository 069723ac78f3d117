#include "pipeline/outlook/gram_memory.hpp"

#include <algorithm>
#include <cstddef>

#include "pipeline/fit/shared_slabs.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/narrow_features.hpp"

namespace ventral::pipeline {

bool GramSize::is_narrow() const {
    return stats::has_narrow_form(static_cast<std::size_t>(rows),
                                  static_cast<std::size_t>(features));
}

double GramSize::kernel() const { return is_narrow() ? 0 : sizeof(double) * rows * rows; }

double GramSize::few_features() const {
    return features < rows ? sizeof(double) * rows * features : 0;
}

double GramSize::reduced() const { return sizeof(double) * rows * std::min(rows, features); }

double GramSize::slab() const {
    return rows * std::min(features, static_cast<double>(stats::slab_features));
}

double GramSize::slabs_at_once(double value_bytes) const {
    const auto slabs = static_cast<double>(pipeline::slabs_at_once(value_bytes * slab()));
    return rows * std::min(features, slabs * static_cast<double>(stats::slab_features));
}

double GramSize::scratch() const {
    const auto n = static_cast<std::size_t>(rows);
    const auto p = static_cast<std::size_t>(features);
    return sizeof(double) * static_cast<double>(is_narrow() ? stats::narrow_scratch(n, p)
                                                            : stats::gram_sizes(n, p).scratch());
}

double GramSize::multiplying() const { return scratch() + sizeof(double) * slab(); }

double GramSize::triangle() const {
    return is_narrow() ? 0 : (kernel() + sizeof(double) * rows) / 2;
}

double GramSize::checkpoint() const { return file() + std::max(triangle(), few_features()); }

double gathered_kernel(const GramSize& gram, const GramSize& own) {
    if (!gram.is_narrow()) return sizeof(double) * own.rows * own.rows;
    return own.is_narrow() ? 0 : own.kernel() + own.multiplying();
}

}  // namespace ventral::pipeline
