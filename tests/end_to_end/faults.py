#!/usr/bin/python3
"""A disk that fails at any call costs no finished score, leaves no half file and changes no bit.

usage: faults.py VENTRAL MPIRUN SHIM

Each case is a run in which one call on a file of the output folder fails, and its resumption with another number of
ranks. VENTRAL_FAULTS = i/n takes every n-th case from the i-th on: 0/1 are all of them.
"""
import collections
import concurrent.futures
import json
import os
import re
import shutil
import signal
import sys
import time

from program import finished_scores, main, score_records, scores_csv
from small_demo import make_small_demo

# Two scores of one layer, so that every kind of file is written and there is something to lose. A network would be
# tried in a process of its own before each run.
MODEL = """identifier = "few_pixels"
builtin = "pixels"
visual_degrees = 8.0
batch_size = 8
layers = ["pixels"]

[preprocessing]
resize = [4, 4]
mean = [0.5, 0.5, 0.5]
std = [0.25, 0.25, 0.25]
"""
RUN = """models = ["few_pixels"]
benchmarks = ["demo-V1-pls", "demo-V1-ridge"]
layers = "candidates"
"""
SECONDS = 90
# (ranks, of which the one whose calls fail).
PLACES = [(1, 0), (2, 0), (2, 1)]
# (what happens, once or from then on, at writes only)
FAULTS = [("kill", "once", False), ("ENOSPC", "onwards", False), ("EIO", "once", False), ("short", "once", True),
          ("short", "onwards", True)]
# What is found is worth nothing without them.
MUST_BE_KEPT = ("journal", "scores.csv", "scores.json", "scores.nc")
REASONS = {"ENOSPC": os.strerror(28), "EIO": os.strerror(5), "short": os.strerror(28)}
TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.[0-9a-f]{8}-[0-9]+\.tmp$")

Call = collections.namedtuple("Call", "rank part number name path")
Case = collections.namedtuple("Case", "number ranks call kind span resumed")


def counted_calls(log):
    """What the shim has written down."""
    if not log.exists():
        return []
    lines = [line.split(" ", 4) for line in log.read_text().splitlines()]
    return [Call(int(rank), part, int(number), name, path) for rank, part, number, name, path in lines]


def final_name(path):
    return TEMPORARY.sub("", path)


class Trial:
    """Runs of one grid with a shim below them."""

    def __init__(self, program, shim, run, folder):
        self.program, self.shim, self.run, self.folder = program, shim, run, folder

    def start(self, out, ranks, rank, **fault):
        """(exit code, stderr, counted calls) of a run."""
        log = out.with_suffix(".calls")
        variables = {"LD_PRELOAD": self.shim, "FAULT_FOLDER": str(out), "FAULT_LOG": str(log), "FAULT_RANK": str(rank)}
        variables.update({"FAULT_" + name.upper(): str(value) for name, value in fault.items()})
        code, said = self.program.run([*self.run, "--out", out], ranks, SECONDS, variables)
        return code, said, counted_calls(log)


def cases(trial, checks):
    """Every fault at every call of undisturbed runs."""
    found = []
    for ranks in sorted({ranks for ranks, _ in PLACES}):
        code, said, calls = trial.start(trial.folder / f"undisturbed{ranks}", ranks, 0)
        checks.that(code == 0, f"the undisturbed run on {ranks} rank(s) ends with {code}", said)
        for call in calls:
            for kind, span, at_writes in FAULTS:
                if (ranks, call.rank) in PLACES and (not at_writes or "write" in call.name):
                    resumed = 3 if len(found) % 4 == 0 else 3 - ranks
                    found.append(Case(len(found), ranks, call, kind, span, resumed))
    return found


def check_coverage(checks, all_cases):
    """The kinds of calls that a run is known to make are counted, HDF5's on each rank among them."""
    counted = {(case.ranks, case.call.rank, case.call.name, case.call.part) for case in all_cases}
    for needed in [(1, 0, "pwrite", "activations"), (1, 0, "pwrite", "grams"), (1, 0, "pwrite", "journal"),
                   (1, 0, "fdatasync", "journal"), (1, 0, "open", "journal"), (1, 0, "rename", "activations"),
                   (1, 0, "write", "scores.csv"), (1, 0, "write", "ceilings"), (2, 0, "fsync", "activations"),
                   (2, 0, "pwrite", "activations"), (2, 1, "pwrite", "activations")]:
        checks.that(needed in counted, f"no such call is counted: {needed}")


def end_of_hdf5(path):
    """The length that an HDF5 file states of itself."""
    head = path.read_bytes()[:48]
    place = 28 if head[8:9] >= b"\2" else 40
    return int.from_bytes(head[place:place + 8], "little")


def half_files(out, whole):
    """Files with a final name that are not complete."""
    ceilings = {path.name: path.read_bytes() for path in whole.glob("ceilings/*")}
    bad = [path for pattern in ("activations/*.h5", "grams/*.h5", "scores.nc") for path in out.glob(pattern)
           if not 0 < end_of_hdf5(path) <= path.stat().st_size]
    bad += [path for path in out.glob("ceilings/*.json") if path.read_bytes() != ceilings[path.name]]
    bad += [path for path in out.glob("scores.csv") if len(path.read_bytes().splitlines()) != 3]
    bad += [path for path in out.glob("scores.json") if len(json.loads(path.read_text())) != 2]
    return bad


