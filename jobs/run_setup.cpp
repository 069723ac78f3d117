#include "run_setup.hpp"

#include "comm/mpi_session.hpp"
#include "commit.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/where_and_when.hpp"
#include "exit_codes.hpp"
#include "io/file_libraries.hpp"
#include "leaderboard/settings_of_records.hpp"
#include "network_trial.hpp"
#include "process.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "stimuli/image_libraries.hpp"

namespace ventral::jobs {
void report_speed(core::Workers& workers, comm::Communicator& world) {
    const double rate = stats::dgemm_rate(workers, 1);
    if (world.rank() == 0)
        core::log_info(std::to_string(world.size()) + " rank(s) × " +
                       std::to_string(workers.threads()) + " thread(s); OpenBLAS " +
                       stats::blas_core() + " kernels, DGEMM " + core::rounded_text(rate / 1e9) +
                       " GFLOP/s per rank");
}

pipeline::RunOptions run_options(const config::RunRecord& run, const std::string& out) {
    pipeline::RunOptions options;
    options.out = out;
    options.provenance = {{"version", VENTRAL_VERSION},
                          {"commit", commit()},
                          {core::config_entry, run.origin},
                          {"host", core::host_name()},
                          {"libraries", comm::mpi_library() + ", " + io::file_libraries() + ", " +
                                            stimuli::image_libraries()},
                          {"seed", std::to_string(run.seed)},
                          {leaderboard::settings_entry, leaderboard::settings_text(run.settings)}};
    options.peak_memory = peak_memory;
    check_trial_seconds();
    options.network_trial = crashing_networks;
    return options;
}

int tell_of_stop(const pipeline::RunResult& result, const comm::Communicator& world,
                 const std::string& next) {
    if (world.rank() == 0)
        core::log_warning(result.recorded
                              ? "stopped" +
                                    std::string(result.only_ceilings
                                                    ? " with no more than ceilings recorded: "
                                                    : ": ") +
                                    next + " (exit code 75)"
                              : "stopped before anything was recorded (exit code 1, since a job "
                                "that gets no further is not to be requeued for ever) start it "
                                "again, with more time if a limit has ended it");
    return result.recorded ? exit_interrupted : exit_failed;
}

}  // namespace ventral::jobs
