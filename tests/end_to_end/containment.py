#!/usr/bin/python3
"""A unit that ends its job again and again costs no other unit, and a job that hangs obeys a stop all the same.

usage: containment.py VENTRAL MPIRUN SHIM
"""
import math
import os
import shutil
import signal
import sys
import threading
import time

from program import finished_scores, journal_lines, main, score_records, scores_csv, wait, wait_for

FIRST, SECOND = "demo_designed", "demo_random"  # as the plan has them; two scores each
RUN = f"""models = ["{FIRST}", "{SECOND}"]
benchmarks = ["demo-V1-pls", "demo-V1-ridge"]
layers = {{ {FIRST} = ["stage7"], {SECOND} = ["stage7"] }}
"""
TWO_CEILINGS = f"""models = ["{FIRST}"]
benchmarks = ["demo-V1-ridge", "demo-V4-ridge"]
layers = {{ {FIRST} = ["stage7"] }}
"""
INTERRUPTED, SOME_FAILED, FAILED = 75, 2, 1
SECONDS_TO_STOP = 10
TIME_LIMIT = 8
UNIT_TIMEOUT = 10


class Trial:
    """Runs whose calls on the activations of one model crash or hang."""

    def __init__(self, program, shim, folder):
        self.program, self.shim, self.folder = program, shim, folder
        path = folder / "demo" / "two_units.toml"
        path.write_text(RUN)
        self.run = ["run", path, "--threads", 1]
        self.matches = {model: self.name_of_activations(model) for model in (FIRST, SECOND)}

    def name_of_activations(self, model):
        out = self.folder / model
        code, log = self.program.run([*self.run, "--models", model, "--out", out])
        assert code == 0, log
        return next((out / "activations").glob("*.h5")).name.split("-")[0]

    def variables(self, kind, sick, out):
        return {"LD_PRELOAD": self.shim, "FAULT_FOLDER": str(out), "FAULT_LOG": str(out.with_suffix(".calls")),
                "FAULT_RANK": "0", "FAULT_MATCH": self.matches[sick], "FAULT_KIND": kind}

    def hangs(self, sick, out):
        """Whether a run has come to the call that does not return."""
        calls = out.with_suffix(".calls")
        return calls.exists() and self.matches[sick] in calls.read_text()


def check_traces(checks, out, what):
    checks.that(not list((out / "journal").glob("*.trace")), f"{what}: a trace is left")


def check_deaths(trial, checks, out):
    """Two jobs die of the sick unit, a third when it runs alone."""
    variables = trial.variables("crash", FIRST, out)
    for ranks, healthy_scores in [(1, 0), (2, 0), (2, 2)]:
        what = f"crash on {ranks} rank(s), {healthy_scores} scores to come"
        code, log = trial.program.run([*trial.run, "--out", out], ranks, 60, variables)
        checks.that(code in (-signal.SIGSEGV, 128 + signal.SIGSEGV), f"{what}: ends with {code}", log)
        checks.that(f"rank 0: error: SIGSEGV in unit '{FIRST} on " in log, f"{what}: unit and signal are not told", log)
        checks.that(len(finished_scores(out)) == healthy_scores, f"{what}: {len(finished_scores(out))} scores", log)
        checks.that(("run alone, after all others" in log) == (healthy_scores > 0), f"{what}: alone or not?", log)


def check_left_out(trial, checks, out):
    variables = trial.variables("crash", FIRST, out)
    for _ in range(2):
        code, log = trial.program.run([*trial.run, "--out", out], 1, 60, variables)
        checks.that(code == SOME_FAILED, f"left out: ends with {code}", log)
    failed = [record for record in score_records(out) if record["status"] == "failed"]
    checks.that(len(failed) == 2, f"left out: {len(failed)} scores have failed")
    for record in failed:
        for words in ["3 × SIGSEGV", FIRST, "last on host", "alone", "left out until --retry-failed"]:
            checks.that(words in record["reason"], f"the reason lacks '{words}'", record["reason"])
        checks.that(record["class"] == "crashed" and record["model"] == FIRST, "another class or model", record)
    check_traces(checks, out, "left out")


