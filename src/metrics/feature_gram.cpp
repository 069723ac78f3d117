#include "metrics/feature_gram.hpp"

#include <atomic>
#include <future>
#include <system_error>
#include <utility>
#include <vector>

#include "stats/gram/gram_block.hpp"
#include "stats/gram/narrow_features.hpp"

namespace ventral::metrics {
namespace {

/// Touches the memory of a Gram in a thread of its own until this is destroyed. Where no thread can
/// be started, whoever builds the Gram does it.
class Touching {
public:
    explicit Touching(const stats::GramBlock& block) {
        try {
            done_ = std::async(std::launch::async, [this, &block] { block.touch(stop_); });
        } catch (const std::system_error&) {
        }
    }
    ~Touching() { stop_ = true; }
    Touching(const Touching&) = delete;
    Touching& operator=(const Touching&) = delete;

private:
    std::atomic<bool> stop_ = false;
    std::future<void> done_;  // whose end waits for the thread
};

stats::ReadSlab reader_of(FeatureSlabs& slabs) {
    return [&slabs](std::size_t first, std::size_t count) { return slabs.read(first, count); };
}

}  // namespace

/// A Gram without what it took to build it.
struct FeatureGram::Held {
    Held(FeatureSlabs& slabs, core::Workers& workers)
        : rows(slabs.rows()), block(rows, slabs.features()) {
        build(slabs, workers);
        block.drop_scratch();
    }

    void build(FeatureSlabs& slabs, core::Workers& workers) const {
        const Touching touching(block);
        stats::build_gram({rows, slabs.features(), reader_of(slabs)}, block.memory(), workers, {});
    }

    std::size_t rows;
    stats::GramBlock block;
};

struct FeatureGram::Narrow {
    Narrow(FeatureSlabs& slabs, core::Workers& workers)
        : scratch(stats::narrow_scratch(slabs.rows(), slabs.features())) {
        const auto centred = std::make_shared<stats::Matrix>(
            static_cast<Eigen::Index>(slabs.rows()), static_cast<Eigen::Index>(slabs.features()));
        const auto memory = stats::narrow_memory(
            {centred->data(), static_cast<std::size_t>(centred->size())}, scratch, slabs.rows());
        stats::centre_narrow(slabs.features(), reader_of(slabs), memory, workers, {});
        sums = memory.sums();
        features = stats::ReducedFeatures([centred] { return std::move(*centred); });
    }

    std::vector<double> scratch;
    stats::GramSums sums;
    stats::ReducedFeatures features;
};

FeatureGram::FeatureGram(FeatureSlabs& slabs, core::Workers& workers) {
    if (stats::has_narrow_form(slabs.rows(), slabs.features()))
        narrow_ = std::make_unique<Narrow>(slabs, workers);
    else
        held_ = std::make_unique<Held>(slabs, workers);
}

FeatureGram::~FeatureGram() = default;

stats::Kernel FeatureGram::kernel() const {
    if (narrow_) {
        const auto& features = narrow_->features.matrix();
        return stats::Kernel::of_features({features.data(), features.rows(), features.cols()});
    }
    const auto n = static_cast<Eigen::Index>(held_->rows);
    return stats::MatrixView(held_->block.memory().kernel.data(), n, n);
}

stats::GramSums FeatureGram::sums() const {
    if (narrow_) return narrow_->sums;
    const auto& memory = held_->block.memory();
    return {memory.centred_times_mean, memory.row_sums, memory.row_extremes,
            memory.mean_squared[0]};
}

std::optional<stats::ReducedFeatures> FeatureGram::features() const {
    if (!narrow_) return std::nullopt;
    return narrow_->features;
}

}  // namespace ventral::metrics
