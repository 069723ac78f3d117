#!/usr/bin/python3
"""Killed runs go on where they were, two runs at once disturb each other in nothing, and damaged files cost work but
never a bit of a score.

usage: kill_and_resume.py VENTRAL MPIRUN

VENTRAL_KILLS (without it 5, and damaged files besides) is the number of runs that are killed, VENTRAL_KILL_SEED the
first seed.
"""
import collections
import os
import random
import shutil
import signal
import time

from program import SMALL_RUN, finished_scores, in_pairs, journal_lines, main, processes_of, scores_csv, wait, wait_for
from small_demo import make_small_demo

# Where files with a temporary name stand: what a killed run leaves is garbage under such names.
TEMPORARY = ["activations/{key}.h5.0123456789abcdef.tmp", "grams/{key}.h5.0123456789abcdef.tmp",
             "ceilings/{key}.json.0123456789abcdef.tmp", "scores.csv.0123456789abcdef.tmp",
             "journal/local-r0.0123456789abcdef.journal.tmp"]


def finished_groups(out):
    return [(line["key"], line["group"]) for line in journal_lines(out) if line["kind"] == "folds"]


def kill_one(process, ranks, chance):
    """SIGKILL to a random rank; mpirun then ends the others."""
    victims = processes_of(process, ranks)
    if victims:
        try:
            os.kill(chance.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            pass


def kill_run(program, run, out, chance, duration):
    """Starts a run and kills a rank of it at a random moment; the ranks and the exit code.

    One time in four any moment will do, else one after the first results came to disk.
    """
    ranks = chance.choice([1, 2, 3])
    process = program.start([*run, "--out", out], ranks)
    begun = (lambda: len(processes_of(process, ranks)) == ranks) if chance.random() < 0.25 else (
        lambda: finished_groups(out))
    wait_for(lambda: begun() or process.poll() is not None)
    time.sleep(chance.uniform(0, duration / 2))
    kill_one(process, ranks, chance)
    return ranks, wait(process, 60)


def was_hit(ranks, code):
    return code == (-signal.SIGKILL if ranks == 1 else 128 + signal.SIGKILL)


def check_kill(program, checks, run, out, expected, chance, duration):
    """What was seen, to be counted."""
    ranks, code = kill_run(program, run, out, chance, duration)
    checks.that(code is not None, f"{out.name}: {ranks} rank(s) hang after a kill")
    if (out / "journal").is_dir():
        for name in TEMPORARY:
            (out / name.format(key="0" * 64)).write_bytes(b"half a file")
    scores, groups = finished_scores(out), finished_groups(out)
    resumed = chance.choice([other for other in [1, 2, 3, 4] if other != ranks])
    resume_code, log = program.run([*run, "--out", out], resumed)
    print(f"{out.name}: {ranks} rank(s) ended with {code}, {len(scores)} scores and {len(groups)} fold groups "
          f"were on disk; {resumed} rank(s) went on", flush=True)
    checks.that(resume_code == 0, f"{out.name}: the resumed run ends with {resume_code}", log)
    equal = checks.that(scores_csv(out) == expected, f"{out.name}: the resumed run gives other bytes")
    after = finished_scores(out)
    lost = sum(after.count(score) != 1 for score in scores)
    checks.that(not lost, f"{out.name}: {lost} finished scores were lost or done again")
    after = finished_groups(out)
    checks.that(all(after.count(group) == 1 for group in groups), f"{out.name}: a finished fold group was done again")
    return {"kills that hit": was_hit(ranks, code), "finished scores before": len(scores), "finished scores lost": lost,
            "tables equal": bool(equal)}


def newest_segment(out):
    return max((out / "journal").glob("*.journal"), key=lambda path: path.stat().st_mtime)


def tear_journal(out):
    path = newest_segment(out)
    text = path.read_bytes()
    path.write_bytes(text[:(text.rindex(b"\n", 0, -1) + len(text)) // 2])


def flip_byte_in_journal(out):
    path = newest_segment(out)
    text = bytearray(path.read_bytes())
    text[text.index(b'"kind":"score"') + 60] ^= 1
    path.write_bytes(text)


def truncate(path):
    os.truncate(path, path.stat().st_size // 2)


def flip_byte(path):
    text = bytearray(path.read_bytes())
    text[len(text) // 2] ^= 16
    path.write_bytes(text)


def flip_many(path):
    """Some of them are values, whatever lies between."""
    values = bytearray(path.read_bytes())
    for at in range(len(values) // 8, len(values), 4093):
        values[at] ^= 16
    path.write_bytes(values)


def remove_all(folder):
    for path in folder.iterdir():
        path.unlink()


def only(folder):
    return sorted(folder.iterdir())[0]


def damage_raw(out):
    """The last fold groups lose their values, and the scores made of them are gone."""
    path = newest_segment(out)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b'"kind":"score"' not in line))
    truncate(next((out / "journal").glob("*.raw")))


def remove_raw(out):
    for path in (out / "journal").glob("*.raw"):
        path.unlink()


def flip_byte_in_raw(out):
    place = next(line["raw"] for line in journal_lines(out) if line["kind"] == "score")
    path = out / "journal" / place["file"]
    text = bytearray(path.read_bytes())
    text[place["offset"]] ^= 16
    path.write_bytes(text)


def damage_grams(change):
    def damage(out):
        remove_all(out / "journal")
        change(only(out / "grams"))
    return damage


def damage_activations(change):
    def damage(out):
        remove_all(out / "journal")
        remove_all(out / "grams")
        change(only(out / "activations"))
    return damage


def damage_ceilings(change):
    def damage(out):
        remove_all(out / "journal")
        change(only(out / "ceilings"))
    return damage


def damage_tables(out):
    for name in ["scores.csv", "scores.json", "scores.nc"]:
        truncate(out / name)


# (name, what is done to a finished run, a word of the warning of the next one)
DAMAGES = [
    ("a torn tail of the journal", tear_journal, None),  # what every killed run leaves
    ("a flipped byte in the journal", flip_byte_in_journal, ".journal:"),
    ("truncated raw values", damage_raw, "raw values"),
    ("no raw values", remove_raw, "raw values"),
    ("a flipped byte in raw values", flip_byte_in_raw, "raw values"),
    ("a truncated Gram", damage_grams(truncate), "grams/"),
    ("a flipped byte in a Gram", damage_grams(flip_byte), "grams/"),
    ("truncated activations", damage_activations(truncate), "activations/"),
    ("flipped bytes in activations", damage_activations(flip_many), "activations/"),
    ("a truncated ceiling", damage_ceilings(truncate), "ceilings/"),
    ("a flipped byte in a ceiling", damage_ceilings(flip_byte), "ceilings/"),
    ("truncated tables", damage_tables, None),
]


# Of these a second run finds the damage mended: (name, folders without which it has to look).
REPLACED = {"truncated raw values": [], "no raw values": [], "a flipped byte in raw values": [],
            "a truncated Gram": ["journal"], "truncated activations": ["journal", "grams"],
            "a truncated ceiling": ["journal"]}


def check_damages(program, checks, run, whole):
    expected = undisturbed(program, checks, run, whole)[1]

    def check_damage(number):
        name, damage, warning = DAMAGES[number]
        out = whole.parent / f"damage{number}"
        shutil.copytree(whole, out)
        damage(out)
        code, log = program.run([*run, "--out", out], 1 + number % 2)
        checks.that(code == 0, f"after {name} the run ends with {code}", log)
        checks.that(scores_csv(out) == expected, f"after {name} the bytes differ")
        if warning:
            told = [line for line in log.splitlines() if "warning: " in line and warning in line]
            checks.that(told, f"{name} is not warned of ('{warning}')", log)
        checks.that((out / "scores.nc").exists(), f"after {name} there is no scores.nc")
        if name in REPLACED:
            check_replaced(program, checks, run, name, warning, out, expected)

    in_pairs(check_damage, range(len(DAMAGES)))


def check_exchanges(program, checks, run, whole):
    """Two files with each other's names, where nothing spares a look at them, give the scores of neither."""
    expected = undisturbed(program, checks, run, whole)[1]
    for folder, *others in (("grams",), ("activations", "grams"), ("ceilings",)):
        out = whole.parent / f"exchanged {folder}"
        shutil.copytree(whole, out)
        for other in ("journal", *others):
            remove_all(out / other)
        first, *_, last = sorted((out / folder).iterdir())
        first.rename(out / folder / "first")
        last.rename(first)
        (out / folder / "first").rename(last)
        code, log = program.run([*run, "--out", out])
        checks.that(code == 0 and scores_csv(out) == expected, f"with two {folder} exchanged the run ends with {code}", log)
        told = [line for line in log.splitlines() if "warning: " in line and f"{folder}/" in line]
        checks.that(told, f"two {folder} exchanged are not warned of", log)


def check_replaced(program, checks, run, name, warning, out, expected):
    """What was damaged is whole again: a run that needs it warns of nothing."""
    for folder in REPLACED[name]:
        remove_all(out / folder)
    scores = finished_scores(out)
    code, log = program.run([*run, "--out", out])
    checks.that(code == 0 and scores_csv(out) == expected, f"after {name} the second run ends with {code}", log)
    checks.that(REPLACED[name] or finished_scores(out) == scores, f"after {name} the second run computes again", log)
    checks.that(warning not in log, f"after {name} the second run warns of {warning}", log)


def undisturbed(program, checks, run, out):
    """The seconds that a run takes and its table."""
    start = time.monotonic()
    code, log = program.run([*run, "--out", out])
    checks.that(code == 0, f"the undisturbed run ends with {code}", log)
    return time.monotonic() - start, scores_csv(out)


def stopped_in_work(process, out):
    """Stops it; if it is between two units it goes on."""
    if not finished_groups(out):
        return False
    process.send_signal(signal.SIGSTOP)
    kinds = [line["kind"] for line in journal_lines(out)]
    if kinds.count("started") > kinds.count("ended"):
        return True
    process.send_signal(signal.SIGCONT)
    return False


def check_two_runs(program, checks, run, out, expected):
    """Two runs with one --out, the first of which stands still until the second has lost patience with it."""
    first = program.start([*run, "--out", out])
    wait_for(lambda: stopped_in_work(first, out) or first.poll() is not None)
    checks.that(first.poll() is None, "the first of two runs has ended too early")
    code, log = program.run([*run, "--out", out, "--unit-timeout", "3s"])
    checks.that(code == 0 and scores_csv(out) == expected, f"the second of two runs ends with {code}", log)
    checks.that("info: another run with the same --out" in log and f", process {first.pid})" in log,
                "the second run does not say that there is a first one", log)
    first.send_signal(signal.SIGCONT)
    code = wait(first, 60)
    checks.that(code == 0 and scores_csv(out) == expected, f"the first of two runs ends with {code}")
    code, log = program.run([*run, "--out", out])
    checks.that(code == 0 and scores_csv(out) == expected and "warning: " not in log, "a third run finds fault", log)


def check_kills(program, checks, run, folder, count):
    duration, expected = undisturbed(program, checks, run, folder / "undisturbed")
    check_two_runs(program, checks, run, folder / "two_runs", expected)
    first_seed = int(os.environ.get("VENTRAL_KILL_SEED", "1"))

    def kill(seed):
        out = folder / f"kill{seed}"
        seen = check_kill(program, checks, run, out, expected, random.Random(seed), duration)
        shutil.rmtree(out)
        return seen

    seen = collections.Counter()
    for each in in_pairs(kill, range(first_seed, first_seed + count)):
        seen.update(each)
    print(f"{count} runs, seeds {first_seed} to {first_seed + count - 1}:",
          ", ".join(f"{what} {number}" for what, number in seen.items()))
    checks.that(2 * seen["kills that hit"] >= count, "most runs end before they are killed")


def kill_and_resume(program, folder, checks):
    kills = os.environ.get("VENTRAL_KILLS")
    if not kills:
        make_small_demo(program, folder / "small_demo")
        small = ["run", folder / "small_demo" / "run.toml", "--threads", 1, *SMALL_RUN]
        check_damages(program, checks, small, folder / "small")
        two_of_each = ["run", folder / "small_demo" / "run.toml", "--threads", 1, "--benchmarks", "demo-V1-ridge,demo-IT-ridge"]
        check_exchanges(program, checks, two_of_each, folder / "two of each")
    program.write_demo(folder / "demo")
    large = ["run", folder / "demo" / "run.toml", "--threads", 1, "--benchmarks",
             "demo-V1-pls,demo-V2-pls,demo-IT-pls,demo-V4-ridge"]
    check_kills(program, checks, large, folder, int(kills or "5"))


if __name__ == "__main__":
    main(kill_and_resume)