def check_crashes(trial, checks):
    out = trial.folder / "crashes"
    check_deaths(trial, checks, out)
    check_left_out(trial, checks, out)
    code, log = trial.program.run([*trial.run, "--out", out, "--retry-failed"])
    checks.that(code == 0, f"retried: ends with {code}", log)
    check_traces(checks, out, "retried")
    code, _ = trial.program.run([*trial.run, "--out", trial.folder / "undisturbed"])
    checks.that(code == 0 and scores_csv(out) == scores_csv(trial.folder / "undisturbed"),
                "after crashes the table has other bytes")
    check_traces(checks, trial.folder / "undisturbed", "undisturbed")


# (name, ranks, whether another unit comes first, how it is stopped)
HANGS = [("usr1", 1, True, signal.SIGUSR1), ("usr1_ranks", 2, True, signal.SIGUSR1),
         ("nothing", 1, False, signal.SIGTERM), ("max_time", 1, True, "--max-time")]


def start_hang(trial, name, ranks, has_scores, how):
    out = trial.folder / name
    options = ["--max-time", TIME_LIMIT] if how == "--max-time" else []
    run = trial.run if has_scores else [*trial.run, "--models", SECOND]
    # Also a ceiling that this run computes would be something to go on from.
    shutil.copytree(trial.folder / SECOND / "ceilings", out / "ceilings")
    return trial.program.start([*run, "--out", out, *options], ranks, out.with_suffix(".log"),
                               variables=trial.variables("hang", SECOND, out))


def has_ended(process, ended):
    """Whether it has; when, stands in `ended`."""
    if process.poll() is not None:
        ended.setdefault(process.pid, time.monotonic())
    return process.pid in ended


def check_hangs(trial, checks):
    """No safe point is reached; all of them at a time, since they only wait."""
    processes = [start_hang(trial, *hang) for hang in HANGS]
    stopped = {}
    for (name, _, _, how), process in zip(HANGS, processes):
        wait_for(lambda: trial.hangs(SECOND, trial.folder / name) or process.poll() is not None)
        stopped[name] = time.monotonic()
        if how == "--max-time":  # counts from a moment before the hang, once the program has started
            stopped[name] += TIME_LIMIT
        else:
            process.send_signal(how)
    ended = {}
    wait_for(lambda: all([has_ended(process, ended) for process in processes]), 30)
    for (name, _, has_scores, _), process in zip(HANGS, processes):
        code = wait(process, 0.1)
        seconds = ended.get(process.pid, math.inf) - stopped[name]
        out = trial.folder / name
        log = out.with_suffix(".log").read_text()
        if not trial.hangs(SECOND, out):  # on a machine so slow that the limit comes first
            print(f"{name}: {code} without a hang")
            continue
        expected = INTERRUPTED if has_scores else FAILED
        print(f"{name}: {code} after {seconds:.1f} s")
        checks.that(code == expected, f"{name}: a run that hangs ends with {code}, not {expected}", log)
        checks.that(seconds < SECONDS_TO_STOP, f"{name}: ends after {seconds:.1f} s")
        checks.that("left at once" in log, f"{name}: that it left is not told", log)
        checks.that(len(finished_scores(out)) == (2 if has_scores else 0), f"{name}: other scores are on disk")
    out = trial.folder / HANGS[0][0]
    code, log = trial.program.run([*trial.run, "--out", out])
    checks.that(code == 0, f"after a hang: ends with {code}", log)
    checks.that("ended its job" not in log, "a stop counts as a death", log)
    words = [line["words"] for line in journal_lines(out) if line["kind"] == "trace"]
    checks.that(words == [["excused"]], "the trace of a forced stop", words)
    check_traces(checks, out, "after a hang")


