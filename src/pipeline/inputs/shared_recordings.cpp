#include "pipeline/inputs/shared_recordings.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "comm/total.hpp"
#include "core/allocator.hpp"
#include "pipeline/inputs/prepared_archives.hpp"

namespace ventral::pipeline {
namespace {

/// Of matrices.
constexpr std::size_t told_at_once = (16 << 20) / sizeof(double);

bool is_prepared_everywhere(const RecordingsReader& recordings, std::size_t benchmark,
                            comm::Communicator& team) {
    return !comm::on_any_rank(team, !recordings.is_prepared(benchmark));
}

/// The first rank's values become those of the others, whose matrix has its size.
void tell(const stats::Matrix& of_first, stats::Matrix& of_others, comm::Communicator& team) {
    const bool tells = team.rank() == 0;
    const auto values = static_cast<std::size_t>(tells ? of_first.size() : of_others.size());
    for (std::size_t first = 0; first < values; first += told_at_once) {
        std::string piece(sizeof(double) * std::min(told_at_once, values - first), '\0');
        if (tells) std::memcpy(piece.data(), of_first.data() + first, piece.size());
        piece = team.broadcast(piece, 0);
        if (!tells) std::memcpy(of_others.data() + first, piece.data(), piece.size());
    }
}

/// Of the first rank, which has it, for the others. Collective.
PreparedBenchmark prepared_of_first(const PreparedBenchmark* read, comm::Communicator& team) {
    std::string packed;
    PreparedBenchmark told;
    comm::run_collectively(team, [&] {
        if (read) packed = comm::pack(*read);
    });
    packed = team.broadcast(packed, 0);
    comm::run_collectively(team, [&] {
        if (!read) told = comm::unpack<PreparedBenchmark>(packed);
    });
    const auto& from = read ? *read : told;
    tell(from.plan.targets, told.plan.targets, team);
    tell(from.plan.averages, told.plan.averages, team);
    return told;
}

void read_and_tell(RecordingsReader& recordings, std::size_t benchmark, comm::Communicator& team) {
    const bool reads = team.rank() == 0;
    comm::run_collectively(team, [&] {
        if (reads || recordings.is_prepared(benchmark)) recordings.prepared(benchmark);
    });
    if (is_prepared_everywhere(recordings, benchmark, team)) return;
    auto told = prepared_of_first(reads ? &recordings.prepared(benchmark) : nullptr, team);
    if (recordings.is_prepared(benchmark)) return;
    recordings.keep(benchmark, std::move(told));
    core::give_back_freed_memory();
}

}  // namespace

void prepare_together(RecordingsReader& recordings, std::size_t benchmark,
                      comm::Communicator& team) {
    try {
        read_and_tell(recordings, benchmark, team);
    } catch (const comm::CollectiveError&) {
        recordings.forget(benchmark);  // so that no rank goes on with what another lacks
        throw;
    }
}

double telling_bytes(const PreparedBenchmark& prepared) {
    const auto& plan = prepared.plan;
    const auto values = static_cast<double>(plan.targets.size() + plan.averages.size());
    const double pieces = 2 * std::min(values, static_cast<double>(told_at_once));
    const double packed = prepared.kept_bytes() - sizeof(double) * values;
    return sizeof(double) * pieces + 3 * packed;
}

}  // namespace ventral::pipeline
