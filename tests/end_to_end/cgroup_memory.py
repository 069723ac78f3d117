#!/usr/bin/python3
"""In a cgroup with a memory limit a run keeps below it, so that nothing is killed, and says whose limit it is.

usage: cgroup_memory.py VENTRAL MPIRUN

Skipped where this process may make no cgroup with a memory limit: that takes root, and not every container has it.
"""
import os
import pathlib
import re
import sys

from program import Program, main, score_records

SKIPPED = 77
SOME_FAILED = 2
MIB = 1 << 20
OF_A_RANK = 500 * MIB
TOO_LITTLE = 200 * MIB  # less than the program with its libraries, more than what it has for itself alone
GOOD, HUNGRY = "demo_designed", "demo_random"


class MemoryGroup:
    """A cgroup below this process's own; a context that removes it."""

    def __init__(self, folder, limit_file, kills_file):
        self.folder, self.limit_file, self.kills_file = folder, folder / limit_file, folder / kills_file

    def __enter__(self):
        self.folder.mkdir()
        return self

    def __exit__(self, *_):
        self.folder.rmdir()

    def limit(self, size):
        self.limit_file.write_text(str(size))

    def kills(self):
        return int(re.search(r"^oom_kill (\d+)$", self.kills_file.read_text(), re.MULTILINE).group(1))


def candidates():
    """As proc(5) says of /proc/self/cgroup and mountinfo; where all groups are mounted."""
    own = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        top, at = fields.split()[3:5]
        for _, controllers, path in own:
            folder = pathlib.Path(at + path, f"ventral_test_{os.getpid()}")
            if kind == "cgroup" and top == "/" and "memory" in controllers.split(",") and "memory" in options.split(","):
                yield MemoryGroup(folder, "memory.limit_in_bytes", "memory.oom_control")
            if kind == "cgroup2" and top == "/" and not controllers:
                yield MemoryGroup(folder, "memory.max", "memory.events")


def memory_group():
    for group in candidates():
        try:
            with group:
                group.limit(1 << 30)
            return group
        except OSError:
            continue
    return None


def write_run(program, folder):
    program.write_demo(folder)
    record = folder / "models" / f"{HUNGRY}.toml"
    text, replaced = re.subn(r"(?m)^batch_size *=.*$", "batch_size = 4096", record.read_text())
    record.write_text(text if replaced else "batch_size = 4096\n" + text)
    return [folder / "run.toml", "--benchmarks", "demo-V1-pls", "--threads", 1]


def check_run(inside, checks, group, run, out, ranks):
    what = f"{ranks} rank(s)"
    group.limit(ranks * OF_A_RANK)
    code, log = inside.run(["run", *run, "--models", f"{GOOD},{HUNGRY}", "--out", out], ranks)
    checks.that(code == SOME_FAILED, f"{what}: ends with {code}", log)
    checks.that(group.kills() == 0, f"{what}: the kernel killed {group.kills()}", log)
    checks.that(f"on a node: {group.limit_file}" in log, f"{what}: whose limit it is, is not said", log)
    for record in score_records(out):
        hungry = record["model"] == HUNGRY
        checks.that(record["status"] == ("failed" if hungry else "scored"), f"{what}: {record['status']}", record)
        if hungry:
            checks.that(record.get("class") == "out_of_memory" and record["memory"].get("bound") == OF_A_RANK,
                        f"{what}: another record", record)
            checks.that(f"the limit is {group.limit_file}) raise the limit of the cgroup" in record["reason"],
                        f"{what}: the record does not say whose limit it is", record)


def check_options(inside, checks, group, run, out):
    run = [*run, "--models", GOOD]
    group.limit(OF_A_RANK)
    code, log = inside.run(["run", *run, "--out", out, "--memory", "1GiB"])
    checks.that(code == 0 and f"--memory: more than the 500 MiB that there are ({group.limit_file})" in log,
                f"--memory beyond the limit: ends with {code}", log)
    code, told = inside.answer(["plan", *run])
    checks.that(code == 0 and f"node memory 500 MiB ({group.limit_file})" in told, f"plan ends with {code}", told)
    group.limit(TOO_LITTLE)
    code, log = inside.run(["run", *run, "--out", f"{out}_never"])
    checks.that(code == 1 and f"{group.limit_file}: " in log and "too little" in log,
                f"a limit for no run: ends with {code}", log)


def cgroup_memory(program, folder, checks):
    if program.has_address_sanitizer():
        print("skipped: the address sanitizer takes memory of its own")
        sys.exit(SKIPPED)
    run = write_run(program, folder / "demo")
    with memory_group() as group:
        # mpirun itself stays outside.
        script = folder / "inside"
        script.write_text(f'#!/bin/sh\necho $$ >{group.folder}/cgroup.procs\nexec "{program.ventral}" "$@"\n')
        script.chmod(0o755)
        inside = Program(script, program.mpirun)
        for ranks in [1, 2]:
            check_run(inside, checks, group, run, folder / f"out{ranks}", ranks)
        check_options(inside, checks, group, run, folder / "options")


if __name__ == "__main__":
    if not memory_group():
        print("skipped: no cgroup with a memory limit can be made here")
        sys.exit(SKIPPED)
    main(cgroup_memory)
