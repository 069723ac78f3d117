#!/usr/bin/python3
"""What the jobs of slurm/ do when Slurm or the disk fails them, with commands in place of Slurm's and of the program.

usage: slurm_scripts.py VENTRAL MPIRUN
"""
import os
import pathlib
import subprocess

from program import main

ROOT = pathlib.Path(__file__).resolve().parents[2]
AWAY = "slurm_requeue error: Unable to contact slurm controller (connect failure)"
REFUSED = "Requested operation is presently disabled for job 5"


class Jobs:
    """A folder of commands, each of which notes with which words it was called."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "commands").mkdir()
        self.command("sleep", "")

    def command(self, name, script):
        path = self.folder / "commands" / name
        path.write_text(f'#!/bin/bash\necho "$@" >>{self.folder}/{name}.calls\n{script}\n')
        path.chmod(0o755)
        return path

    def calls(self, name):
        calls = self.folder / f"{name}.calls"
        said = calls.read_text().splitlines() if calls.exists() else []
        calls.unlink(missing_ok=True)
        return said

    def run(self, script, arguments, **variables):
        """(exit code, all that is said)"""
        environment = dict(os.environ, PATH=f"{self.folder}/commands:{os.environ['PATH']}", SLURM_JOB_ID="5",
                           SLURM_SUBMIT_DIR=str(ROOT), VENTRAL=f"{self.folder}/commands/ventral", **variables)
        done = subprocess.run(["bash", ROOT / "slurm" / script, *map(str, arguments)], env=environment, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout


def check_requeue(jobs, checks):
    """A run that was stopped goes back into the queue, also where the controller is away for a while."""
    jobs.command("mpirun", "exit 75")
    jobs.command("scontrol", f'[ $(wc -l <{jobs.folder}/scontrol.calls) -gt 2 ] || {{ echo "{AWAY}" >&2; exit 1; }}')
    code, said = jobs.run("score.sbatch", ["run.toml", "--out", "o"], SLURM_ARRAY_JOB_ID="3", SLURM_ARRAY_TASK_ID="7")
    checks.that(code == 75 and said.count(AWAY) == 2, f"a controller that is away: {code}", said)
    asked = jobs.calls("scontrol")
    checks.that(asked == ["requeue 5"] * 3, "not this job is put back into the queue, but", "\n".join(asked))
    jobs.command("scontrol", f'echo "{REFUSED}" >&2; exit 1')
    code, said = jobs.run("score.sbatch", ["run.toml", "--out", "o"])
    asked = jobs.calls("scontrol")
    checks.that(code == 75 and REFUSED in said and "submit the job again" in said and len(asked) == 1,
                f"a job that Slurm does not requeue: {code}, asked {len(asked)} times", said)
    task = {"SLURM_ARRAY_JOB_ID": "3", "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "8"}
    jobs.run("array.sbatch", ["run.toml", "--out", "o"], VENTRAL_SHARDS="8", **task)
    asked = jobs.calls("scontrol")
    checks.that(asked == ["requeue 3_7"], "of an array not its task is put back into the queue, but", "\n".join(asked))


def check_report(jobs, checks):
    """A report that fails leaves what an earlier one has said, and can be made again."""
    out = jobs.folder / "out"
    night = out / "nights" / "second"
    earlier = out / "nights" / "first"
    for folder in [night, earlier]:
        folder.mkdir(parents=True)
        (folder / "scores.json").write_text("[]")
    (night / "submitted").touch()
    (out / "scores.json").write_text("[]")
    (out / "nights" / "last").write_text("first\n")
    (night / "since.tmp").symlink_to("/dev/full")
    jobs.command("ventral", 'echo "what has changed"')
    code, said = jobs.run("report.sbatch", [out, "second"])
    checks.that(code == 1 and "cannot be written" in said and not (night / "since").exists(),
                f"a full disk: {code}", said)
    (night / "since.tmp").unlink()
    jobs.calls("ventral")
    code, said = jobs.run("report.sbatch", [out, "second"])
    asked = jobs.calls("ventral")
    checks.that(code == 0 and "what has changed" in said and len(asked) == 1 and asked[0].endswith(f"--diff {earlier}"),
                f"a report that is made again: {code}", said + "\n".join(asked))
    checks.that((out / "nights" / "last").read_text() == "second\n", "the night with tables is not the last one")
    jobs.command("ventral", 'echo "no space" >&2; exit 1')
    code, said = jobs.run("report.sbatch", [out, "second"])
    checks.that(code == 1 and (night / "report.txt").read_text() == "what has changed\n",
                f"a report that fails: {code}", said)
    checks.that(not list(night.glob("*.tmp")), "a report leaves files under temporary names")
    later = out / "nights" / "third"
    later.mkdir()
    (later / "submitted").touch()
    os.utime(night / "submitted", (1, 1))
    (out / "nights" / "last").write_text("third\n")
    jobs.calls("ventral")
    code, said = jobs.run("report.sbatch", [out, "second"])
    checks.that(code == 1 and "the later night third has reported" in said and not jobs.calls("ventral") and
                (out / "nights" / "last").read_text() == "third\n", f"a report after that of a later night: {code}", said)


def slurm_scripts(_program, folder, checks):
    jobs = Jobs(folder)
    check_requeue(jobs, checks)
    check_report(jobs, checks)


if __name__ == "__main__":
    main(slurm_scripts)