def values(out):
    """What the records say of the scores, without where and when."""
    return [[record[name] for name in ("key", "value", "error", "raw_value", "ceiling", "margins")]
            for record in score_records(out)]


def must_be_kept(path, part):
    """Whether a run that cannot write the file has to end; without the trace of crashes it goes on."""
    return part in MUST_BE_KEPT and not final_name(path).endswith(".trace")


def names_it(said, path):
    """Whether a message names the file or its folder; of a trace or a lock that cannot be written there is none, but of
    what fails after it."""
    path = final_name(path)
    return path.endswith((".trace", ".lock")) or os.path.basename(path) in said or os.path.dirname(path) + ":" in said


def wrong_end(case, code, said, out, expected):
    """What is wrong with how the disturbed run has ended, or nothing."""
    if code is None:
        return f"hangs for {SECONDS} s"
    if case.kind == "kill":
        return "" if code == (-signal.SIGKILL if case.ranks == 1 else 128 + signal.SIGKILL) else f"ends with {code}"
    if case.kind == "short" and case.span == "once":
        return "" if code == 0 else f"ends with {code} although all bytes could be written"
    # HDF5 tries to open before it creates.
    opened_again = case.call.name == "open" and case.span == "once" and final_name(case.call.path).endswith((".h5", ".nc"))
    if code not in ((1,) if must_be_kept(case.call.path, case.call.part) and not opened_again else (0, 1, 2)):
        return f"ends with {code}"
    if code == 0:  # the ceiling is used without its file
        return "" if scores_csv(out) == expected else "ends with 0 and has another table"
    if code == 2 and b",failed," not in scores_csv(out):
        return "ends with 2 and no score has failed"
    if not names_it(said, case.call.path) or REASONS[case.kind].lower() not in said.lower():
        return f"ends with {code} and names no file with a reason"
    if case.ranks == 1 and list(out.rglob("*.tmp")):
        return f"ends with {code} and leaves temporary files"
    return ""


def run_case(trial, checks, case, whole, ended):
    """Runs one case; counts in `ended` how it ended."""
    out = trial.folder / f"case{case.number}"
    code, said, calls = trial.start(out, case.ranks, case.call.rank, part=case.call.part, call=case.call.number,
                                    kind=case.kind, span=case.span)
    hit = [call for call in calls if call[:3] == case.call[:3]]
    if not hit:  # group commits follow the clock, and either rank may do the ceiling
        ended["not reached"] += 1
        shutil.rmtree(out)
        return
    case = case._replace(call=hit[0])
    what = (f"case {case.number}: {case.kind} {case.span} at call {case.call.number} in {case.call.part}, {case.call.name} of "
            f"{os.path.relpath(case.call.path, out)}, on rank {case.call.rank} of {case.ranks}")
    expected = scores_csv(whole)
    wrong = wrong_end(case, code, said, out, expected)
    checks.that(not wrong, f"{what}: {wrong}", said)
    half = half_files(out, whole)
    checks.that(not half, f"{what}: half a file has its final name", half)
    before = finished_scores(out)
    resumed, resumed_said = trial.program.run([*trial.run, "--out", out], case.resumed, SECONDS)
    checks.that(resumed == 0, f"{what}: resumed with {case.resumed} rank(s) it ends with {resumed}", resumed_said)
    checks.that(scores_csv(out) == expected and values(out) == values(whole), f"{what}: resumed it gives other values")
    after = finished_scores(out)
    lost = sum(after.count(score) != 1 for score in before)
    checks.that(not lost, f"{what}: {lost} finished scores were lost or done again")
    checks.that(" again" not in resumed_said, f"{what}: damage is found when it is resumed", resumed_said)
    ended[f"{case.kind} {case.span}: exit code {code}"] += 1
    ended["scores on disk before"] += len(before)
    ended["scores lost"] += lost
    shutil.rmtree(out)


def faults(program, folder, checks):
    make_small_demo(program, folder / "demo")
    (folder / "demo" / "models" / "few_pixels.toml").write_text(MODEL)
    (folder / "demo" / "faults.toml").write_text(RUN)
    run = ["run", folder / "demo" / "faults.toml", "--threads", 1]
    trial = Trial(program, os.path.abspath(sys.argv[3]), run, folder.resolve())
    all_cases = cases(trial, checks)
    check_coverage(checks, all_cases)
    first, step = map(int, os.environ.get("VENTRAL_FAULTS", "0/89").split("/"))
    chosen = all_cases[first::step]
    start, ended = time.monotonic(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:  # a run waits now and then
        for done in [pool.submit(run_case, trial, checks, case, trial.folder / "undisturbed1", ended) for case in chosen]:
            done.result()
    print(f"{len(chosen)} of {len(all_cases)} cases in {time.monotonic() - start:.0f} s:")
    for kind, count in sorted(ended.items()):
        print(f"  {kind}: {count}")


if __name__ == "__main__":
    main(faults)
