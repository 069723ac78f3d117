#include "pipeline/fit/gram_checkpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/activations/gram_file.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "stats/gram/gram.hpp"

namespace ventral::pipeline {
namespace {

io::GramCheckpoint checkpoint_of(const LayerGram& gram) {
    io::GramCheckpoint checkpoint;
    checkpoint.rows = gram.rows;
    checkpoint.features = gram.features;
    if (!gram.kernel.empty()) checkpoint.packed = stats::pack_triangle(gram.kernel, gram.rows);
    checkpoint.centred_times_mean = gram.sums.centred_times_mean;
    checkpoint.mean_squared = gram.sums.mean_squared;
    checkpoint.row_sums = gram.sums.row_sums;
    checkpoint.row_extremes = gram.sums.row_extremes;
    checkpoint.centred_features.assign(gram.reduced.begin(), gram.reduced.end());
    return checkpoint;
}

}  // namespace

std::optional<LayerGram> load_gram(const std::string& key, TeamContext& context) {
    const auto time = context.time(Stage::io);
    std::optional<io::GramCheckpoint> checkpoint;
    comm::run_collectively(context.team, [&] {
        if (context.leads()) checkpoint = io::read_gram(gram_path(context.out, key), key);
    });
    std::vector<std::uint64_t> shape;
    if (checkpoint)
        shape = {checkpoint->rows, checkpoint->features, checkpoint->packed.empty() ? 0U : 1U};
    shape = comm::unpack<std::vector<std::uint64_t>>(context.team.broadcast(comm::pack(shape), 0));
    if (shape.empty()) return std::nullopt;
    LayerGram gram;
    gram.rows = shape[0];
    gram.features = shape[1];
    if (shape[2] != 0) gram.kernel = share_doubles(gram.rows * gram.rows, context.team);
    if (gram.features < gram.rows)
        gram.reduced = share_doubles(gram.rows * gram.features, context.team);
    if (checkpoint) {
        if (!gram.kernel.empty())
            stats::unpack_triangle(checkpoint->packed, gram.rows, gram.kernel);
        std::copy(checkpoint->centred_features.begin(), checkpoint->centred_features.end(),
                  gram.reduced.begin());
        gram.sums = {std::move(checkpoint->centred_times_mean), std::move(checkpoint->row_sums),
                     std::move(checkpoint->row_extremes), checkpoint->mean_squared};
    }
    gram.sums = comm::unpack<LayerSums>(context.team.broadcast(comm::pack(gram.sums), 0));
    context.team.barrier();
    return gram;
}

void keep_gram(const LayerGram& gram, const std::string& key, const TeamContext& context) {
    const auto time = context.time(Stage::io);
    try {
        io::write_gram(gram_path(context.out, key), key, context.provenance, checkpoint_of(gram));
        if (context.checkpointed) context.checkpointed();
    } catch (const core::OutputError& error) {
        core::log_warning(gram_path(context.out, key) + ": not kept (" + error.what() +
                          "); the Gram is used all the same");
    }
}

}  // namespace ventral::pipeline
