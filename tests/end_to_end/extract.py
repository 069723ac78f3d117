"""`ventral extract` writes the activations of a folder of images, and of a bad image only its name.

usage: extract.py VENTRAL MPIRUN
"""
import random
import shutil

from program import main

MUTATIONS = 12


def check_good(program, checks, model, images, folder):
    for ranks, threads in ((1, 1), (1, 2), (2, 1)):
        what = f"{ranks} rank(s), {threads} thread(s)"
        out = folder / f"good{ranks}{threads}.h5"
        code, log = program.run(["extract", model, "--images", images, "--out", out, "--threads", threads, "--timing",
                                 "--count", 20, "--layers", "stage1,stage3"], ranks)
        checks.that(code == 0, f"{what}: ends with {code}", log)
        checks.that(out.exists() and out.read_bytes()[:8] == b"\x89HDF\r\n\x1a\n", f"{what}: no HDF5 file", log)
        checks.that("timing: load" in log, f"{what}: states no times", log)


def check_refused(program, checks, what, arguments, word, folder, ranks=1):
    out = folder / "refused.h5"
    code, log = program.run(["extract", *arguments, "--out", out, "--threads", 1], ranks)
    checks.that(code == 1, f"{what}: ends with {code}, not 1", log)
    checks.that(word in log, f"{what}: the message lacks '{word}'", log)
    checks.that(not list(folder.glob("refused.h5*")), f"{what}: leaves a file")


def mutated(contents, kind, chance):
    if kind == 0:
        return contents[:chance.randrange(len(contents))]
    if kind == 1:
        position = chance.randrange(41, len(contents) - 12)  # between the header and the end mark
        return contents[:position] + bytes([contents[position] ^ 1 << chance.randrange(8)]) + contents[position + 1:]
    return b"stimulus_id,filename\n"


def check_mutated(program, checks, model, images, folder):
    """One image of a folder is cut short, has a flipped bit or is no image: it is named, on any rank."""
    chance = random.Random(7)
    names = sorted(path.name for path in images.iterdir())[:20]
    for number in range(MUTATIONS):
        broken = folder / f"broken{number}"
        broken.mkdir()
        for name in names:
            shutil.copy(images / name, broken)
        victim = chance.choice(names)
        (broken / victim).write_bytes(mutated((images / victim).read_bytes(), number % 3, chance))
        check_refused(program, checks, f"mutation {number}", [model, "--images", broken, "--layers", "stage1"],
                      str(broken / victim), folder, 1 + number % 2)


def extract(program, folder, checks):
    demo = folder / "demo"
    code, log = program.run(["demo", demo])
    if not checks.that(code == 0, "the demo's data are not made", log):
        return
    model, images = demo / "models" / "demo_designed.toml", demo / "data" / "images"
    check_good(program, checks, model, images, folder)
    check_mutated(program, checks, model, images, folder)
    check_refused(program, checks, "an unknown layer", [model, "--images", images, "--layers", "stage9"], "stage9", folder)
    check_refused(program, checks, "an empty folder", [model, "--images", demo / "models"], "no PNG", folder)
    check_refused(program, checks, "no such folder", [model, "--images", folder / "none"], "none", folder)


main(extract)
