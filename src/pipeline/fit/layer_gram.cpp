#include "pipeline/fit/layer_gram.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <numeric>
#include <utility>

#include "comm/run_collectively.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "metrics/features.hpp"
#include "pipeline/fit/gram_checkpoint.hpp"
#include "stats/gram/gram_parts.hpp"
#include "stats/gram/matrix_slabs.hpp"
#include "stats/gram/narrow_features.hpp"
#include "stats/gram/odd_feature.hpp"

namespace ventral::pipeline {
namespace {

LayerSums copy_of(const stats::GramSums& sums) {
    const auto copy = [](std::span<const double> values) {
        return std::vector<double>(values.begin(), values.end());
    };
    return {copy(sums.centred_times_mean), copy(sums.row_sums), copy(sums.row_extremes),
            sums.mean_squared};
}

stats::MatrixView reduced_of(const LayerGram& gram) {
    const auto n = static_cast<Eigen::Index>(gram.rows);
    return {gram.reduced.data(), n, static_cast<Eigen::Index>(gram.reduced.size()) / n};
}

stats::Kernel kernel_of(const LayerGram& gram) {
    const auto n = static_cast<Eigen::Index>(gram.rows);
    if (gram.kernel.empty()) return stats::Kernel::of_features(reduced_of(gram));
    return stats::MatrixView(gram.kernel.data(), n, n);
}

stats::TeamShare share_of(comm::Communicator& team) {
    return {static_cast<std::size_t>(team.rank()), static_cast<std::size_t>(team.size()),
            [&team] { team.barrier(); }};
}

void add_sums(LayerSums& sum, const LayerSums& more) {
    for (std::size_t row = 0; row < sum.row_sums.size(); ++row) {
        sum.centred_times_mean[row] += more.centred_times_mean[row];
        sum.row_sums[row] += more.row_sums[row];
        auto& least = sum.row_extremes[2 * row];
        auto& largest = sum.row_extremes[2 * row + 1];
        least = std::min(least, more.row_extremes[2 * row]);
        largest = std::max(largest, more.row_extremes[2 * row + 1]);
    }
    sum.mean_squared += more.mean_squared;
}

void gather_kernel(const LayerGram& gram, const std::vector<std::size_t>& rows, LayerGram& part,
                   TeamContext& context) {
    part.kernel = share_doubles(rows.size() * rows.size(), context.team);
    const auto size = static_cast<std::size_t>(context.team.size());
    for (std::size_t j = static_cast<std::size_t>(context.team.rank()); j < rows.size(); j += size)
        for (std::size_t i = 0; i < rows.size(); ++i)
            part.kernel[j * rows.size() + i] = gram.kernel[rows[j] * gram.rows + rows[i]];
}

void gather_reduced(const LayerGram& gram, const std::vector<std::size_t>& rows, LayerGram& part,
                    TeamContext& context) {
    if (gram.reduced.empty()) return;
    const std::size_t columns = gram.reduced.size() / gram.rows;
    part.reduced = share_doubles(rows.size() * columns, context.team);
    if (!context.leads()) return;
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < rows.size(); ++i)
            part.reduced[j * rows.size() + i] = gram.reduced[j * gram.rows + rows[i]];
}

/// What is known of the features on this rank that may be shown.
core::Assembly labels_of(const FeatureSource& source, const std::string& layer,
                         const FeatureNames& names) {
    core::Assembly labels;
    const auto add_neuroids = [&](const core::Assembly& features) {
        if (const auto* neuroids = core::find_coordinate(features, "neuroid_id"))
            labels.coordinates.push_back(*neuroids);
    };
    if (const auto* table = std::get_if<const core::Assembly*>(&source)) add_neuroids(**table);
    if (const auto* file = std::get_if<const StoredFeatures*>(&source))
        add_neuroids(layer_labels((*file)->labels(), layer));
    if (!names.stimulus_ids.empty())
        labels.coordinates.push_back({"stimulus_id", "presentation", names.stimulus_ids});
    return labels;
}

/// Why there is no Gram: the feature that is to blame, or else `reason`. Collective.
std::string problem_of(const std::string& reason, std::size_t features, SharedSlabs& slabs,
                       const core::Assembly& labels) {
    const auto odd = stats::find_odd_feature(
        features, [&](std::size_t first, std::size_t count) { return slabs.read(first, count); });
    return odd ? metrics::odd_feature_text(labels, *odd) : reason;
}

/// What is being built, for messages; `told` may be collective.
struct Building {
    std::string out_of_memory;
    std::function<std::string(const std::string& reason)> told = [](const auto& reason) {
        return reason;
    };
    std::function<void()> require_unchanged = {};  ///< see `FeatureNames`
};

/// Runs `build`, which throws `core::InputError` on all ranks or on none, and throws that so that
/// what the ranks share can be given back. Collective.
template <typename Build>
void build_together(const Building& what, TeamContext& context, const Build& build) {
    std::string problem;
    try {
        build();
    } catch (const core::TransientError&) {
        throw;
    } catch (const core::InputError& error) {
        problem = what.told(error.what());
    } catch (const std::bad_alloc&) {
        if (context.team.size() > 1) core::log_error(what.out_of_memory);
        throw;
    }
    comm::run_collectively(context.team, [&] {
        if (context.leads() && what.require_unchanged) what.require_unchanged();
        if (!problem.empty()) throw core::InputError(problem);
    });
}

/// Builds K of what `read` gives into memory of its own, and gives what that takes back.
LayerSums build_kernel(LayerGram& gram, const Building& what, const stats::ReadSlab& read,
                       std::size_t slabs_at_once, TeamContext& context) {
    const auto sizes = stats::gram_sizes(gram.rows, gram.features);
    auto kept = share_doubles(sizes.kept(), context.team);
    const auto scratch = share_doubles(sizes.scratch(), context.team);
    const auto memory = stats::gram_parts(kept, scratch, gram.rows, gram.features);
    build_together(what, context, [&] {
        stats::build_gram({gram.rows, gram.features, read}, memory, context.workers,
                          share_of(context.team), slabs_at_once);
    });
    gram.kernel = {memory.kernel, std::move(kept.memory)};
    return copy_of(
        {memory.centred_times_mean, memory.row_sums, memory.row_extremes, memory.mean_squared[0]});
}

/// Makes the centred features of a layer that has fewer of them than rows.
LayerSums centre_features(LayerGram& gram, const Building& what, const stats::ReadSlab& read,
                          TeamContext& context) {
    gram.reduced = share_doubles(gram.rows * gram.features, context.team);
    const auto scratch =
        share_doubles(stats::narrow_scratch(gram.rows, gram.features), context.team);
    const auto memory = stats::narrow_memory(gram.reduced, scratch, gram.rows);
    build_together(what, context, [&] {
        stats::centre_narrow(gram.features, read, memory, context.workers, share_of(context.team));
    });
    return copy_of(memory.sums());
}

/// Has the Gram of some rows the offset that the features have: that of the rows' own mean is taken
/// back. The ranks take its columns in turn.
void keep_offset(LayerGram& part, const LayerSums& of_rows, TeamContext& context) {
    const auto& products = of_rows.centred_times_mean;
    const auto size = static_cast<std::size_t>(context.team.size());
    for (auto j = static_cast<std::size_t>(context.team.rank()); j < part.rows; j += size)
        for (std::size_t i = 0; i < part.rows; ++i)
            part.kernel[j * part.rows + i] += (products[i] + products[j]) + of_rows.mean_squared;
    context.team.barrier();
}

/// K where the features stood for it, since more of them or other rows need it: their products as
/// they are, which `gram.sums` belong to.
void hold_kernel(LayerGram& gram, TeamContext& context) {
    if (!gram.kernel.empty()) return;
    const Building what{"out of memory while few features are multiplied"};
    const std::size_t widest = std::min(gram.features, stats::slab_features);
    const auto slab = share_doubles(gram.rows * widest, context.team);
    const auto read = [&](std::size_t first, std::size_t count) {
        const auto values = slab.first(gram.rows * count);
        if (context.leads()) stats::turn_columns(reduced_of(gram), first, count, values);
        context.team.barrier();
        return stats::FeatureMatrix{std::span<const double>(values), gram.rows, count, count};
    };
    keep_offset(gram, build_kernel(gram, what, read, 1, context), context);
}

LayerGram built_gram(const FeatureSource& source, const std::string& layer, TeamContext& context,
                     const FeatureNames& names) {
    const auto shape = shared_shape(source, layer, context.team);
    LayerGram gram;
    gram.rows = shape.rows;
    gram.features = shape.features;
    SharedSlabs slabs(source, layer, shape, context);
    const auto read = [&](std::size_t first, std::size_t count) {
        return slabs.read(first, count);
    };
    const Building what{
        "layer '" + layer + "': out of memory while its Gram is built",
        [&](const std::string& reason) {
            return (names.place.empty() ? "" : names.place + ": ") + "layer '" + layer + "': " +
                   problem_of(reason, shape.features, slabs, labels_of(source, layer, names));
        },
        names.require_unchanged};
    const bool is_narrow = stats::has_narrow_form(gram.rows, gram.features);
    if (!is_narrow) gram.sums = build_kernel(gram, what, read, slabs.at_once(), context);
    if (gram.features < gram.rows) {
        const auto sums = centre_features(gram, what, read, context);
        if (is_narrow) gram.sums = sums;
    }
    return gram;
}

}  // namespace

