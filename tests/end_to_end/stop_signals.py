#!/usr/bin/python3
"""A run that is asked to stop ends soon with the code that says so, and goes on when started again.

usage: stop_signals.py VENTRAL MPIRUN
"""
import os
import pathlib
import signal
import time

from program import in_pairs, journal_lines, main, scores_csv, wait, wait_for

INTERRUPTED = 75
NOTHING_RECORDED = 1
SECONDS_TO_STOP = 10
# Two models on four benchmarks: seconds of fits after the first result is on disk.
LARGE_RUN = ["--benchmarks", "demo-V1-pls,demo-V2-pls,demo-V4-pls,demo-IT-pls"]


def results_on_disk(out):
    return [line for line in journal_lines(out) if line["kind"] in ("folds", "score")]


def check_signal(program, checks, run, out, number, ranks):
    """Ends in order, with results on disk."""
    what = f"{signal.Signals(number).name} to {ranks} rank(s)"
    process = program.start([*run, "--out", out], ranks, out.with_suffix(".log"))
    wait_for(lambda: results_on_disk(out) or process.poll() is not None)
    process.send_signal(number)
    start = time.monotonic()
    code = wait(process, 60)
    seconds = time.monotonic() - start
    print(f"{what}: exit code {code} after {seconds:.2f} s", flush=True)
    checks.that(code == INTERRUPTED, f"{what}: ends with {code}, not 75", out.with_suffix(".log").read_text())
    checks.that("the same command goes on from here" in out.with_suffix(".log").read_text(),
                f"{what}: how to go on is not said")
    checks.that(seconds < SECONDS_TO_STOP, f"{what}: stops after {seconds:.1f} s")
    checks.that(results_on_disk(out), f"{what}: nothing is on disk")


def check_goes_on(program, checks, run, out, number, ranks, expected):
    check_signal(program, checks, run, out, number, ranks)
    what = f"after {signal.Signals(number).name} to {ranks} rank(s)"
    check_resume(program, checks, run, out, what, expected)
    after = [(line["kind"], line["key"], line.get("group")) for line in results_on_disk(out)]
    checks.that(len(set(after)) == len(after), f"{what}: something was done twice")


def check_resume(program, checks, run, out, what, expected):
    code, log = program.run([*run, "--out", out])
    checks.that(code == 0, f"{what}: the resumed run ends with {code}", log)
    checks.that(scores_csv(out) == expected, f"{what}: the resumed run gives other bytes")


def check_early_signal(program, checks, run, out, expected):
    """As soon as the output folder is there nothing can be recorded yet."""
    process = program.start([*run, "--out", out])
    wait_for(lambda: (out / "journal").is_dir() or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    code = wait(process, 60)
    recorded = bool(results_on_disk(out))
    checks.that(code == (INTERRUPTED if recorded else NOTHING_RECORDED),
                f"early SIGTERM: ends with {code}, recorded: {recorded}")
    check_resume(program, checks, run, out, "early SIGTERM", expected)


def check_first_extraction(program, checks, run, out):
    """While the first network runs, nothing but ceilings is on disk; that is said."""
    log = out.with_suffix(".log")
    process = program.start([*run, "--out", out], log=log)
    wait_for(lambda: " on demo (1 of 2)" in log.read_text() or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    code = wait(process, 60)
    checks.that(code == INTERRUPTED, f"SIGTERM to the first extraction: ends with {code}", log.read_text())
    more = [line for line in journal_lines(out) if line["kind"] in ("folds", "score", "progress")]
    checks.that(("no more than ceilings recorded" in log.read_text()) == (not more),
                f"SIGTERM to the first extraction: {len(more)} lines are on disk", log.read_text())


def processor_seconds(process):
    """What the process has taken so far, however busy the machine is."""
    after_name = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def has_signals_wait(process):
    """Before that the system still loads the program's libraries, and a signal just ends it."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    blocked = next(line for line in status.splitlines() if line.startswith("SigBlk:"))
    return int(blocked.split()[1], 16) >> (signal.SIGUSR1 - 1) & 1


def check_signal_at_start(program, checks, run, out, expected):
    """While the libraries are initialised, which takes most of a start."""
    for seconds, number in ((0, signal.SIGUSR1), (0.2, signal.SIGUSR1), (0.2, signal.SIGTERM)):
        process = program.start([*run, "--out", out])
        wait_for(lambda: has_signals_wait(process) or process.poll() is not None)
        end = processor_seconds(process) + seconds
        wait_for(lambda: processor_seconds(process) >= end)
        process.send_signal(number)
        code = wait(process, 60)
        checks.that(code in (INTERRUPTED, NOTHING_RECORDED),
                    f"{number.name} {seconds} s after the start: ends with {code}")
    check_resume(program, checks, run, out, "a signal at the start", expected)


def check_time_limit(program, checks, run, out, expected):
    limit = 0.5
    for _ in range(20):
        start = time.monotonic()
        code, log = program.run([*run, "--out", out, "--max-time", f"{limit}s"])
        seconds = time.monotonic() - start
        print(f"--max-time {limit} s: exit code {code} after {seconds:.2f} s", flush=True)
        checks.that(code in (0, NOTHING_RECORDED, INTERRUPTED), f"--max-time: ends with {code}", log)
        checks.that(code != NOTHING_RECORDED or not results_on_disk(out) or "stopped" in log,
                    "--max-time: ends with 1 and does not say why", log)
        checks.that(seconds < limit + SECONDS_TO_STOP, f"--max-time: stops after {seconds:.1f} s")
        if code == 0:
            break
        limit *= 3
    checks.that(scores_csv(out) == expected, "--max-time: run after run gives other bytes")


def check_terminal(program, checks, run, folder, expected):
    """The terminal is closed: a run stops, but for one under nohup, which goes on."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    check_signal(program, checks, run, folder / "hup", signal.SIGHUP, 1)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    process = program.start([*run, "--out", folder / "nohup"])
    wait_for(lambda: results_on_disk(folder / "nohup") or process.poll() is not None)
    process.send_signal(signal.SIGHUP)
    code = wait(process, 120)
    checks.that(code == 0 and scores_csv(folder / "nohup") == expected, f"SIGHUP, ignored: the run ends with {code}")


def stop_signals(program, folder, checks):
    program.write_demo(folder / "demo")
    run = ["run", folder / "demo" / "run.toml", *LARGE_RUN, "--threads", 1]
    code, log = program.run([*run, "--out", folder / "undisturbed"])
    checks.that(code == 0, f"the undisturbed run ends with {code}", log)
    expected = scores_csv(folder / "undisturbed")
    check_terminal(program, checks, run, folder, expected)
    in_pairs(lambda check: check(), [
        lambda: check_goes_on(program, checks, run, folder / "usr1_ranks", signal.SIGUSR1, 2, expected),
        lambda: check_goes_on(program, checks, run, folder / "usr1", signal.SIGUSR1, 1, expected),
        lambda: check_signal(program, checks, run, folder / "term", signal.SIGTERM, 1),
        lambda: check_goes_on(program, checks, run, folder / "int", signal.SIGINT, 1, expected),
        lambda: check_early_signal(program, checks, run, folder / "early", expected),
        lambda: check_first_extraction(program, checks, run, folder / "extraction"),
        lambda: check_signal_at_start(program, checks, run, folder / "start", expected),
        lambda: check_time_limit(program, checks, run, folder / "max_time", expected)])


if __name__ == "__main__":
    main(stop_signals)
