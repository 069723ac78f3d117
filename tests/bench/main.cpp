#include <benchmark/benchmark.h>

#include "process.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"

int main(int argc, char** argv) {
    ventral::jobs::prepare_process();
    benchmark::AddCustomContext("BLAS",
                                ventral::stats::blas_version() + " " + ventral::stats::blas_core());
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
