"""`ventral extract` writes the activations of a folder of images, and of a bad image only its name.

usage: extract.py VENTRAL MPIRUN
"""
import json
import os
import random
import re
import shutil
import signal

from netcdf3 import write_assembly
from program import main, wait, wait_for

MUTATIONS = 6


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


def check_layers_refused(program, checks, model, images, folder):
    text = model.read_text()
    bare = model.with_name("bare.toml")
    bare.write_text("".join(line for line in text.splitlines(True) if not line.startswith("layers")))
    for ranks in (1, 2):
        check_refused(program, checks, f"no layers, {ranks} rank(s)", [bare, "--images", images],
                      f"{bare}: the model has no 'layers' (give --layers)", folder, ranks)
    check_refused(program, checks, "a layer twice", [model, "--images", images, "--layers", "stage1,stage3,stage1"],
                  "--layers: layer 'stage1' is named twice", folder)


def check_other_weights(program, checks, model, images, folder):
    """Weights that are not those of the record have neither layers to list nor any to extract."""
    wrong = model.with_name("wrong.toml")
    wrong.write_text(re.sub('sha256 = "[0-9a-f]{8}', 'sha256 = "01234567', model.read_text()))
    code, said = program.answer(["layers", wrong])
    checks.that(code == 1 and "checksum is wrong" in said, f"layers of other weights: ends with {code}", said)
    check_refused(program, checks, "other weights", [wrong, "--images", images], "checksum is wrong", folder)


def check_name(program, checks, model, images, folder):
    code, log = program.run(["extract", model, "--images", f"{images}/", "--count", 2, "--layers", "stage1", "--out",
                             folder / "slash.h5", "--threads", 1])
    checks.that(code == 0 and f"demo_designed on {images.name}" in log, "a folder with a slash has no name", log)


def check_identifier(program, checks, model, images, folder):
    named = ["--images", images, "--layers", "stage1", "--configs"]
    configs = model.parent.parent
    code, log = program.run(["extract", "demo_designed", *named, configs, "--count", 2, "--out", folder / "named.h5"], 2)
    checks.that(code == 0 and (folder / "named.h5").exists(), f"an identifier: ends with {code}", log)
    for what, name, place, word in [("an unknown identifier", "demo_designd", configs, "did you mean 'demo_designed'?"),
                                    ("a path of no file", folder / "absent", configs, "absent: no such file"),
                                    ("no folder of records", "demo_designed", images, "has no folder models, benchmarks")]:
        check_refused(program, checks, what, [name, *named, place], word, folder)


def check_table(program, checks, model, images, folder):
    """The demo's table stands beside the folder of its images."""
    table, out = images.parent / "stimuli.csv", folder / "table.h5"
    arguments = ["extract", model, "--images", table, "--count", 2, "--layers", "stage1", "--out", out, "--threads", 1]
    code, log = program.run(arguments)
    checks.that(code == 1 and "are missing; is the folder right? --images-folder names it)" in log, "images beside their table", log)
    code, log = program.run([*arguments, "--images-folder", images], 2)
    checks.that(code == 0 and out.exists(), f"a table with a folder: ends with {code}", log)


def check_degrees(program, checks, model, images, folder):
    """A width that is stated gives way to the table's column, once said; that of the model's screen is not stated."""
    table, names = folder / "widths.csv", sorted(path.name for path in images.iterdir())[:2]
    table.write_text("stimulus_id,filename,degrees\n" + "".join(f"{name},{name},4\n" for name in names))
    for ranks, stated, warnings in ((1, [], 0), (2, ["--degrees", 4], 0), (2, ["--degrees", 5], 1)):
        out = folder / "widths.h5"
        code, log = program.run(["extract", model, "--images", table, "--images-folder", images, "--layers", "stage1",
                                 "--out", out, "--threads", 1, "--force", *stated], ranks)
        checks.that(code == 0, f"a column of widths, {stated}: ends with {code}", log)
        checks.that(log.count(f"{table}: its column 'degrees'") == warnings, f"widths, {stated}: other warnings", log)
        checks.that(not warnings or "the 5 visual degrees" in log, "a warning without the width", log)