SharedDoubles share_doubles(std::size_t count, comm::Communicator& team) {
    auto memory = team.share(count * sizeof(double));
    return {memory->as<double>(), std::move(memory)};
}

metrics::FeatureForms forms_of(const LayerGram& gram) {
    metrics::FeatureForms forms{kernel_of(gram), gram.features};
    forms.sums = {gram.sums.centred_times_mean, gram.sums.row_sums, gram.sums.row_extremes,
                  gram.sums.mean_squared};
    if (!gram.reduced.empty())
        forms.reduced =
            stats::ReducedFeatures([&gram]() -> stats::Matrix { return reduced_of(gram); });
    return forms;
}

LayerGram make_gram(const FeatureSource& source, const std::string& layer, const std::string& key,
                    TeamContext& context, const FeatureNames& names) {
    const auto time = context.time(Stage::gram);
    auto gram = built_gram(source, layer, context, names);
    core::give_back_much_freed_memory();
    comm::run_collectively(context.team, [&] {
        if (context.leads() && context.kept.grams == Keep::keep) keep_gram(gram, key, context);
    });
    return gram;
}

void add_gram(LayerGram& sum, LayerGram more, TeamContext& context) {
    const auto time = context.time(Stage::gram);
    comm::run_collectively(context.team, [&] {
        if (sum.rows != more.rows)
            throw core::InputError("layers of different numbers of rows cannot be concatenated");
    });
    const std::size_t features = sum.features + more.features;
    if (!stats::has_narrow_form(sum.rows, features)) {
        hold_kernel(sum, context);
        hold_kernel(more, context);
        if (context.leads())
            for (std::size_t i = 0; i < sum.kernel.size(); ++i) sum.kernel[i] += more.kernel[i];
    }
    SharedDoubles reduced;
    if (features < sum.rows) {
        reduced = share_doubles(sum.rows * features, context.team);
        if (context.leads())
            std::copy(more.reduced.begin(), more.reduced.end(),
                      std::copy(sum.reduced.begin(), sum.reduced.end(), reduced.begin()));
    }
    context.team.barrier();
    add_sums(sum.sums, more.sums);
    sum.features = features;
    sum.reduced = std::move(reduced);
}

