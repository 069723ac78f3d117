#include <algorithm>
#include <cerrno>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "comm/mpi_session.hpp"
#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "config/unknown_name.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "exit_codes.hpp"
#include "file_trial.hpp"
#include "first_rank.hpp"
#include "io/hdf5/survivable.hpp"
#include "isa.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "process.hpp"
#include "start_again.hpp"
#include "subcommand.hpp"
#include "trial_process.hpp"
#include "usage_error.hpp"

namespace {

using namespace ventral;

/// Runs the chosen subcommand on the ranks that it is for; every rank returns the same code.
int run_on_ranks(const jobs::Subcommand& chosen, comm::Communicator& world) {
    if (chosen.ranks == jobs::Ranks::all) return chosen.run(world);
    return jobs::on_first_rank(world,
                               [&](std::size_t) { return chosen.run(*comm::make_serial()); });
}

constexpr const char* lack_of_memory =
    "memory: the process may not take as much as it needs (--memory, a limit of the shell or of "
    "the job, or the machine is full) raise it, or start fewer ranks or threads";

/// A reason as people are told it: without memory, also for a thread, the system names no cause.
std::string told(const std::string& reason) {
    const bool is_bare =
        reason == std::bad_alloc().what() || reason == std::generic_category().message(EAGAIN);
    return is_bare ? lack_of_memory : reason;
}

/// What --isa says; empty without it.
std::string asked_isa(const jobs::Subcommand& chosen) {
    const auto* option = chosen.app->get_option_no_throw("--isa");
    return option && option->count() > 0 ? option->as<std::string>() : std::string();
}

/// Throws `core::InputError` if this node lacks what the subcommand needs, which others may have.
void require_fit_node(const jobs::Subcommand& chosen, char** argv) {
    if (jobs::is_for_networks_program(argv))
        throw core::InputError(
            std::string(jobs::networks_program) + ": '" + chosen.app->get_name() +
            "' needs this program, and it cannot be started from the folder of ventral (the two "
            "belong together) put it there");
    jobs::require_pinned_isa(asked_isa(chosen));
}

/// An error that all ranks have agreed on, or a stop that they were asked for, ends the program in
/// order; one that a rank alone has met would leave the others waiting, so that rank ends the job.
int run_and_report(const jobs::Subcommand& chosen, char** argv, comm::Communicator& world) {
    try {
        comm::run_collectively(world, [&] { require_fit_node(chosen, argv); });
        return run_on_ranks(chosen, world);
    } catch (const comm::CollectiveError& error) {
        // The log says already that the first rank speaks.
        const auto rank = error.rank() == 0 ? "" : "rank " + std::to_string(error.rank()) + ": ";
        if (world.rank() == 0) core::log_error(rank + told(error.failure().reason));
    } catch (const core::Interrupted& stop) {
        if (world.rank() == 0) core::log_error(stop.what());
    } catch (const std::exception& error) {
        core::log_error(told(error.what()));
        if (world.size() > 1) comm::abort_job(jobs::exit_failed);
    }
    return jobs::exit_failed;
}

/// Whether what read the output has ended, as `head` does once it has seen enough: no error.
bool output_is_closed_pipe() {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// The first word, if it is meant to be a subcommand and is none.
std::optional<std::string> unknown_subcommand(int argc, char** argv,
                                              const std::vector<jobs::Subcommand>& subcommands) {
    if (argc < 2 || argv[1][0] == '-') return std::nullopt;
    std::vector<std::string> names;
    for (const auto& subcommand : subcommands) names.push_back(subcommand.app->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return std::nullopt;
    return config::unknown_name("subcommand", argv[1], names);
}

/// Why these ranks cannot work together, if so: with unlike command lines each would wait for what
/// the others do not do.
std::optional<std::string> unlike_arguments(int argc, char** argv, comm::Communicator& world) {
    const auto all = comm::gather_records(world, std::vector<std::string>(argv + 1, argv + argc));
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (all[rank] != all[0])
            return "rank " + std::to_string(rank) +
                   " was started with other arguments than rank 0, give mpirun one command";
    return std::nullopt;
}

/// An empty value is a shell variable that is not set: as a folder it would mean another one.
void require_no_empty_values(const CLI::App& app) {
    for (const auto* option : app.get_options())
        for (const auto& value : option->results())
            if (value.empty())
                throw core::InputError(option->get_name() + ": is empty (an unset variable?)");
}

int run_program(int argc, char** argv, comm::Communicator& world) {
    CLI::App app{"ventral scores models of the primate visual system against brain recordings"};
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("ventral ") + VENTRAL_VERSION);
    const std::vector<jobs::Subcommand> subcommands = {
        jobs::add_run(app),     jobs::add_plan(app),          jobs::add_check(app),
        jobs::add_list(app),    jobs::add_layers(app),        jobs::add_report(app),
        jobs::add_metric(app),  jobs::add_ceiling(app),       jobs::add_readout(app),
        jobs::add_extract(app), jobs::add_select_layers(app), jobs::add_verify(app),
        jobs::add_demo(app)};
    for (const auto& subcommand : subcommands)
        if (subcommand.app->get_option_no_throw("--threads")) jobs::add_isa_option(*subcommand.app);
    auto problem = unlike_arguments(argc, argv, world);
    if (!problem) problem = unknown_subcommand(argc, argv, subcommands);
    if (problem) {
        if (world.rank() == 0) core::log_error(*problem);
        return jobs::exit_failed;
    }
    try {
        app.parse(argc, argv);
        for (const auto& subcommand : subcommands) require_no_empty_values(*subcommand.app);
    } catch (const core::InputError& error) {
        if (world.rank() == 0) core::log_error(error.what());
        return jobs::exit_failed;
    } catch (const CLI::ParseError& outcome) {
        const bool is_question = outcome.get_exit_code() == 0;  // --help, --version
        if (world.rank() == 0 && is_question) app.exit(outcome);
        if (world.rank() == 0 && !is_question) core::log_error(jobs::usage_error(app, outcome));
        return is_question ? jobs::exit_done : jobs::exit_failed;
    }
    for (const auto& subcommand : subcommands)
        if (subcommand.app->parsed()) return run_and_report(subcommand, argv, world);
    return jobs::exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
    jobs::prepare_process();
    try {
        // Before memory is bounded: libtorch starts threads once, and waits for them for ever where
        // it cannot.
        if (models::has_networks()) models::configure_torch();
        const bool under_mpiexec = comm::under_mpiexec();
        if (models::has_networks() || under_mpiexec) jobs::start_trial_server();
        io::try_files_with(jobs::try_file);
        std::optional<comm::MpiSession> mpi;
        if (under_mpiexec) mpi.emplace();
        const auto world = mpi ? comm::make_mpi_world() : comm::make_serial();
        if (world->size() > 1)
            core::configure_log(
                {core::LogLevel::info, "rank " + std::to_string(world->rank()) + ": "});
        int code = run_program(argc, argv, *world);
        if (!std::cout.flush() && !output_is_closed_pipe()) {
            core::log_error("standard output cannot be written: the result is lost");
            code = jobs::exit_failed;
        }
        world->barrier();  // mpirun kills the others as soon as one rank ends with a code other
                           // than 0
        return code;
    } catch (const std::exception& error) {
        core::log_error(told(error.what()));
        comm::abort_job(jobs::exit_failed);
    }
}
