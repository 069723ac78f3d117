#!/usr/bin/python3
"""Limits of memory and of files, Ctrl-C, and messages that nobody reads end a run in order.

usage: limits_and_signals.py VENTRAL MPIRUN
"""
import os
import signal
import subprocess

from program import Program, environment, main, score_records, wait, wait_for
from small_configs import DONE, FAILED, INTERRUPTED, LIMIT, NETWORK, SOME_FAILED, make_configs

# (a limit of the shell, words that the message must have)
LIMITS = [("-f 20", ["File too large"]), ("-v 750000", ["memory"])]


def has_cuda(program):
    """Its libraries alone need gigabytes of addresses."""
    libraries = subprocess.run(["ldd", f"{program.ventral}-networks"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return "libtorch_cuda" in libraries


def under_limit(program, configs, limit, name):
    """The program as a shell starts it that has called ulimit."""
    limited = configs.folder / name
    limited.write_text(f'#!/bin/sh\nulimit {limit}\nexec "{program.ventral}" "$@"\n')
    limited.chmod(0o755)
    return Program(limited, program.mpirun)


def check_limits(program, checks, configs):
    """A limit that the shell sets is an error with a message, neither a signal nor a hang."""
    run = configs.run_file("limited.toml", ["good"], ["good"])
    no_address_limit = program.has_address_sanitizer() or has_cuda(program)
    for number, (limit, words) in enumerate(LIMITS[:1] if no_address_limit else LIMITS):
        limited = under_limit(program, configs, limit, f"limited{number}")
        for ranks in [1, 2]:
            out = configs.folder / f"limited{number}_{ranks}"
            code, log = limited.run(["run", run, "--out", out, "--threads", 1], ranks, LIMIT)
            checks.that(code in (FAILED, SOME_FAILED), f"ulimit {limit}, {ranks} rank(s): ends with {code}", log)
            for word in words:
                checks.that(word in log, f"ulimit {limit}, {ranks} rank(s): the message lacks '{word}'", log)


def check_slurm_memory(program, checks, configs):
    """What Slurm grants a job, stated in any of its ways."""
    run = configs.run_file("granted.toml", ["good"], ["good"])
    for variables, source, size in [
            ({"SLURM_MEM_PER_NODE": "1000"}, "SLURM_MEM_PER_NODE", "1000 MiB"),
            ({"SLURM_MEM_PER_CPU": "500", "SLURM_CPUS_ON_NODE": "3"}, "SLURM_MEM_PER_CPU × SLURM_CPUS_ON_NODE", "1.5 GiB"),
            ({"SLURM_MEM_PER_GPU": "600", "SLURM_GPUS_ON_NODE": "2"}, "SLURM_MEM_PER_GPU × SLURM_GPUS_ON_NODE", "1.2 GiB")]:
        code, said = program.answer(["plan", run], variables=variables)
        checks.that(code == 0 and f"node memory {size}" in said and f"({source})" in said,
                    f"memory that Slurm grants by {source}: {code}", said)


def check_hungry(checks, what, ended, out, cure, bounds):
    """Only the network that needs too much has failed, and its record has a bound and says what would help."""
    code, log = ended
    checks.that(code == SOME_FAILED, f"{what}: ends with {code}", log)
    for record in score_records(out):
        hungry = record["model"] == "hungry"
        checks.that(record["status"] == ("failed" if hungry else "scored"), f"{what}: {record['status']}", record)
        if hungry:
            checks.that(record["class"] == "out_of_memory" and cure in record["reason"]
                        and bounds[0] <= record["memory"]["bound"] <= bounds[1], f"{what}: another record", record)


def check_memory(program, checks, configs):
    """A network whose batches need more than a rank may take costs its own scores, and says what would help."""
    text = NETWORK.format(name="hungry", file="../good.ts", more="", layers='["stage1", "stage3"]')
    configs.file("models/hungry.toml", text.replace("batch_size = 8", "batch_size = 4096"))
    run = configs.run_file("hungry.toml", ["good", "hungry"], ["good"])
    for ranks in [1, 2]:
        out = configs.folder / f"hungry_{ranks}"
        ended = program.run(["run", run, "--out", out, "--threads", 1, "--memory", f"{ranks * 500}MiB"], ranks, LIMIT)
        check_hungry(checks, f"too little memory, {ranks} rank(s)", ended, out, "the limit is --memory) raise --memory",
                     (500 << 20, 500 << 20))


def check_shell_memory(program, checks, configs):
    """What the shell allows a process is the bound that a later run compares with, and no rank shares it."""
    run, limit = configs.folder / "hungry.toml", 700_000
    limited = under_limit(program, configs, f"-d {limit}", "limited_data")
    for ranks in [1, 2]:
        out = configs.folder / f"limited_data_{ranks}"
        ended = limited.run(["run", run, "--out", out, "--threads", 1], ranks, LIMIT)
        check_hungry(checks, f"ulimit -d, {ranks} rank(s)", ended, out, "the limit is ulimit -d) raise ulimit -d",
                     (limit << 9, limit << 10))


def check_closed_descriptors(program, checks, configs):
    """What results and messages would be written to is no file of the run's own."""
    def close_all():
        for each in range(3):
            os.close(each)

    out = configs.folder / "closed"
    process = subprocess.Popen([program.ventral, "run", configs.demo, "--out", out, "--threads", "1"], preexec_fn=close_all,
                               env=environment())
    wait_for(lambda: list(out.glob("journal/*.journal")) or process.poll() is not None)
    try:
        has_ended = process.poll() is not None
        opened = [] if has_ended else [os.readlink(f"/proc/{process.pid}/fd/{each}") for each in range(3)]
        checks.that(opened == 3 * ["/dev/null"], "closed descriptors are opened for other files", opened)
    finally:
        process.kill()
        process.wait()


def check_readers_that_go(program, checks, configs):
    """`2>&1 | head -1`: who reads the messages or the results is gone before the run is done."""
    out = configs.folder / "unread"
    process = subprocess.Popen([program.ventral, "run", configs.demo, "--out", out, "--threads", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
    process.stderr.readline()
    process.stderr.close()
    code = process.wait(LIMIT)
    checks.that(code == DONE and (out / "scores.csv").exists(), f"unread messages: the run ends with {code}", out)
    process = subprocess.Popen([program.ventral, "report", out, "--out", configs.folder / "unread_report"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    process.stdout.close()
    told = process.stderr.read().decode()
    checks.that(process.wait(LIMIT) == DONE and "standard output" not in told, "results that nobody reads are an error", told)


def check_interrupt(program, checks, configs):
    """Ctrl-C goes to mpirun and to all ranks at once, as the terminal sends it."""
    for ranks in [1, 2]:
        out = configs.folder / f"interrupt{ranks}"
        log = out.with_suffix(".log")
        process = program.start(["run", configs.demo, "--out", out, "--threads", 1], ranks, log)
        wait_for(lambda: list(out.glob("grams/*.h5")) or process.poll() is not None)
        program.interrupt(process)
        code = wait(process, LIMIT)
        checks.that(code in (FAILED, INTERRUPTED, 128 + signal.SIGINT), f"Ctrl-C, {ranks} rank(s): ends with {code}",
                    log.read_text())
        checks.that("terminate called" not in log.read_text(), "Ctrl-C: an exception escaped", log.read_text())


def limits_and_signals(program, folder, checks):
    configs = make_configs(program, folder)
    check_limits(program, checks, configs)
    if not program.has_address_sanitizer():
        check_memory(program, checks, configs)
        check_shell_memory(program, checks, configs)
        check_slurm_memory(program, checks, configs)
    check_interrupt(program, checks, configs)
    check_readers_that_go(program, checks, configs)
    check_closed_descriptors(program, checks, configs)


if __name__ == "__main__":
    main(limits_and_signals)
