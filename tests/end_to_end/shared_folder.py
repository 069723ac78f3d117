#!/usr/bin/python3
"""Runs that share a folder at the same time do no work twice, and none waits for ever for another.

usage: shared_folder.py VENTRAL MPIRUN
"""
import collections
import concurrent.futures
import fcntl
import itertools
import pathlib
import signal
import time

from program import SMALL_RUN, journal_lines, main, scores_csv, wait, wait_for
from small_demo import make_small_demo


def times_recorded(out):
    return collections.Counter(line["key"] for line in journal_lines(out) if line["kind"] == "score")


def check_together(program, run, folder, checks):
    """All begin at once; what one is at the others put off, and take over what it has finished."""
    alone, out = folder / "alone", folder / "together"
    code, said = program.run([*run, "--out", alone])
    checks.that(code == 0, f"a run alone ends with {code}", said)
    ceilings = said.count("info: ceiling ")
    logs = []
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for code, said in pool.map(lambda ranks: program.run([*run, "--out", out], ranks=ranks), [1, 2, 1]):
            checks.that(code == 0, f"one of three runs ends with {code}", said)
            logs.append(said)
    times = times_recorded(out)
    checks.that(len(times) == len(times_recorded(alone)) and set(times.values()) == {1},
                "scores are recorded so many times", dict(collections.Counter(times.values())))
    checks.that(scores_csv(out) == scores_csv(alone), "runs that share a folder give another table than one alone")
    computed = sum(log.count("info: ceiling ") for log in logs)
    checks.that(0 < computed <= ceilings, f"{computed} ceilings are computed by three runs, {ceilings} by one", "\n".join(logs))
    at_work = len({line["unit"] + segment for segment, line in started(out)})
    checks.that(at_work == len({line["unit"] for _, line in started(out)}) == 2,
                f"two units are begun {at_work} times", "\n".join(logs))


def started(out):
    """What runs have begun and had something to do on: (segment, line)."""
    for segment in sorted(pathlib.Path(out, "journal").glob("*.journal")):
        lines = journal_lines(out, segment.name)
        for place, line in enumerate(lines):
            if line["kind"] != "started":
                continue
            until_next = itertools.takewhile(lambda later: later["kind"] != "started", lines[place + 1:])
            if any(later["kind"] == "score" for later in until_next):
                yield segment.name, line


def check_stop(program, run, out, checks):
    """While it waits: nothing is begun."""
    start = time.monotonic()
    code, said = program.run([*run, "--out", out, "--max-time", "4s", "--unit-timeout", "0"], ranks=2)
    took = time.monotonic() - start
    checks.that(code == 1 and took < 20 and "waiting for it" in said,
                f"a run that waits and is to stop after 4 s ends with {code} after {took:.0f} s", said)
    checks.that(not times_recorded(out) and not list(out.glob("ceilings/*")), "it has begun what another was at")


def check_kills(program, run, out, checks):
    """While it waits: what it waits for is not to blame."""
    for _ in range(4):
        process = program.start([*run, "--out", out], log=out / "log")
        waits = wait_for(lambda: "waiting for it" in (out / "log").read_text(), 30)
        process.kill()
        process.wait()
        checks.that(waits, "a run does not say that it waits", (out / "log").read_text())


def check_taken_over(program, run, folder, checks):
    """A run that is killed while another waits for it: that goes on from what it has recorded."""
    out = folder / "taken_over"
    first = program.start([*run, "--out", out, "--models", "demo_designed"])
    wait_for(lambda: len(times_recorded(out)) > 4 or first.poll() is not None)
    first.send_signal(signal.SIGSTOP)
    second = program.start([*run, "--out", out, "--models", "demo_designed"], ranks=2, log=folder / "second.log")
    waits = wait_for(lambda: "waiting for it" in (folder / "second.log").read_text(), 30)
    checks.that(waits, "the second run does not wait for the first", (folder / "second.log").read_text())
    first.kill()
    first.wait()
    code = wait(second, 60)
    times = times_recorded(out)
    checks.that(code == 0 and set(times.values()) == {1}, f"the second run ends with {code}, scores recorded so many times",
                dict(collections.Counter(times.values())))


def check_stuck(program, run, folder, checks):
    """Another run that never ends, played by a lock on all work."""
    out = folder / "stuck"
    out.mkdir()
    with open(out / "work.lock", "w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        check_stop(program, run, out, checks)
        check_kills(program, run, out, checks)
        code, said = program.run([*run, "--out", out, "--unit-timeout", "2s"], ranks=2)
        checks.that(code == 0 and "waiting for it" in said and "is done here too" in said,
                    f"a run that waits for another that never ends ends with {code}", said)
        checks.that("has ended its job" not in said and "alone" not in said, "work is blamed for runs that waited", said)


def check_last_shard(program, run, folder, checks):
    """The tables are left to the last shard that is at work."""
    out = folder / "shards"
    shards = [[*run, "--out", out, "--shard", f"{i}/2"] for i in range(2)]
    first = program.start(shards[0], log=folder / "first.log")
    wait_for(lambda: times_recorded(out) or first.poll() is not None)
    first.send_signal(signal.SIGSTOP)
    code, said = program.run(shards[1], ranks=2)
    checks.that(code == 0 and "the last of them writes the tables" in said and not list(out.glob("scores.*")),
                f"a shard beside another that is at work ends with {code}, with tables", said)
    first.send_signal(signal.SIGCONT)
    code = wait(first, 60)
    checks.that(code == 0 and scores_csv(out) == scores_csv(folder / "alone"),
                f"the last shard ends with {code}, with another table than one run", (folder / "first.log").read_text())


def shared_folder(program, folder, checks):
    make_small_demo(program, folder / "demo")
    run = ["run", folder / "demo" / "run.toml", *SMALL_RUN[2:], "--threads", 1]
    check_together(program, run, folder, checks)
    check_taken_over(program, run, folder, checks)
    check_stuck(program, run, folder, checks)
    check_last_shard(program, run, folder, checks)


if __name__ == "__main__":
    main(shared_folder)
