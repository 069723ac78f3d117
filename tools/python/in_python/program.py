"""Runs of the program: result, time and peak memory. Imports nothing large, see `run`."""
import dataclasses
import json
import os
import re
import subprocess
import tempfile
import time

TOOLS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PHASE = re.compile(r"([a-z]+) ([0-9.e+-]+) s")


def add_ventral_option(parser):
    parser.add_argument("--ventral", default=os.path.join(TOOLS, "../build/release/jobs/ventral"),
                        help="the program (default: build/release)")


@dataclasses.dataclass
class Run:
    seconds: float       # from start to end, reading included
    peak: int            # bytes
    output: str
    phases: dict         # seconds by phase, as the program states them; empty if it does not
    log: str

    def score(self):
        return json.loads(self.output)

    def computing(self):
        """Seconds without start and reading; None if the program does not state them."""
        return sum(seconds for phase, seconds in self.phases.items() if phase != "read") if self.phases else None


class Failed(Exception):
    pass


def phases_of(log):
    line = next((line for line in log.splitlines() if "timing:" in line), "")
    return {phase: float(seconds) for phase, seconds in PHASE.findall(line.partition("timing:")[2])}


def run(command, environment=None):
    """The peak is the kernel's ru_maxrss, which begins at the size of whoever starts the process: stay small."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as log:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=log, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        log.seek(0)
        text = log.read()
        if process.returncode != 0:
            raise Failed(f"{' '.join(command)}: exit code {process.returncode}\n{text.strip()}")
        return Run(seconds, usage.ru_maxrss * 1024, output.read(), phases_of(text), text)


class Program:
    """The `ventral` of a build, with options that not every version of it has."""

    def __init__(self, path, threads):
        self.path, self.threads = os.path.abspath(path), threads
        if not os.access(self.path, os.X_OK):
            raise SystemExit(f"{path}: no program there (tools/build makes build/release/jobs/ventral)")
        self.help = {kind: run([self.path, kind, "--help"]).output for kind in ("metric", "ceiling", "readout")}

    def has(self, kind, option):
        return option in self.help[kind]

    def score(self, kind, name, files, params=None, options=()):
        command = [self.path, kind, name, "--json"]
        if self.has(kind, "--threads"):
            command += ["--threads", str(self.threads)]
        for role, path in files.items():
            command += ["--" + role, path]
        if params:
            command += ["--params", json.dumps(params)]
        if self.has(kind, "--timing"):
            command.append("--timing")
        return run(command + list(options))

    def idle_peak(self):
        return run([self.path, "list", "metrics"]).peak
