#include "pipeline/outlook/calibrate.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "core/seconds_since.hpp"
#include "core/where_and_when.hpp"
#include "io/disk/disk_rate.hpp"
#include "models/runtime/convolution_rate.hpp"
#include "stats/gram/gram.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::pipeline {
namespace {

constexpr std::size_t gram_rows = 2048;
constexpr std::size_t gram_features = 8192;
constexpr Eigen::Index pass_rows = 2048;
constexpr int passes = 20;
constexpr std::size_t disk_bytes = std::size_t{256} << 20;

/// The shorter of two tries.
double least_seconds_of(const std::function<void()>& work) {
    return std::min(core::seconds_taken(work), core::seconds_taken(work));
}

/// Of all workers together.
double gram_rate(core::Workers& workers) {
    std::vector<float> features(gram_rows * gram_features);
    for (std::size_t i = 0; i < features.size(); ++i)
        features[i] = static_cast<float>(i * 2654435761U % 1024) / 1024;
    const auto read = [&](std::size_t first, std::size_t count) {
        return stats::columns_of(
            {std::span<const float>(features), gram_rows, gram_features, gram_features}, first,
            count);
    };
    std::vector<double> block(stats::gram_sizes(gram_rows, gram_features).total());
    const double seconds = least_seconds_of([&] {
        std::fill(block.begin(), block.end(), 0.0);
        stats::build_gram({gram_rows, gram_features, read},
                          stats::gram_memory(block, gram_rows, gram_features), workers, {});
    });
    return static_cast<double>(gram_rows * (gram_rows + 1) * gram_features) / seconds;
}

/// Of one of the workers, which all read one matrix that no cache of a core holds.
double pass_rate(core::Workers& workers) {
    const stats::Matrix matrix = stats::Matrix::Constant(pass_rows, pass_rows, 0.5);
    const stats::Vector vector = stats::Vector::Constant(pass_rows, 0.5);
    std::vector<stats::Vector> results(workers.threads());
    const double seconds = least_seconds_of([&] {
        workers.parallel_for(workers.threads(), [&](std::size_t w) {
            for (int i = 0; i < passes; ++i) results[w] = stats::times(matrix, vector);
        });
    });
    return 2.0 * pass_rows * pass_rows * passes / seconds;
}

WorkerRates worker_rates(core::Workers& workers) {
    const auto count = static_cast<double>(workers.threads());
    WorkerRates rates;
    rates.gram_flops = gram_rate(workers) / count;
    rates.product_flops = stats::dgemm_rate(workers, 4) / count;
    rates.pass_flops = pass_rate(workers);
    rates.convolution_flops = models::convolution_rate(workers);
    return rates;
}

}  // namespace

Calibration calibrate(core::Workers& workers, const std::string& folder, double process_seconds) {
    const auto disk = io::measure_disk(folder, disk_bytes);
    Calibration measured;
    measured.host = core::host_name();
    measured.measured_at = core::time_now();
    measured.kernels = stats::blas_core();
    measured.workers = workers.threads();
    measured.together = worker_rates(workers);
    core::Workers one(1);
    measured.alone = workers.threads() > 1 ? worker_rates(one) : measured.together;
    measured.written_bytes = disk.written_bytes;
    measured.read_bytes = disk.read_bytes;
    measured.buffered_bytes = disk.buffered_bytes;
    measured.process_seconds = process_seconds;
    return measured;
}

}  // namespace ventral::pipeline
