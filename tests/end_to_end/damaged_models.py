#!/usr/bin/python3
"""Damaged network files: each costs its own scores and no others, and is named; nothing crashes or hangs.

usage: damaged_models.py VENTRAL MPIRUN

One rank reads all of them; two ranks and `check` every third of each kind. With VENTRAL_DAMAGED_MODELS=all there are a
hundred, else half as many, and all of them are read by all.
The files are those of the demo's network, changed by chance from a fixed seed. Where the archive is packed anew its
checksums are right, so that libtorch itself is tried: it crashes on some of them.
"""
import hashlib
import io
import os
import random
import re
import shutil
import zipfile

from netcdf3 import write_assembly
from program import in_pairs, main, score_records

SEED = 5
DONE, FAILED, SOME_FAILED = 0, 1, 2
LIMIT = 300
STIMULI = [f"demo_{number:03d}" for number in range(12)]

MODEL = """identifier = "{name}"
weights = {{ file = "{name}.ts", sha256 = "{sha256}" }}
visual_degrees = 8.0
batch_size = 12
layers = ["stage3"]

[preprocessing]
resize = 64
crop = 64
mean = [0.5, 0.5, 0.5]
std = [0.25, 0.25, 0.25]
"""
DATASET = """identifier = "few"

[stimuli]
csv = "stimuli.csv"
folder = "images"
visual_degrees = 8.0

[assemblies]
target = { file = "recordings.nc" }
"""
BENCHMARK = """identifier = "few"
pattern = "neural"
dataset = "few"
region = "V1"
metric = { name = "ridge", stratification = "none", splits = 2 }
ceiling = "none"
normalisation = "none"
"""
# Pickles that take from an empty stack, or from a mark that was never set.
BAD_PICKLES = [b"\x80\x02R.", b"\x80\x02t.", b"\x80\x020.", b"\x80\x02h\x07.", b""]
# Takes most of what a bound of a few MiB more than the least leaves, then multiplies: OpenBLAS asks for its buffer of
# 128 MiB for ever.
GREEDY_LINES = (b"y = torch.ones([25000000])\n    "
                b"x = torch.add(x, torch.matmul(torch.ones([300, 300]), torch.ones([300, 300]))[0, 0] * y[0])")
# Put at the start of a stage's forward: never ends; divides by zero; fails.
ENDLESS_LINE = b"while bool(1):\n      x = torch.add(x, 0)"
BAD_LINES = [b"x = torch.add(x, 7 % (torch.dim(x) - 4))", b"assert torch.dim(x) == 3"]


IN_FULL = os.environ.get("VENTRAL_DAMAGED_MODELS") == "all"


def some_of(count):
    """How many of a kind that chance makes."""
    return count if IN_FULL else (count + 2) // 3


class Original:
    """The archive that all others are made from."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            self.entries = [(each.filename, archive.read(each)) for each in archive.infolist()]

    def named(self, end):
        return next(contents for name, contents in self.entries if name.endswith(end))

    def packed(self, change):
        """The archive with `change(name, contents)` in place of the contents; None leaves an entry out."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, contents in self.entries:
                changed = change(name, contents)
                if changed is not None:
                    archive.writestr(name, changed)
        return file.getvalue()

    def with_entry(self, end, contents):
        return self.packed(lambda name, old: contents if name.endswith(end) else old)


def scrambled(chance, contents):
    changed = bytearray(contents)
    for _ in range(chance.choice([1, 1, 2, 4])):
        place = chance.randrange(len(changed))
        changed[place] = chance.choice([changed[place] ^ (1 << chance.randrange(8)), chance.randrange(256)])
    return bytes(changed)


def flipped(chance, contents):
    changed = bytearray(contents)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def swapped(chance, original):
    (one, first), (other, second) = chance.sample(original.entries, 2)
    return original.packed(lambda name, old: {one: second, other: first}.get(name, old))


def without(chance, original):
    gone = chance.choice(original.entries)[0]
    return original.packed(lambda name, old: None if name == gone else old)


