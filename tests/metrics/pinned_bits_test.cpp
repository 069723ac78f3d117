// Scores keep their bits as long as they keep their versions: else a run would take results of
// other code from the disk for its own. On one kind of kernels (CMakeLists.txt sets the
// environment), which all processors with AVX2 have.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "core/hash.hpp"
#include "metrics/assemblies.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/registered_metrics.hpp"
#include "metrics/score_assemblies.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "support/shared.hpp"

using namespace ventral;
using stats::Matrix;

namespace {

constexpr const char* pinned_kernels =
    "cpu avx2 fma; OpenBLAS 0.3.21 Haswell; GNU 12.2.0 x86-64-v3 -O3 -DNDEBUG; mxcsr 8064";

struct Pinned {
    int version;
    int gram_version;
    std::string bits;
};

/// By metric or ceiling. Whoever changes bits on purpose raises the version and writes the new ones
/// here.
const std::map<std::string, Pinned> pinned = {
    {"pls", {13, 8, "038850b37f94261e"}},
    {"pls_cv", {13, 8, "038850b37f94261e"}},
    {"pls_split", {13, 8, "55d438471dc5cc53"}},
    {"ridge", {13, 8, "4010947739cf83c8"}},
    {"ridge_cv", {13, 8, "4010947739cf83c8"}},
    {"ridge_split", {13, 8, "8699a3ae88b12413"}},
    {"linear_predictivity", {5, 8, "1cc9dae922a84261"}},
    {"linear_predictivity_cv", {5, 8, "1cc9dae922a84261"}},
    {"linear_predictivity_split", {5, 8, "e2d6e23fe5a60a9c"}},
    {"neuron_to_neuron", {4, 8, "56580d5d30ff5062"}},
    {"neuron_to_neuron_cv", {4, 8, "56580d5d30ff5062"}},
    {"neuron_to_neuron_split", {4, 8, "2f8dbde91c6bf4af"}},
    {"ridgecv_split", {9, 8, "97d4d699105ab5ed"}},
    {"dual_ridge_split", {9, 8, "c996b2b88ddf9852"}},
    {"dual_ridgecv_split", {9, 8, "84edd002b64628df"}},
    {"scaled_pls_cv", {14, 8, "ec97ba9e7afd70ca"}},
    {"scaled_ridge_cv", {14, 8, "c712ba273c6d2a0c"}},
    {"reverse_pls_cv", {13, 8, "f55bda9cd3bac193"}},
    {"reverse_pls_split", {13, 8, "733cd017df0ea5f0"}},
    {"spantime_pls", {14, 8, "1671c775893c9214"}},
    {"spantime_ridge", {14, 8, "c192f62e7fee3c7a"}},
    {"pertime_ridge", {14, 8, "dac264d90728b1a7"}},
    {"cka", {4, 8, "52f9264b952da177"}},
    {"cka_cv", {4, 8, "7eaeded99c4bcfb7"}},
    {"rdm", {3, 8, "55e6b0e074fd997a"}},
    {"rdm_cv", {3, 8, "f10d157a65083588"}},
    {"cka_biased", {3, 8, "df5d0ffebe00286d"}},
    {"internal_consistency", {2, 8, "e39493d4594e0bae"}},
    {"internal_consistency_temporal", {2, 8, "fdb5007f644df426"}},
    {"predictor_consistency", {4, 8, "54318e5cfddb8180"}},
    {"rsa_ceiling", {2, 8, "0ec7e5eeb46a8d98"}},
};

/// The same on every machine: no function of the C library, all values exact in float32.
Matrix noise(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    Matrix values(rows, columns);
    std::uint64_t state = seed;
    for (Eigen::Index j = 0; j < columns; ++j)
        for (Eigen::Index i = 0; i < rows; ++i) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            values(i, j) = static_cast<double>(state >> 44U) / (1U << 19U) - 1;
        }
    return values;
}

/// With four zeros in five, as rectified units have.
Matrix rectified(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    return (noise(rows, columns, seed).array() - 0.6).cwiseMax(0);
}

/// What the features say of the targets, and noise.
Matrix targets_of(const Matrix& features, Eigen::Index count) {
    Matrix targets = noise(features.rows(), count, 99);
    for (Eigen::Index j = 0; j < count; ++j)
        for (Eigen::Index i = 0; i < features.rows(); ++i)
            targets(i, j) += 2 * features(i, j) - features(i, j + 1);
    return targets;
}

/// The same responses again with other noise, repetition by repetition.
core::Assembly repeated(const Matrix& responses, std::size_t repetitions) {
    const auto n = responses.rows();
    Matrix all(n * static_cast<Eigen::Index>(repetitions), responses.cols());
    std::vector<std::int64_t> numbers;
    std::vector<std::string> ids;
    for (std::size_t r = 0; r < repetitions; ++r)
        for (Eigen::Index i = 0; i < n; ++i) {
            all.row(static_cast<Eigen::Index>(r) * n + i) = responses.row(i);
            numbers.push_back(static_cast<std::int64_t>(r));
            ids.push_back("s" + std::to_string(i));
        }
    all += noise(all.rows(), all.cols(), 7) / 2;
    auto assembly = test::assembly_of(all);
    test::relabel(assembly, "stimulus_id", ids);
    test::relabel(assembly, "object_name", std::vector<std::string>(ids.size(), "car"));
    assembly.coordinates.push_back({"image_id", "presentation", ids});
    assembly.coordinates.push_back({"repetition", "presentation", numbers});
    return assembly;
}