def check_timeouts(trial, checks):
    """A unit that stands still is run alone, then left out, and the others are scored."""
    out = trial.folder / "timeouts"
    run = [*trial.run, "--out", out, "--unit-timeout", UNIT_TIMEOUT]
    variables = trial.variables("hang", FIRST, out)
    for ranks, expected, healthy_scores in [(2, INTERRUPTED, 0), (1, INTERRUPTED, 2), (1, SOME_FAILED, 2)]:
        what = f"timeout on {ranks} rank(s), {healthy_scores} scores to come"
        code, log = trial.program.run(run, ranks, 60, variables)
        checks.that(code == expected, f"{what}: ends with {code}", log)
        checks.that(len(finished_scores(out)) == healthy_scores, f"{what}: {len(finished_scores(out))} scores", log)
        checks.that((f"no progress for {UNIT_TIMEOUT}" in log), f"{what}: that nothing moved is not told", log)
    failed = [record for record in score_records(out) if record["status"] == "failed"]
    checks.that(len(failed) == 2, f"timeout: {len(failed)} scores have failed")
    for record in failed:
        checks.that(record["class"] == "timeout" and record["model"] == FIRST, "another class or model", record)
        for words in [f"2 × no progress for {UNIT_TIMEOUT} s in ", "last on host", "alone"]:
            checks.that(words in record["reason"], f"the reason lacks '{words}'", record["reason"])
    check_traces(checks, out, "timeout")


def check_ceilings(trial, checks):
    """A ceiling that ends its jobs is computed alone, then left out, and costs only the scores that need it."""
    out = trial.folder / "sick_ceiling"
    run_file = trial.folder / "demo" / "two_ceilings.toml"
    run_file.write_text(TWO_CEILINGS)
    run = ["run", run_file, "--threads", 1, "--out", out]
    ceiling = next((trial.folder / FIRST / "ceilings").glob("*.json")).name
    variables = dict(trial.variables("crash", FIRST, out), FAULT_MATCH=ceiling)
    name = "internal_consistency of demo-V1-ridge"
    for ranks in [1, 1, 2]:  # the first rank computes what is alone
        code, log = trial.program.run(run, ranks, 60, variables)
        checks.that(code in (-signal.SIGSEGV, 128 + signal.SIGSEGV), f"ceiling on {ranks} rank(s): ends with {code}", log)
        checks.that(f"error: SIGSEGV in ceiling '{name}'" in log, "ceiling: it is not named", log)
    checks.that("computed alone, after all others" in log, "ceiling: is not run alone", log)
    code, said = trial.program.answer(["plan", *run[1:]])
    checks.that(code == 0 and "2 ceilings (0 to compute, 1 left out until --retry-failed" in said,
                "ceiling left out: plan counts it", said)
    code, log = trial.program.run(run, 1, 60, variables)
    checks.that(code == SOME_FAILED, f"ceiling left out: ends with {code}", log)
    records = {record["benchmark"]: record for record in score_records(out)}
    failed = records["demo-V1-ridge"]
    checks.that(failed["class"] == "crashed" and f"the ceiling {name} has ended its job 3 times" in failed["reason"],
                "ceiling left out: another failure", failed)
    checks.that(records["demo-V4-ridge"]["status"] == "scored", "ceiling left out: it costs another score", records)
    code, log = trial.program.run([*run, "--retry-failed"])
    checks.that(code == 0, f"ceiling retried: ends with {code}", log)
    check_traces(checks, out, "ceiling")


def check_untried(trial, checks):
    """Networks that no rank can start a process for fail for now; where one of two ranks can, it tries them all."""
    out = trial.folder / "untried"
    variables = {**trial.variables("spawn", FIRST, out), "FAULT_PROCESS": "ventral"}
    code, log = trial.program.run([*trial.run, "--out", out], 1, 60, variables)
    checks.that(code == SOME_FAILED, f"untried: ends with {code}", log)
    failed = [record for record in score_records(out) if record["status"] == "failed"]
    checks.that(len(failed) == 4, f"untried: {len(failed)} scores have failed", log)
    for record in failed:
        checks.that(record["class"] == "transient" and "no process can be started" in record["reason"],
                    "untried: another class or reason", record)
    code, log = trial.program.run([*trial.run, "--out", out], 2, 60, variables)
    checks.that(code == 0 and len(finished_scores(out)) == 4, f"tried by the other rank: ends with {code}", log)


def containment(program, folder, checks):
    program.write_demo(folder / "demo")
    trial = Trial(program, os.path.abspath(sys.argv[3]), folder.resolve())
    check_crashes(trial, checks)
    check_ceilings(trial, checks)
    check_untried(trial, checks)
    timeouts = threading.Thread(target=check_timeouts, args=(trial, checks))  # which mostly wait, as hangs do
    timeouts.start()
    check_hangs(trial, checks)
    timeouts.join()


if __name__ == "__main__":
    main(containment)
