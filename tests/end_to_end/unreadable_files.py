#!/usr/bin/python3
"""What the system cannot do now is tried again: no score fails for good, no table loses what was scored.

usage: unreadable_files.py VENTRAL MPIRUN SHIM
"""
import os
import shutil
import sys
import time

from program import SMALL_RUN, main, score_records, scores_csv, wait_for
from small_demo import make_small_demo

STALE = os.strerror(116)
SETTLED_S = 10.1
WEIGHTS = "demo_designed.ts"


class Unreadable:
    """A shim below the program, for which nothing can be read that has `match` in its path."""

    def __init__(self, program, shim):
        self.program, self.shim = program, shim

    def run(self, arguments, match, kind="unread", process=""):
        variables = {"LD_PRELOAD": self.shim, "FAULT_RANK": "0", "FAULT_KIND": kind, "FAULT_MATCH": match, "FAULT_PROCESS": process}
        return self.program.run(arguments, variables=variables)


def failures(out):
    return [record for record in score_records(out) if record["status"] == "failed"]


def with_hashes(whole, name):
    """A new output folder for which inputs are read only where they are used."""
    out = whole.with_name(name.replace(" ", "_"))
    out.mkdir()
    shutil.copy2(whole / "hashes.json", out)
    return out


def check_failed_for_now(checks, what, code, said, out):
    failed = failures(out)
    checks.that(code == 2 and failed, f"{what}: the run ends with {code} and {len(failed)} failed scores", said)
    classes = sorted({failure["class"] for failure in failed})
    checks.that(classes == ["transient"], f"{what}: the failures are {classes}", failed[:1])
    checks.that(all(STALE in failure["reason"] for failure in failed), f"{what}: the reason does not say why", failed[:1])


def check_tried_again(program, unreadable, checks, what, run, out, match, whole):
    """A run that cannot read what has `match` in its path, and the next one that can."""
    code, said = unreadable.run([*run, "--out", out], match)
    check_failed_for_now(checks, what, code, said, out)
    code, said = program.run([*run, "--out", out])
    checks.that(code == 0 and scores_csv(out) == scores_csv(whole), f"{what}: run again it ends with {code}", said)


def remember_hashes(program, checks, run, whole):
    """A run that does nothing but hash: files that have just been written are not remembered."""
    files = [path for path in whole.with_name("demo").rglob("*") if path.is_file()]
    newest = max(path.stat().st_ctime for path in files)
    wait_for(lambda: time.time() > newest + SETTLED_S)
    code, said = program.run([*run, "--out", whole])
    checks.that(code == 0 and (whole / "hashes.json").exists(), f"hashes are not kept, the run ends with {code}", said)


def unreadable_files(program, folder, checks):
    demo, whole = folder / "demo", folder / "whole"
    make_small_demo(program, demo)
    unreadable = Unreadable(program, os.path.abspath(sys.argv[3]))
    run = ["run", demo / "run.toml", *SMALL_RUN, "--threads", 1]
    code, said = program.run([*run, "--out", whole])
    checks.that(code == 0, f"the undisturbed run ends with {code}", said)
    image = sorted((demo / "data" / "images").iterdir())[7].name
    check_tried_again(program, unreadable, checks, "an image, hashed", run, folder / "hashed", image, whole)
    check_journal(unreadable, checks, run, whole)
    remember_hashes(program, checks, run, whole)
    for what, match in (("image", image), ("weights", WEIGHTS), ("recordings", "recordings.nc"),
                        ("own activations", "/activations/")):
        check_tried_again(program, unreadable, checks, what, run, with_hashes(whole, what), match, whole)
    check_trials(program, unreadable, checks, run, whole)


def check_trials(program, unreadable, checks, run, whole):
    """The process in which a network is tried ends for want of memory, waits for a disk, or cannot read the network."""
    for kind, failure_class, words in (("killed", "out_of_memory", "needs more memory than there is"),
                                       ("alarmed", "transient", "waits and does not end"),
                                       ("unread", "transient", STALE)):
        out, what = whole.with_name(kind), f"a trial that is {kind}"
        code, said = unreadable.run([*run, "--out", out, "--memory", "1GiB"], WEIGHTS, kind, "try-networks")
        failed = failures(out)
        checks.that(code == 2 and failed, f"{what}: the run ends with {code} and {len(failed)} failed scores", said)
        for record in failed:
            checks.that(record["class"] == failure_class and words in record["reason"]
                        and "export it again" not in record["reason"], f"{what}: another class or reason", record)
        code, said = program.run([*run, "--out", out, "--memory", "2GiB"])
        checks.that(code == 0 and scores_csv(out) == scores_csv(whole), f"{what}: run again it ends with {code}", said)


def check_journal(unreadable, checks, run, whole):
    before = {path.name: path.read_bytes() for path in whole.glob("scores.*")}
    for arguments in ([*run, "--out", whole], ["report", whole, "--out", whole]):
        code, said = unreadable.run(arguments, "/journal")
        checks.that(code == 1 and STALE in said, f"without its journal '{arguments[0]}' ends with {code}", said)
        after = {path.name: path.read_bytes() for path in whole.glob("scores.*")}
        checks.that(after == before, f"without its journal '{arguments[0]}' changes the tables")


if __name__ == "__main__":
    main(unreadable_files)