def check_encodings(program, checks, model, images, folder):
    """HDF5 with other text than UTF-8 could not be opened."""
    latin = folder / "latin"
    latin.mkdir()
    victim = os.path.join(os.fsencode(latin), b"M\xfcller.png")
    shutil.copy(next(images.iterdir()), victim)
    check_refused(program, checks, "a file's name in Latin-1", [model, "--images", latin, "--layers", "stage1"],
                  "its name is not UTF-8, rename it", folder)
    table = folder / "latin.csv"
    table.write_bytes(b"stimulus_id,filename\n1,a.png\nM\xfcller,b.png\n")
    check_refused(program, checks, "a table in Latin-1", [model, "--images", table, "--layers", "stage1"],
                  f"{table}:3: is not UTF-8, save it as UTF-8", folder)


def check_hidden(program, checks, model, images, folder):
    """Beside its images another system leaves files of its own; folders in it are told of."""
    photos, out = folder / "photos_of_a_mac", folder / "hidden.h5"
    photos.mkdir()
    shutil.copy(next(images.iterdir()), photos / "0.png")
    (photos / "._0.png").write_bytes(b"\0\5\x16\7")
    code, log = program.run(["extract", model, "--images", photos, "--layers", "stage1", "--out", out, "--threads", 1])
    checks.that(code == 0 and out.exists(), f"a hidden file beside an image: ends with {code}", log)
    checks.that("not looked into" not in log, "a hidden file is told of", log)
    (photos / "more").mkdir()
    out = folder / "more.h5"
    code, log = program.run(["extract", model, "--images", photos, "--layers", "stage1", "--out", out, "--threads", 1])
    checks.that(code == 0 and "not looked into: 1 folder" in log, f"a folder beside an image: ends with {code}", log)


def check_fifos(program, checks, model, images, folder):
    """Nothing waits for a partner that may never come."""
    mixed, fifo = folder / "mixed", folder / "fifo.h5"
    mixed.mkdir()
    shutil.copy(next(images.iterdir()), mixed / "0.png")
    for path in (mixed / "1.png", fifo):
        os.mkfifo(path)
    check_refused(program, checks, "a FIFO as image", [model, "--images", mixed, "--layers", "stage1"],
                  f"{mixed / '1.png'}: is no regular file", folder)
    arguments = ["extract", model, "--images", images, "--layers", "stage1", "--out", fifo, "--threads", 1]
    for more, word in (([], "is no regular file"), (["--force"], "is no regular file")):
        code, log = program.run([*arguments, *more])
        checks.that(code == 1 and f"{fifo}: {word}" in log, f"a FIFO as OUT, {more}: ends with {code}", log)


def check_compressed(program, checks, model, images, folder):
    """Smaller, and with more ranks and threads no larger than the blanks between chunks."""
    sizes = []
    for ranks, threads, *more in ((1, 1), (1, 1, "--activations-compress", 4), (2, 2, "--activations-compress", 4)):
        out = folder / f"compressed{len(sizes)}.h5"
        code, log = program.run(["extract", model, "--images", images, "--layers", "stage1,stage3", "--out", out,
                                 "--threads", threads, *more], ranks)
        checks.that(code == 0 and out.exists(), f"compressed on {ranks} rank(s): ends with {code}", log)
        sizes.append(out.stat().st_size if out.exists() else 0)
    checks.that(max(sizes[1:]) < 0.95 * sizes[0], "compressed activations are not smaller", sizes)


def check_kept(program, checks, model, images, folder):
    out = folder / "kept.h5"
    out.write_text("somebody's own")
    extraction = ["extract", model, "--images", images, "--count", 2, "--layers", "stage1", "--out", out, "--threads", 1]
    for ranks in (1, 2):
        code, log = program.run(extraction, ranks)
        checks.that(code == 1 and f"{out}: is there already, --force" in log, f"{ranks} rank(s): a file is replaced", log)
        checks.that(out.read_text() == "somebody's own", "a file that is to be kept is not")
    code, log = program.run([*extraction, "--force"], 2)
    checks.that(code == 0 and out.read_bytes()[:4] == b"\x89HDF", "--force replaces no file", log)
    code, log = program.run(["extract", model, "--images", folder / "none", "--out", out])
    checks.that(code == 1 and "none: no such folder" in log, "a file that is there hides a worse mistake", log)