def wrong_types(original, demo):
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    only_pickle = io.BytesIO()
    with zipfile.ZipFile(only_pickle, "w") as archive:  # as torch.save writes it
        archive.writestr("archive/data.pkl", original.named("data.pkl"))
    return [b"", b"no network\n", bytes(range(256)) * 64, empty.getvalue(), only_pickle.getvalue(),
            (demo / "data" / "images" / "demo_000.png").read_bytes(), (demo / "data" / "recordings.nc").read_bytes()]


def damaged(original, demo):
    """(kind, contents); of a kind whose name begins with "packed" libtorch sees a whole archive."""
    chance = random.Random(SEED)
    size = len(original.bytes)
    code = original.named("demo.py")
    forward = b") -> Tensor:\n    "
    files = [("truncated", original.bytes[:chance.randrange(size)]) for _ in range(some_of(15))]
    files += [("flipped", flipped(chance, original.bytes)) for _ in range(some_of(15))]
    files += [("wrong type", contents) for contents in wrong_types(original, demo)]
    files += [("packed swapped", swapped(chance, original)) for _ in range(some_of(8))]
    files += [("packed without", without(chance, original)) for _ in range(some_of(5))]
    # A storage of more numbers than there are bytes: 72 of them, of 4 bytes each.
    pickle = original.named("data.pkl")
    larger = pickle.replace(b"K\x48", b"K\xff", 1)
    files += [("packed pickle", original.with_entry("data.pkl", contents)) for contents in [*BAD_PICKLES, larger]]
    codes = [code.replace(forward, forward + line + b"\n    ", 1) for line in [ENDLESS_LINE, *BAD_LINES]]
    # A constant of a class without a type.
    codes.append(code.replace(b"__buffers__", b"_Wbuffers__", 1))
    files += [("packed endless" if contents is codes[0] else "packed code", original.with_entry("demo.py", contents))
              for contents in codes]
    for end, count in (("data.pkl", 20), ("constants.pkl", 2), ("demo.py", 15), ("debug_pkl", 3)):
        files += [("packed scrambled " + end, original.with_entry(end, scrambled(chance, original.named(end))))
                  for _ in range(some_of(count))]
    return files


def write_configs(folder, demo, files):
    """A run of the good network and all others on one small benchmark; name -> kind."""
    for name in ("models", "datasets", "benchmarks"):
        (folder / name).mkdir(parents=True)
    shutil.copytree(demo / "data" / "images", folder / "datasets" / "images")
    (folder / "datasets" / "stimuli.csv").write_text(
        "stimulus_id,filename\n" + "".join(f"{name},{name}.png\n" for name in STIMULI))
    chance = random.Random(1)
    write_assembly(folder / "datasets" / "recordings.nc", [[chance.gauss(0, 1) for _ in range(4)] for _ in STIMULI],
                   {"stimulus_id": STIMULI}, {"neuroid_id": ["n0", "n1", "n2", "n3"]})
    (folder / "datasets" / "few.toml").write_text(DATASET)
    (folder / "benchmarks" / "few.toml").write_text(BENCHMARK)
    kinds = {}
    for number, (kind, contents) in enumerate(files):
        name = f"m{number:03d}"
        kinds[name] = kind
        (folder / "models" / f"{name}.ts").write_bytes(contents)
        (folder / "models" / f"{name}.toml").write_text(
            MODEL.format(name=name, sha256=hashlib.sha256(contents).hexdigest()))
    (folder / "run.toml").write_text(f'models = {list(kinds)}\nbenchmarks = ["few"]\nlayers = "candidates"\n')
    return kinds


def check_records(checks, what, kinds, out):
    """Each model has a score or a reason that begins with its file; the names of those that failed."""
    records = {record["model"]: record for record in score_records(out)}
    good = records.get("m000", {}).get("value")
    checks.that(good is not None, f"{what}: the good network has no score")
    failed = set()
    for name, kind in kinds.items():
        record = records.get(name, {"status": "missing"})
        if record["status"] == "scored":
            # Padding and dates may change without harm, but no number while the archive looks whole.
            checks.that(kind.startswith("packed") or record["value"] == good,
                        f"{what}, {name} ({kind}): another score than the good network's", record["value"])
            continue
        failed.add(name)
        reason = record.get("reason", "")
        # Other weights in their place are no damage that can be seen, and can give NaN.
        by_values = kind == "packed swapped" and any(word in reason for word in ("NaN", "not positive definite"))
        checks.that(record["status"] == "failed" and (f"{name}.ts: " in reason or by_values) and "\n" not in reason,
                    f"{what}, {name} ({kind}): {record['status']}, the file is not named in one line", reason)
        if by_values:
            failed.discard(name)
    return failed


