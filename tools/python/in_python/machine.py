"""The cores and BLAS kernels that both sides of a comparison get, and what Open MPI is told."""
import os

# Containers run as root, may have one core only and may forbid one process to read another's memory. Values of the
# user's are to win over these.
MPI_IN_CONTAINERS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                     "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def use_cores(count):
    """Binds this process, and what it starts, to `count` of its cores."""
    cores = sorted(os.sched_getaffinity(0))
    if count > len(cores):
        raise SystemExit(f"--threads {count}: only {len(cores)} cores are available")
    os.sched_setaffinity(0, cores[:count])


def blas_core():
    """The kernels that fit the processor: OpenBLAS takes one newer than itself for an old one."""
    with open("/proc/cpuinfo") as cpuinfo:
        flags = next((line for line in cpuinfo if line.startswith("flags")), "").split()
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= set(flags):
        return "SkylakeX"
    return "Haswell" if {"avx2", "fma"} <= set(flags) else None


def environment(threads):
    """For Python and the program alike. An OPENBLAS_CORETYPE of the user's stays."""
    values = os.environ | {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    core = blas_core()
    return values if core is None else {"OPENBLAS_CORETYPE": core} | values