def check_inputs_kept(program, checks, model, images, folder):
    """--force replaces a file that is there, but none that the extraction itself reads."""
    demo = folder / "inputs"
    shutil.copytree(model.parents[1], demo)
    record, table = demo / "models" / model.name, demo / "data" / "stimuli.csv"
    for read in (record.with_suffix(".ts"), record, table, demo / "data" / "images" / "demo_003.png"):
        before = read.read_bytes()
        code, log = program.run(["extract", record, "--images", table, "--images-folder", demo / "data" / "images",
                                 "--count", 4, "--layers", "stage1", "--threads", 1, "--out", read, "--force"])
        checks.that(code == 1 and f"{read}: is read by this command" in log, f"--out {read.name} ends with {code}", log)
        checks.that(read.read_bytes() == before, f"{read.name} is replaced by what was extracted from it")
    params = demo / "triplets.json"
    params.write_text('{"triplets": [["demo_000", "demo_001", "demo_002"]]}')
    before = params.read_bytes()
    code, log = program.run(["extract", record, "--images", table, "--images-folder", demo / "data" / "images", "--count", 4,
                             "--layers", "stage1", "--threads", 1, "--task", "odd_one_out", "--readout-layer", "stage1",
                             "--task-params", f"@{params}", "--out", params, "--force"])
    checks.that(code == 1 and f"{params}: is read by this command" in log, f"--out of --task-params ends with {code}", log)
    checks.that(params.read_bytes() == before, "the parameters of a task are replaced")