def check_run(program, checks, run, kinds, ranks):
    out = run.parent / f"out{ranks}"
    code, log = program.run(["run", run, "--out", out, "--threads", 1, "--models", ",".join(kinds)], ranks, LIMIT)
    what = f"run, {ranks} rank(s)"
    checks.that(code == SOME_FAILED, f"{what}: ends with {code}", log)
    return check_records(checks, what, kinds, out)


def for_repetition(kinds):
    """Of each kind the first file and every third from there, without the network that is waited for."""
    step = 1 if IN_FULL else 3
    chosen = {}
    for kind in dict.fromkeys(kinds.values()):
        if kind != "packed endless":
            chosen.update(dict.fromkeys([name for name in kinds if kinds[name] == kind][::step], kind))
    return chosen


def check_all(program, checks, folder, kinds):
    run = folder / "run.toml"
    repeated = for_repetition(kinds)
    failed, by_two, (code, told) = in_pairs(lambda judge: judge(), [
        lambda: check_run(program, checks, run, kinds, 1),
        lambda: check_run(program, checks, run, repeated, 2),
        lambda: program.answer(["check", "--probe", run, "--models", ",".join(repeated)], LIMIT)])
    checks.that(by_two == failed & set(repeated), "other networks fail with two ranks than with one", by_two ^ failed)
    checks.that(code == FAILED, f"check: ends with {code}", told)
    for name in repeated:
        named = f"{name}.ts: " in told
        checks.that(named == (name in failed), f"check: {name} ({kinds[name]}) is {'named' if named else 'not named'}, "
                    f"but the run says otherwise")
    return failed


def check_greedy(program, checks, folder, demo, original):
    """A sound network that has too little memory is told so, instead of being waited for."""
    code = original.named("demo.py")
    forward = b") -> Tensor:\n    "
    greedy = original.with_entry("demo.py", code.replace(forward, forward + GREEDY_LINES + b"\n    ", 1))
    write_configs(folder, demo, [("good", original.bytes), ("greedy", greedy)])
    arguments = ["run", folder / "run.toml", "--threads", 1, "--out", folder / "out", "--memory"]
    least = re.search(r"give at least (\d+)MiB", program.run([*arguments, "1MiB"])[1])
    checks.that(least is not None, "the least memory is not told")
    if least is None:
        return
    code, log = program.run([*arguments, f"{int(least.group(1)) + 8}MiB"], limit=LIMIT)
    reasons = {record["model"]: record.get("reason", "") for record in score_records(folder / "out")}
    checks.that(code == SOME_FAILED and "--memory" in reasons["m001"] and not reasons["m000"],
                f"a greedy network: ends with {code}, {reasons}", log)


def damaged_models(program, folder, checks):
    demo = folder / "demo"
    program.write_demo(demo)
    original = Original(demo / "models" / "demo_designed.ts")
    files = [("good", original.bytes), *damaged(original, demo)]
    kinds = write_configs(folder / "configs", demo, files)
    os.environ["VENTRAL_TRIAL_SECONDS"] = "20"  # for the network that never ends
    failed = check_all(program, checks, folder / "configs", kinds)
    check_greedy(program, checks, folder / "greedy", demo, original)
    for kind in sorted(set(kinds.values())):
        names = [name for name in kinds if kinds[name] == kind]
        print(f"{kind:28} {len(names):3d} files, {len(failed.intersection(names)):3d} refused")
    checks.that(len(kinds) == (101 if IN_FULL else 47), f"{len(kinds) - 1} damaged files, not 100 or 46")
    checks.that("packed endless" in {kinds[name] for name in failed}, "the network that never ends is not refused")
    checks.that(len(failed) > 0.7 * len(kinds), f"only {len(failed)} of {len(kinds)} are refused")


if __name__ == "__main__":
    main(damaged_models)
