#include <cstdlib>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "stats/blas_kernels.hpp"
#include "stats/linear_algebra.hpp"

namespace {

/// As the program does: OpenBLAS hears which kernels to take only when it loads.
void restart_with_fitting_kernels(char** arguments) {
    const auto core = ventral::stats::stronger_blas_core();
    if (!core || std::getenv(ventral::stats::blas_core_variable)) return;
    setenv(ventral::stats::blas_core_variable, core->c_str(), 1);
    execv("/proc/self/exe", arguments);
}

}  // namespace

int main(int argc, char** argv) {
    restart_with_fitting_kernels(argv);
    ventral::stats::use_one_blas_thread();
    benchmark::AddCustomContext("BLAS",
                                ventral::stats::blas_version() + " " + ventral::stats::blas_core());
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