/// Each three columns are the time bins of a neuroid.
core::Assembly in_time(const Matrix& values) {
    auto assembly = test::assembly_of(values);
    auto ids = core::texts(assembly, "neuroid_id");
    ids.resize(ids.size() / 3);
    assembly.dims = {assembly.dims[0], {"neuroid", ids.size()}, {"time_bin", 3}};
    test::relabel(assembly, "neuroid_id", ids);
    assembly.coordinates.push_back(
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{70, 90, 110}});
    assembly.coordinates.push_back(
        {"time_bin_end", "time_bin", std::vector<std::int64_t>{90, 110, 130}});
    return assembly;
}

class Bits {
public:
    void add(const core::Score& score) {
        add(score.value);
        if (score.error) add(*score.error);
        for (const auto value : core::as_float64(score.raw.values)) add(value);
    }
    std::string text() const { return key_.key().substr(0, 16); }

private:
    void add(double value) {
        const double missing = std::numeric_limits<double>::quiet_NaN();
        key_.add("bits", std::bit_cast<std::int64_t>(std::isnan(value) ? missing : value));
    }
    core::KeyBuilder key_;
};

core::Score score(const metrics::RegisteredMetric& metric, const Matrix& features) {
    core::Workers workers(2);
    metrics::MetricOptions options;
    options.name = metric.name;
    options.n_components = 5;
    const Matrix targets = targets_of(features, 6);
    if (metric.form == metrics::MetricForm::train_test) {
        const Eigen::Index half = features.rows() / 2;
        const auto part = [&](const Matrix& all, Eigen::Index first) {
            return metrics::AssemblyOfFile{"", test::assembly_of(all.middleRows(first, half))};
        };
        const metrics::TrainTestRecordings parts{part(features, 0), part(features, half),
                                                 part(targets, 0), part(targets, half)};
        return metrics::score_train_test(parts, options, {workers}).score;
    }
    options.cross_validation.splits = 3;
    options.cross_validation.stratification_coordinate.reset();
    const bool single = metric.time == metrics::TimeForm::single;
    const auto assembly = [&](const Matrix& values) {
        return metrics::AssemblyOfFile{"", single ? test::assembly_of(values) : in_time(values)};
    };
    return metrics::score_assemblies(assembly(features), assembly(targets), options, {workers})
        .score;
}

/// More features than rows, fewer, rectified ones, and some of several slabs and row tiles.
std::string bits_of(const metrics::RegisteredMetric& metric) {
    Bits bits;
    for (const auto& features :
         {noise(90, 300, 1), noise(120, 30, 2), rectified(130, 600, 3), noise(530, 4200, 5)})
        bits.add(score(metric, features));
    return bits.text();
}

std::string bits_of(const metrics::RegisteredCeiling& ceiling) {
    core::Workers workers(2);
    auto recordings = repeated(noise(40, 6, 4), 6);
    if (ceiling.name == "internal_consistency_temporal") {
        const auto flat = recordings;
        recordings = in_time(Eigen::Map<const Matrix>(test::numbers(flat).data(), 240, 6));
        for (const auto* name : {"stimulus_id", "object_name", "image_id", "repetition"})
            if (const auto* labels = core::find_coordinate(flat, name)) {
                std::erase_if(recordings.coordinates,
                              [&](const auto& each) { return each.name == name; });
                recordings.coordinates.push_back(*labels);
            }
    }
    if (ceiling.name == "rsa_ceiling")
        recordings.coordinates.push_back(
            {"subject", "neuroid", std::vector<std::string>{"a", "a", "b", "b", "c", "c"}});
    Bits bits;
    bits.add(ceiling.compute(recordings, workers));
    return bits.text();
}

void check(const std::string& name, int version, const std::string& bits) {
    INFO("{\"" << name << "\", {" << version << ", " << stats::gram_version << ", \"" << bits
               << "\"}},");
    const auto known = pinned.find(name);
    REQUIRE(known != pinned.end());
    const bool is_new =
        known->second.version != version || known->second.gram_version != stats::gram_version;
    INFO((is_new ? "a new version: write its bits down"
                 : "other bits under the same version: raise it, or that of the Gram"));
    CHECK(!is_new);
    CHECK(known->second.bits == bits);
}

}  // namespace

TEST_CASE("no score changes a bit without its version") {
    if (stats::numerics_fingerprint() != pinned_kernels) {
        WARN("not compared: other kernels than those pinned, " << stats::numerics_fingerprint());
        return test::skip();
    }
    for (const auto& metric : metrics::registered_metrics())
        check(metric.name, metric.version, bits_of(metric));
    for (const auto& ceiling : metrics::registered_ceilings())
        check(ceiling.name, ceiling.version, bits_of(ceiling));
}
