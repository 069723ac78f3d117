#define CATCH_CONFIG_RUNNER
#include <array>
#include <iostream>
#include <sstream>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "comm/mpi_session.hpp"
#include "core/library_destructors.hpp"
#include "support/shared.hpp"

namespace {

/// Every rank runs all cases; rank 0 reports, another rank speaks only when a check fails on it.
int run_on_mpi_ranks(Catch::Session& session) {
    const ventral::comm::MpiSession mpi;
    const auto world = ventral::comm::make_mpi_world();
    std::ostringstream report;
    auto* const terminal = std::cout.rdbuf();
    if (world->rank() > 0) std::cout.rdbuf(report.rdbuf());
    std::array<std::int64_t, 2> ranks_with{session.run() != 0, ventral::test::is_skipped()};
    auto& [failures, skips] = ranks_with;
    std::cout.rdbuf(terminal);
    if (failures != 0 && world->rank() > 0)
        std::cout << "on rank " << world->rank() << ":\n" << report.str() << std::flush;
    world->sum(ranks_with);
    if (failures != 0) return 1;
    return skips != 0 ? ventral::test::skipped_code : 0;
}

bool only_lists(const Catch::ConfigData& options) {
    return options.listTests || options.listTags || options.listReporters ||
           options.listTestNamesOnly || options.showHelp || options.libIdentify;
}

}  // namespace

int main(int argc, char* argv[]) {
    ventral::core::skip_library_destructors();
    Catch::Session session;
    if (const int error = session.applyCommandLine(argc, argv)) return error;
    const bool mpi = ventral::comm::under_mpiexec() && !only_lists(session.configData());
    if (mpi) return run_on_mpi_ranks(session);
    if (session.run() != 0) return 1;
    return ventral::test::is_skipped() ? ventral::test::skipped_code : 0;
}
