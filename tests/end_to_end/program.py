"""What the end-to-end tests share: running the program, and reading what it leaves."""
import array
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Two benchmarks of one model of the demo: 14 scores in about two seconds.
SMALL_RUN = ["--models", "demo_designed", "--benchmarks", "demo-V1-pls,demo-V1-ridge"]


def strong_blas_core():
    """The kernels that the program starts itself anew for where OpenBLAS knows no better; said to it at once, a short
    run takes half the time."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0].split())
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= flags:
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    return {"OPENBLAS_CORETYPE": "Haswell"} if {"avx2", "fma"} <= flags else {}


def environment():
    """As a build machine needs it: root, more ranks than cores, and no rank that waits by spinning."""
    return dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", **STRONG_BLAS_CORE,
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_mpi_yield_when_idle="1")


STRONG_BLAS_CORE = strong_blas_core()


class Program:
    """The program under test, with or without mpirun."""

    def __init__(self, ventral, mpirun):
        self.ventral = os.path.abspath(ventral)
        self.mpirun = mpirun

    def has_address_sanitizer(self):
        """Its allocator ends the process where there is no memory, and it takes much more memory itself."""
        return b"__asan_init" in pathlib.Path(self.ventral).read_bytes()

    def start(self, arguments, ranks=1, log=None, folder="/", variables=None, file_bytes=None):
        """A running process, with `variables` in its environment; its stderr goes to the file `log`. Writes beyond
        `file_bytes` of a file fail, as on a disk that is full."""
        prefix = ["prlimit", f"--fsize={file_bytes}:"] if file_bytes else []
        prefix += [self.mpirun, "-n", str(ranks)] if ranks > 1 else []
        with open(log or os.devnull, "w") as stderr:
            return subprocess.Popen([*prefix, self.ventral, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                    stderr=stderr, env=dict(environment(), **(variables or {})), cwd=folder,
                                    start_new_session=True)

    def run(self, arguments, ranks=1, limit=120, variables=None, file_bytes=None):
        """(exit code, stderr); the code is None if the program had to be killed after `limit` seconds."""
        with tempfile.NamedTemporaryFile("r", errors="replace") as log:
            process = self.start(arguments, ranks, log.name, variables=variables, file_bytes=file_bytes)
            code = wait(process, limit)
            return code, log.read()

    def write_demo(self, folder):
        """The demo's files, copied where the tests of a build share a demo (VENTRAL_DEMO)."""
        shared = os.environ.get("VENTRAL_DEMO")
        if shared:
            shutil.copytree(shared, folder, dirs_exist_ok=True)
            return
        code, log = self.run(["demo", folder])
        if code != 0:
            raise RuntimeError(f"the demo cannot be written: {log}")

    def answer(self, arguments, limit=120, variables=None):
        """(exit code, all that is said) of a subcommand that only looks."""
        result = subprocess.run([self.ventral, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=dict(environment(), **(variables or {})), cwd="/", timeout=limit, check=False)
        return result.returncode, result.stdout.decode(errors="replace")

    @staticmethod
    def interrupt(process):
        """Ctrl-C, which a terminal sends to all processes of the job."""
        os.killpg(process.pid, signal.SIGINT)


def wait(process, limit):
    """The exit code, or None and the end of all its processes after `limit` seconds."""
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def children(pid):
    """The ids of the processes that this one has started; none once it has gone."""
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def processes_of(process, ranks):
    """The ids of the processes that compute: all children of mpirun, or the process itself."""
    return [process.pid] if ranks == 1 else children(process.pid)


def journal_lines(out, segments="*.journal"):
    """The objects of all whole lines of OUT/journal."""
    lines = []
    for segment in sorted(pathlib.Path(out, "journal").glob(segments)):
        for line in segment.read_bytes().split(b"\n"):
            length, _, rest = line.partition(b" ")
            text = rest[9:]
            if length.isdigit() and int(length) == len(text):
                lines.append(json.loads(text))
    return lines


def finished_scores(out):
    """(key, value) of every score in the journal, as often as it stands there."""
    return [(line["key"], line["value"]) for line in journal_lines(out) if line["kind"] == "score"]


def wait_for(condition, limit=60, every=0.01):
    """Whether `condition()` comes true within `limit` seconds."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(every)
    return False


def scores_csv(out):
    path = pathlib.Path(out, "scores.csv")
    return path.read_bytes() if path.exists() else b""


def score_records(out):
    path = pathlib.Path(out, "scores.json")
    return json.loads(path.read_text()) if path.exists() else []


def raw_values(out, record):
    """Of a score: split × neuroid, row by row."""
    values = array.array("d")
    with open(out / record["raw"]["file"], "rb") as file:
        file.seek(record["raw"]["offset"])
        values.frombytes(file.read(8 * record["raw"]["count"]))
    return list(values)


def in_pairs(test, cases):
    """What `test(case)` returns for each case, in their order. Two are tried at a time: none may touch another's files."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(test, cases))


class Checks:
    """Counts what was checked; says at once what was wrong. Threads may share it."""

    def __init__(self):
        self.checked = 0
        self.failed = 0
        self._lock = threading.Lock()

    def that(self, good, what, details=""):
        with self._lock:
            self.checked += 1
            if not good:
                self.failed += 1
                print("WRONG:", what, *(["\n    " + str(details).strip().replace("\n", "\n    ")] if details else []),
                      flush=True)
        return good

    def exit_code(self):
        print(f"{self.checked} checks, {self.failed} wrong")
        return 1 if self.failed or not self.checked else 0


def main(test):
    """Runs `test(program, folder, checks)` in a temporary folder and exits.

    usage: TEST VENTRAL MPIRUN
    """
    # Whoever has started the test may have it blocked, and mpirun, unlike the program, would never see it.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        test(Program(sys.argv[1], sys.argv[2]), pathlib.Path(folder), checks)
    sys.exit(checks.exit_code())
