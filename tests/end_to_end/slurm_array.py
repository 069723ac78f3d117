#!/usr/bin/python3
"""Arrays and nights on a real Slurm: a task that is stopped and a node that dies cost no bit of the table.

usage: slurm_array.py VENTRAL MPIRUN

VENTRAL_SLURM_ROUNDS (without it 1) is the number of arrays that are run; in every second one Slurm has to notice by
itself that a node has died. Skipped without Slurm or root.
"""
import array
import os
import pathlib
import random
import re
import shutil
import sys
import time

from netcdf3 import write_assembly
from private_slurm import PrivateSlurm, why_not
from program import finished_scores, main, score_records, scores_csv, wait_for

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS_TO_STOP = 10
MODELS = 24
SHARDS = 4
# Half a second of fits for each model and more, made of noise in a fraction of it.
STIMULI, FEATURES, NEUROIDS = 1400, 300, 40
MODEL = """identifier = "{name}"
features = {{ file = "{name}.nc" }}

[regions]
A = ["features"]
B = ["features"]
"""
BENCHMARKS = """identifier = "{region}-{metric}"
pattern = "neural"
dataset = "noise"
region = ["A", "B"]
select = { region = "{region}" }
metric = [{ name = "pls", stratification = "none" }, { name = "linear_predictivity", stratification = "none" }]
ceiling = "none"
normalisation = "none"
"""
SCORES_OF_A_MODEL = 4
RUN = """models = [{models}]
benchmarks = ["A-pls", "B-pls", "A-linear_predictivity", "B-linear_predictivity"]
layers = "committed"
"""


def write_noise(path, seed, columns, further):
    chance = random.Random(seed)
    rows = [array.array("d", array.array("h", chance.randbytes(2 * columns))) for _ in range(STIMULI)]
    write_assembly(path, rows, {"stimulus_id": [f"s{number}" for number in range(STIMULI)]},
                   dict(further, neuroid_id=[f"n{number}" for number in range(columns)]))


