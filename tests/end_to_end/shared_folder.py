#!/usr/bin/python3
"""Runs that share a folder at the same time do no work twice, and none waits for ever for another.

usage: shared_folder.py VENTRAL MPIRUN
"""
import collections
import concurrent.futures
import fcntl
import time

from program import SMALL_RUN, journal_lines, main, scores_csv
from small_demo import make_small_demo


def times_recorded(out):
    return collections.Counter(line["key"] for line in journal_lines(out) if line["kind"] == "score")


def check_together(program, run, folder, checks):
    """Both begin at once; what one has the other takes over."""
    alone, out = folder / "alone", folder / "together"
    code, said = program.run([*run, "--out", alone])
    checks.that(code == 0, f"a run alone ends with {code}", said)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for code, said in pool.map(lambda ranks: program.run([*run, "--out", out], ranks=ranks), [1, 2, 1]):
            checks.that(code == 0, f"one of three runs ends with {code}", said)
    times = times_recorded(out)
    checks.that(len(times) == len(times_recorded(alone)) and set(times.values()) == {1},
                "scores are recorded so many times", dict(collections.Counter(times.values())))
    checks.that(scores_csv(out) == scores_csv(alone), "runs that share a folder give another table than one alone")


def check_stuck(program, run, folder, checks):
    """Another run that never ends, played by a lock on all work."""
    out = folder / "stuck"
    out.mkdir()
    with open(out / "work.lock", "w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        start = time.monotonic()
        code, said = program.run([*run, "--out", out, "--max-time", "4s"])
        took = time.monotonic() - start
        checks.that(code in (1, 75) and took < 20 and not times_recorded(out),
                    f"a run that waits and is to stop after 4 s ends with {code} after {took:.0f} s", said)
        code, said = program.run([*run, "--out", out, "--unit-timeout", "2s"], ranks=2)
        checks.that(code == 0 and "waiting for it" in said and "is done here too" in said,
                    f"a run that waits for another that never ends ends with {code}", said)


def shared_folder(program, folder, checks):
    make_small_demo(program, folder / "demo")
    run = ["run", folder / "demo" / "run.toml", *SMALL_RUN, "--threads", 1]
    check_together(program, run, folder, checks)
    check_stuck(program, run, folder, checks)


if __name__ == "__main__":
    main(shared_folder)