void make_reduced(LayerGram& gram, const FeatureColumns& columns, TeamContext& context,
                  const std::function<void()>& require_unchanged) {
    const auto time = context.time(Stage::gram);
    // What fails leaves nothing behind.
    auto reduced = share_doubles(gram.rows * std::min(gram.rows, gram.features), context.team);
    const auto scratch =
        share_doubles(stats::reducing_scratch(gram.rows, gram.features), context.team);
    std::vector<std::size_t> rows(gram.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const auto reader = columns.reader(rows);
    const auto read = [&](std::size_t first, std::size_t count) {
        context.stop.check(context.team);
        stats::FeatureMatrix slab;
        comm::run_collectively(context.team, [&] {
            if (context.leads()) slab = reader(first, count);
        });
        context.got_on();
        context.progress.step("reduce, feature", first + count, gram.features);
        return slab;
    };
    const Building what{"out of memory while features are reduced"};
    build_together(what, context, [&] {
        stats::reduce_features({gram.rows, gram.features, read}, reduced, scratch, context.workers,
                               share_of(context.team));
    });
    require_unchanged();
    gram.reduced = std::move(reduced);
}

LayerGram gather_rows(const LayerGram& gram, const std::vector<std::size_t>& rows,
                      TeamContext& context) {
    const auto time = context.time(Stage::gram);
    LayerGram part;
    part.rows = rows.size();
    part.features = gram.features;
    if (!gram.kernel.empty()) gather_kernel(gram, rows, part, context);
    for (const auto row : rows) {
        part.sums.centred_times_mean.push_back(gram.sums.centred_times_mean[row]);
        part.sums.row_sums.push_back(gram.sums.row_sums[row]);
        part.sums.row_extremes.push_back(gram.sums.row_extremes[2 * row]);
        part.sums.row_extremes.push_back(gram.sums.row_extremes[2 * row + 1]);
    }
    part.sums.mean_squared = gram.sums.mean_squared;
    gather_reduced(gram, rows, part, context);
    context.team.barrier();
    if (!stats::has_narrow_form(part.rows, part.features)) hold_kernel(part, context);
    return part;
}

}  // namespace ventral::pipeline
