"""What the processes of a run take of memory, as the kernel tells while they run."""
import dataclasses
import os
import resource
import subprocess
import tempfile
import time

from . import machine

KIB = 1024


@dataclasses.dataclass
class Watched:
    peak: int           # bytes of the node: what the ranks have for themselves, and once what they share
    code: int
    log: str
    cpu_seconds: float
    samples: list       # (seconds since the start, resident bytes of the node, what `also` said)


def status(pid):
    """VmHWM, RssAnon, RssFile and RssShmem in bytes; nothing once the process has gone."""
    try:
        with open(f"/proc/{pid}/status") as file:
            lines = [line.split() for line in file if line.startswith(("VmHWM", "Rss"))]
    except OSError:
        return {}
    return {line[0].rstrip(":"): int(line[1]) * KIB for line in lines}


def ranks_of(pid, ranks):
    """All children of mpirun that compute, or the process itself."""
    if ranks == 1:
        return [pid]
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def resident(all_ranks):
    own = sum(each.get("RssAnon", 0) + each.get("RssFile", 0) for each in all_ranks)
    return own + max((each.get("RssShmem", 0) for each in all_ranks), default=0)


def environment():
    return machine.MPI_IN_CONTAINERS | os.environ | {
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1"}


def watch(command, ranks=1, every=0.01, also=lambda: None):
    """Runs it to its end; `also` is asked with every sample. The peak of one rank is the kernel's own, of several the largest sample."""
    prefix = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile("w+") as log:
        start = time.monotonic()
        process = subprocess.Popen([*prefix, *command], stdout=log, stderr=log, env=environment())
        peak, samples = 0, []
        while process.poll() is None:
            now = [status(pid) for pid in ranks_of(process.pid, ranks)]
            sample = resident(now)
            if sample:
                samples.append((time.monotonic() - start, sample, also()))
                peak = max(peak, sample, now[0].get("VmHWM", 0) if ranks == 1 else 0)
            time.sleep(every)
        log.seek(0)
        said = log.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Watched(peak, process.returncode, said, seconds, samples)