def write_run(folder):
    for name in ["models", "datasets", "benchmarks"]:
        (folder / name).mkdir(parents=True)
    names = [f"stored{number}" for number in range(MODELS)]
    for seed, name in enumerate(names):
        write_noise(folder / "models" / f"{name}.nc", seed, FEATURES, {})
        (folder / "models" / f"{name}.toml").write_text(MODEL.format(name=name))
    write_noise(folder / "datasets" / "noise.nc", MODELS, NEUROIDS, {"region": ["A", "B"] * (NEUROIDS // 2)})
    (folder / "datasets" / "noise.toml").write_text(
        'identifier = "noise"\n[assemblies]\ntarget = { file = "noise.nc" }\n')
    (folder / "benchmarks" / "noise.toml").write_text(BENCHMARKS)
    run = folder / "run.toml"
    run.write_text(RUN.format(models=", ".join(f'"{name}"' for name in names)))
    return run


class Array:
    """An array of shards that has been submitted."""

    def __init__(self, slurm, program, run, out, logs):
        self.slurm, self.out, self.logs = slurm, out, logs
        logs.mkdir()
        code, said = slurm.call("sbatch", "--parsable", f"--array=0-{SHARDS - 1}", "--time=10",
                                f"--output={logs}/%a.log", ROOT / "slurm" / "array.sbatch", run, "--out", out,
                                folder=ROOT, variables={"VENTRAL": program.ventral})
        if code != 0:
            raise RuntimeError(said)
        self.job = said.strip()
        slurm.call("sbatch", f"--dependency=afterany:{self.job}", f"--output={logs}/after.txt", "--wrap",
                   f"cat '{logs}'/?.log")

    def log(self, task):
        path = self.logs / f"{task}.log"
        return path.read_text() if path.exists() else ""

    def exit_codes(self, task):
        return [int(code) for code in re.findall(r"ended with exit code (\d+)", self.log(task))]

    def restarts(self, task):
        return self.slurm.facts(f"{self.job}_{task}").get("Restarts")

    def after(self):
        """What the logs of the tasks held when a job that waited for all of them ran."""
        path = self.logs / "after.txt"
        return path.read_text() if path.exists() else ""

    def has_results(self, job):
        segments = (self.out / "journal").glob(f"slurm{job.number}-*.journal")
        return any(b'"kind":"score"' in segment.read_bytes() for segment in segments)

    def find(self, wanted):
        """The first running task for which `wanted(job, task, units begun, units)`, and its node; or nothing."""
        found = []

        def look():
            jobs = [job for job in self.slurm.queue() if job.name.startswith(f"{self.job}_")]
            for job in jobs:
                task = int(job.name.partition("_")[2])
                units = re.findall(r"on noise \((\d+) of (\d+)\)", self.log(task))
                if job.state == "RUNNING" and units and wanted(job, task, *map(int, units[-1])):
                    found.append((task, job.node))
            return found or not jobs

        wait_for(look, 60)
        return found[0] if found else (None, None)


def stop_a_task(checks, work):
    """USR1 to the script of a task, as Slurm sends it before the time limit; the task, or nothing."""
    # With half of it to do: Slurm takes its time to pass on a signal.
    task, _ = work.find(lambda job, _, begun, units: 2 * begun <= units and work.has_results(job))
    if not checks.that(task is not None, "no task was seen with results and more to do"):
        return None
    start = time.monotonic()
    told = work.slurm.signal_script(f"{work.job}_{task}", "USR1", lambda: "USR1: asking" in work.log(task))
    checks.that(told, f"USR1 did not reach task {task}", work.log(task))
    wait_for(lambda: work.exit_codes(task))
    seconds = time.monotonic() - start
    checks.that(work.exit_codes(task) == [75], f"task {task} ends with {work.exit_codes(task)}, not 75", work.log(task))
    checks.that(seconds < SECONDS_TO_STOP, f"task {task} stops {seconds:.1f} s after USR1")
    print(f"task {task}: exit code 75 {seconds:.2f} s after SIGUSR1", flush=True)
    return task


def kill_a_node(checks, work, stopped, finds_out):
    """The node of a task dies with all that runs on it, and comes up again; the task, or nothing.

    Slurm finds out by itself, or is told at once.
    """
    task, node = work.find(lambda job, task, begun, units: task != stopped
                           and (begun < units or not work.has_results(job)))
    if not checks.that(task is not None, "no second task was seen at work"):
        return None
    work.slurm.kill_node(node)
    start = time.monotonic()
    if not finds_out:
        work.slurm.call("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=died")
    checks.that(wait_for(lambda: work.restarts(task) == "1"), f"task {task} was not requeued when {node} died",
                work.slurm.facts(f"{work.job}_{task}"))
    print(f"task {task}: requeued {time.monotonic() - start:.1f} s after the death of {node}", flush=True)
    work.slurm.start_node(node)
    return task


def check_array(program, checks, slurm, run, out, expected, number):
    start = time.monotonic()
    work = Array(slurm, program, run, out, out.with_suffix(".logs"))
    stopped = stop_a_task(checks, work)
    killed = kill_a_node(checks, work, stopped, number % 2 == 1)
    if not checks.that(slurm.drained(180), "the array does not end", slurm.queue()):
        return
    for task in range(SHARDS):
        checks.that(work.exit_codes(task)[-1:] == [0], f"task {task} does not end with 0", work.log(task))
    for task in {stopped, killed} - {None}:
        checks.that(work.restarts(task) == "1", f"task {task} has {work.restarts(task)} restarts, not 1")
    checks.that(work.after().count("exit code 0\n") == SHARDS, "a job did not wait for all tasks", work.after())
    code, said = program.answer(["report", out, "--out", out])
    checks.that(code == 0, f"report ends with {code}", said)
    checks.that("take the place of the last run's" in said, "report replaces a run's tables without a word", said)
    checks.that(scores_csv(out) == expected, "the array's table is not that of one mpirun")
    keys = [key for key, _ in finished_scores(out)]
    checks.that(len(keys) == len(set(keys)) == MODELS * SCORES_OF_A_MODEL, f"{len(keys)} scores were recorded")
    print(f"array of {SHARDS}, one task stopped and one node killed: {time.monotonic() - start:.1f} s", flush=True)


def check_srun(program, checks, slurm, run, out, expected):
    """srun starts the ranks itself, and what Slurm signals are they, not a script."""
    log = out.with_suffix(".log")
    ventral = f"'{program.ventral}' run '{run}' --out '{out}' --threads 1"
    code, job = slurm.call("sbatch", "--parsable", "--ntasks=2", "--nodes=1", "--time=10", f"--output={log}", "--wrap",
                           f'srun --mpi=pmix {ventral}; echo "srun ended with exit code $?"')
    if not checks.that(code == 0, "srun's job is not submitted", job):
        return
    wait_for(lambda: finished_scores(out) or not slurm.queue())
    slurm.call("scancel", "--signal=USR1", job.strip())
    start = time.monotonic()
    checks.that(slurm.drained(60), "srun does not end after USR1", slurm.queue())
    seconds = time.monotonic() - start
    checks.that("srun ended with exit code 75" in log.read_text(), "srun ends otherwise", log.read_text())
    checks.that(seconds < SECONDS_TO_STOP, f"the ranks of srun stop {seconds:.1f} s after USR1")
    print(f"srun: exit code 75 and out of the queue {seconds:.2f} s after SIGUSR1", flush=True)
    code, said = program.run(["run", run, "--out", out, "--threads", 1])
    checks.that(code == 0 and scores_csv(out) == expected, "what srun began is not gone on with", said)


class Nights:
    """nightly.sh on one OUT."""

    def __init__(self, slurm, program, run, out):
        self.slurm, self.program, self.run, self.out = slurm, program, run, out
        self.folder = out / "nights"

    def call(self, *options, plan="--memory 8GiB", night="", of_run=()):
        variables = {"VENTRAL": self.program.ventral, "VENTRAL_SHARDS": "2", "VENTRAL_PLAN": plan,
                     "VENTRAL_NIGHT": night}
        return self.slurm.call(ROOT / "slurm" / "nightly.sh", *options, self.run.name, "--out", self.out, *of_run,
                               folder=self.run.parent, variables=variables)

    def report(self, night):
        path = self.folder / night / "report.txt"
        return path.read_text() if path.exists() else ""

    def logs(self, night):
        return "\n".join(path.read_text() for path in sorted((self.folder / night).glob("*.log")))


def check_refusals(checks, nights):
    code, said = nights.call("--dry-run")
    checks.that(code == 0 and len(re.findall("^sbatch ", said, re.MULTILINE)) == 3, "--dry-run does not print three submissions", said)
    checks.that(not nights.folder.exists(), "--dry-run writes")
    for wrong in (["--memory", "lots"], ["--thread", 2], ["--audit", "200%"], ["--max-time", "soon"]):
        code, said = nights.call(of_run=wrong)
        checks.that(code == 1 and wrong[0] in said, f"{wrong} is submitted", said)
        checks.that(not nights.folder.exists(), f"with {wrong} something is written")
    others = Nights(nights.slurm, nights.program, nights.run, nights.out.parent / "nothing finished")
    code, said = others.call(plan="--memory 1MiB", night="too large")
    checks.that(code == 1 and "cannot run" in said, "what cannot fit is not refused", said)
    checks.that(not nights.slurm.queue(), "what cannot fit is submitted")


def check_first_night(checks, nights, expected):
    code, said = nights.call(night="first")
    checks.that(code == 0, f"nightly.sh ends with {code}", said)
    code, said = nights.call(night="too early")
    checks.that(code == 1 and "has not ended" in said, "two nights at once", said)
    checks.that(nights.slurm.drained(120), "the first night does not end", nights.slurm.queue())
    checks.that(scores_csv(nights.folder / "first") == expected, "the first night has another table",
                nights.logs("first"))
    checks.that("Since" not in nights.report("first"), "the first night knows an earlier one")
    checks.that((nights.folder / "last").read_text() == "first\n", "the last night is not named")


def check_second_night(checks, nights):
    """One model is another, and every mpirun of the array is killed: the job after it does their work."""
    write_noise(nights.run.parent / "models" / "stored0.nc", MODELS + 1, FEATURES, {})
    code, said = nights.call(night="second")
    checks.that(code == 0, f"nightly.sh ends with {code}", said)
    killed = wait_for(lambda: nights.slurm.kill_programs("mpirun"), 30)
    checks.that(killed, "no mpirun was seen")
    checks.that(nights.slurm.drained(120), "the second night does not end", nights.slurm.queue())
    report = nights.report("second")
    summary = f"{SCORES_OF_A_MODEL} changed; {(MODELS - 1) * SCORES_OF_A_MODEL} as before"
    checks.that(report.endswith(f"  {summary}\n"), "the second night does not tell what changed",
                report + nights.logs("second"))
    changed = [line for line in report.splitlines() if line.startswith("  changed ")]
    checks.that(len(changed) == SCORES_OF_A_MODEL and all("stored0" in line and "model changed" in line
                                                          for line in changed), "the changes are others", report)
    checks.that(len(score_records(nights.folder / "second")) == MODELS * SCORES_OF_A_MODEL, "old scores stand in it")


def slurm_array(program, folder, checks):
    run = write_run(folder / "configs")
    start = time.monotonic()
    code, log = program.run(["run", run, "--out", folder / "direct", "--threads", 1], ranks=2)
    checks.that(code == 0, f"the direct run ends with {code}", log)
    print(f"one mpirun of two ranks: {time.monotonic() - start:.1f} s", flush=True)
    expected = scores_csv(folder / "direct")
    with PrivateSlurm(folder / "slurm", nodes=2) as slurm:
        out = None
        for number in range(int(os.environ.get("VENTRAL_SLURM_ROUNDS", "1"))):
            if out:
                shutil.rmtree(out)
            out = folder / f"out of array {number}"
            check_array(program, checks, slurm, run, out, expected, number)
        check_srun(program, checks, slurm, run, folder / "srun", expected)
        nights = Nights(slurm, program, run, out)
        start = time.monotonic()
        check_refusals(checks, nights)
        check_first_night(checks, nights, expected)
        check_second_night(checks, nights)
        print(f"two nights: {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(SKIPPED)
    main(slurm_array)