def check_damaged_values(program, checks, model, images, folder):
    """A metric takes no layer whose values are not those that were written."""
    out, target = folder / "values.h5", folder / "target.nc"
    program.run(["extract", model, "--images", images, "--count", 20, "--layers", "stage1", "--threads", 1, "--out", out])
    chance = random.Random(5)
    names = [path.name for path in sorted(images.iterdir())[:20]]
    write_assembly(target, [[chance.gauss(0, 1) for _ in range(3)] for _ in names], {"stimulus_id": names},
                   {"neuroid_id": ["a", "b", "c"]})
    metric = ["metric", "cka", "--source", out, "--layer", "stage1", "--target", target, "--threads", 1]
    code, said = program.answer(metric)
    checks.that(code == 0, f"cka of an extracted layer ends with {code}", said)
    contents = bytearray(out.read_bytes())
    contents[6 * len(contents) // 7] ^= 64  # the values are at its end
    out.write_bytes(contents)
    code, said = program.answer(metric)
    checks.that(code == 1 and "checksum of layer 'stage1'" in said, f"cka of a damaged layer ends with {code}", said)


def check_two_layers(program, checks, model, images, folder):
    """Layers of networks are compared with each other as they were extracted."""
    out = folder / "layers.h5"
    program.run(["extract", model, "--images", images, "--count", 20, "--layers", "stage1,stage3", "--threads", 1,
                 "--out", out])

    def metric(name, layers, *more):
        options = [option for pair in zip(["--layer", "--target-layer"], layers) for option in pair]
        return program.answer(["metric", name, "--source", out, "--target", out, "--threads", 1, "--json", *options, *more])

    def cka(*layers):
        return metric("cka", layers)

    values = {}
    for layers in (("stage1", "stage1"), ("stage1", "stage3"), ("stage3", "stage1")):
        code, said = cka(*layers)
        if not checks.that(code == 0, f"cka of {layers} ends with {code}", said):
            return
        values[layers] = json.loads(said[said.index("{"):])["value"]
    checks.that(abs(values["stage1", "stage1"] - 1) < 1e-12, "a layer is not like itself", values)
    checks.that(values["stage1", "stage3"] < 0.99, "two layers are alike", values)
    checks.that(abs(values["stage1", "stage3"] - values["stage3", "stage1"]) < 1e-12, "cka is not symmetric", values)
    code, said = cka("stage1")
    checks.that(code == 1 and "--target-layer" in said, f"cka without a target's layer ends with {code}", said)
    halves = ["--params", json.dumps({"crossvalidation_kwargs": {"stratification_coord": None, "train_size": 0.5}})]
    for name in ("neuron_to_neuron_cv", "reverse_pls_cv"):
        code, said = metric(name, ("stage1", "stage1"), *halves)
        if checks.that(code == 0, f"{name} of a layer with itself ends with {code}", said):
            value = json.loads(said[said.index("{"):])["value"]
            least = 1 - 1e-12 if name.startswith("neuron") else 0.5  # each unit has its like; PLS has 25 components
            checks.that(value >= least, f"{name} of a layer with itself gives {value}")


def check_told(program, checks, model, images, folder):
    """Of a PCA and of trials that are left out, and of a device that is not there."""
    arguments = ["--images", images, "--count", 2, "--layers", "stage1", "--threads", 1]
    reduced = model.with_name("reduced.toml")
    reduced.write_text(model.read_text() + '\n[pca]\nstimuli = "photos"\n')
    code, log = program.run(["extract", reduced, *arguments, "--out", folder / "reduced.h5"], 2)
    checks.that(code == 0 and log.count("its [pca] is not applied") == 1, "a PCA that is not applied is not told", log)
    code, log = program.run(["extract", model, *arguments, "--number-of-trials", 9, "--out", folder / "trials.h5"], 2)
    checks.that(code == 0 and log.count("answers the same in every trial") == 1, "trials that are left out", log)
    gpu = model.with_name("gpu.toml")
    gpu.write_text('device = "cuda"\n' + model.read_text())
    code, log = program.run(["extract", gpu, *arguments, "--out", folder / "gpu.h5"])
    checks.that(code == 0 or f'{gpu}: device = "cuda" is not available' in log, "a GPU that is not there", log)


def check_stopped(program, checks, model, images, folder, ranks):
    """Cannot go on when started again: code 1, in order and by one message."""
    many = folder / f"many{ranks}"
    many.mkdir()
    names = [path for path in sorted(images.iterdir())]
    for number in range(6000):
        os.link(names[number % len(names)], many / f"{number:04d}.png")
    log, out = folder / "stopped.log", folder / f"stopped{ranks}.h5"
    process = program.start(["extract", model, "--images", many, "--out", out, "--threads", 1], ranks, log)
    wait_for(lambda: list(folder.glob(f"stopped{ranks}.h5*")) or process.poll() is not None)
    process.send_signal(signal.SIGUSR1)
    code, told = wait(process, 60), log.read_text()
    checks.that(code == 1, f"SIGUSR1 to {ranks} rank(s): ends with {code}, not 1", told)
    checks.that(told.count("stopped at a safe point") == 1 and "MPI_ABORT" not in told,
                f"SIGUSR1 to {ranks} rank(s): is no stop in order", told)
    checks.that(not list(folder.glob(f"stopped{ranks}.h5*")), f"SIGUSR1 to {ranks} rank(s): leaves a file")


def check_killed(program, checks, model, images, folder):
    """What an extraction that was killed has left goes when it is started again."""
    out = folder / "killed.h5"
    extraction = ["extract", model, "--images", folder / "many1", "--out", out, "--threads", 1]
    process = program.start(extraction)
    wait_for(lambda: list(folder.glob("killed.h5.*")) or process.poll() is not None)
    process.kill()
    process.wait()
    checks.that(list(folder.glob("killed.h5.*")), "an extraction that is killed leaves nothing, the test tells nothing")
    code, log = program.run([*extraction, "--count", 4])
    checks.that(code == 0 and "removed 1 temporary file" in log, f"after a kill the extraction ends with {code}", log)
    checks.that([path.name for path in folder.glob("killed.h5*")] == ["killed.h5"], "what was left stays")


def extract(program, folder, checks):
    demo = folder / "demo"
    program.write_demo(demo)
    model, images = demo / "models" / "demo_designed.toml", demo / "data" / "images"
    check_good(program, checks, model, images, folder)
    check_identifier(program, checks, model, images, folder)
    check_mutated(program, checks, model, images, folder)
    check_layers_refused(program, checks, model, images, folder)
    check_other_weights(program, checks, model, images, folder)
    check_name(program, checks, model, images, folder)
    check_table(program, checks, model, images, folder)
    check_degrees(program, checks, model, images, folder)
    check_encodings(program, checks, model, images, folder)
    check_hidden(program, checks, model, images, folder)
    check_fifos(program, checks, model, images, folder)
    check_compressed(program, checks, model, images, folder)
    check_kept(program, checks, model, images, folder)
    check_told(program, checks, model, images, folder)
    check_inputs_kept(program, checks, model, images, folder)
    check_damaged_values(program, checks, model, images, folder)
    check_two_layers(program, checks, model, images, folder)
    for ranks in (1, 2):
        check_stopped(program, checks, model, images, folder, ranks)
    check_killed(program, checks, model, images, folder)
    check_refused(program, checks, "an unknown layer", [model, "--images", images, "--layers", "stage9"], "stage9", folder)
    check_refused(program, checks, "an empty folder", [model, "--images", demo / "models"], "no PNG", folder)
    check_refused(program, checks, "no such folder", [model, "--images", folder / "none"], "none", folder)


main(extract)
