"""`ventral extract --task` writes beside the activations of images what the reference's readouts give: the goldens,
through a network that answers image number i with row i of their features.

usage: extract_task.py VENTRAL MPIRUN GOLDENS
"""
import json
import pathlib
import sys

from program import main

SKIPPED = 77
PROBABILITIES_ALLOWED = 2e-5  # in float32 the reference's own result depends on the BLAS
GOLDENS = ("logits", "odd_features", "fit_float32", "test_float32")
MODEL = """identifier = "table"
weights = "table.ts"
visual_degrees = 8
batch_size = 8
readout_layer = "logits[0]"
require_variance = true
[preprocessing]
crop = 4
"""


def libraries():
    try:
        import numpy
        import torch
        import xarray
        from PIL import Image
    except ImportError as absent:
        print("skipped:", absent)
        sys.exit(SKIPPED)
    return numpy, torch, xarray, Image


def write_network(path, tables):
    """Submodules `classes`, `similar` and `fitted` look up the row of the grey value of an image's first pixel."""
    _, torch, _, _ = libraries()

    class Table(torch.nn.Module):
        def __init__(self, rows):
            super().__init__()
            self.rows = torch.nn.Parameter(torch.from_numpy(rows), requires_grad=False)

        def forward(self, images):
            return self.rows[torch.round(images[:, 0, 0, 0] * 255).long()]

    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.classes, self.similar, self.fitted = (Table(rows) for rows in tables)

        def forward(self, images):
            return self.classes(images), self.similar(images), self.fitted(images)

    torch.jit.script(Whole().eval()).save(str(path))


class Source:
    """The goldens' features as a model, and their stimuli as tables and images. Image 255 is answered with NaN."""

    def __init__(self, goldens, folder):
        numpy, _, xarray, Image = libraries()
        self.folder = folder
        tables = [numpy.full((256, width), numpy.nan, dtype=numpy.float32) for width in (1000, 30, 40)]
        first = 0
        for name in GOLDENS:
            golden = xarray.open_dataset(goldens / "readouts" / f"{name}.nc")
            rows = golden["data"].values
            table = next(each for each in tables if each.shape[1] == rows.shape[1])
            table[first:first + len(rows)] = rows
            labels = golden["image_label"].values if "image_label" in golden else [""] * len(rows)
            lines = ["stimulus_id,filename,object_name,truth" + (",image_label" if labels[0] else "")]
            for row, identifier in enumerate(golden["stimulus_id"].values):
                number = first + row
                Image.new("RGB", (4, 4), (number, number, number)).save(folder / f"{number}.png")
                label = f",{labels[row]}" if labels[row] else ""
                lines.append(f"{identifier},{number}.png,object {row},{row % 3}{label}")
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
            first += len(rows)
        Image.new("RGB", (4, 4), (255, 255, 255)).save(folder / "255.png")
        write_network(folder / "table.ts", tables)
        (folder / "table.toml").write_text(MODEL)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def extraction(self, stimuli, *more, threads=1):
        return ["extract", self.folder / "table.toml", "--images", self.folder / f"{stimuli}.csv", "--out",
                self.folder / "out.h5", "--threads", threads, "--force", *more]

    def output(self, task):
        return self.folder / f"out.{task}.nc"


def run(program, checks, arguments, ranks=1):
    code, log = program.run(arguments, ranks)
    return checks.that(code == 0, f"{' '.join(map(str, arguments))}: ends with {code}", log)


def check_read_out_again(program, checks, source, task, layer, *more):
    """`ventral readout` of the activations writes the same bytes."""
    again = source.folder / f"again.{task}.nc"
    activations = ["--source", source.folder / "out.h5", "--layer", layer, "--force"]
    if run(program, checks, ["readout", task, *activations, "--out", again, *more]):
        checks.that(again.read_bytes() == source.output(task).read_bytes(), f"{task}: other bytes from `readout`")


def expected(goldens, slug):
    return json.loads((goldens / "readouts" / f"expected.{slug}.json").read_text())["expected"]


def check_labels(program, checks, goldens, source):
    xarray = libraries()[2]
    cases = expected(goldens, "labels")
    for name, trials in (("imagenet", 1), ("geirhos", 2)):  # the network varies: a row for each trial
        params = json.dumps({"choice_labels": cases[name]["choice_labels"]})
        task = ["--task", "label", "--task-params", params, "--number-of-trials", trials]
        if not run(program, checks, source.extraction("logits", *task)):
            continue
        wanted = [choice for choice in cases[name]["choices"] for _ in range(trials)]
        with xarray.open_dataarray(source.output("label")) as choices:
            checks.that(choices.dims == ("choice", "presentation"), "labels have other dimensions", choices.dims)
            checks.that(list(choices.values[0]) == wanted, f"labels {name}: not the reference's")
            checks.that(list(choices["label"].values) == wanted, f"labels {name}: another coordinate")
            shown = [choices[column].values[::trials].tolist()[:2] for column in ("object_name", "truth")]
            checks.that(shown == [["object 0", "object 1"], [0, 1]], "columns of the table are lost", shown)
            checks.that(choices.attrs["assembly_class"] == "BehavioralAssembly", "another class", choices.attrs)
            checks.that(trials == 1 or list(choices["trial"].values) == 30 * [0, 1], "other trials", choices)
        check_read_out_again(program, checks, source, "label", "logits[0]", "--params", params)


def check_odd_ones(program, checks, goldens, source):
    xarray = libraries()[2]
    reference = expected(goldens, "odd_one_out")
    params = "@" + str(source.write("triplets.json", json.dumps({"triplets": reference["triplets"]})))
    task = ["--task", "odd_one_out", "--readout-layer", "similar", "--task-params", params]
    if run(program, checks, source.extraction("odd_features", *task)):
        with xarray.open_dataarray(source.output("odd_one_out")) as choices:
            checks.that(list(choices.values[0]) == reference["dot"], "not the reference's odd ones")
            checks.that(list(choices["stimulus_id"].values) == reference["stimulus_id"], "triplets have other names")
        check_read_out_again(program, checks, source, "odd_one_out", "similar", "--params", params)


def check_probabilities(program, checks, goldens, source):
    xarray = libraries()[2]
    table = source.folder / "fit_float32.csv"
    task = ["--task", "probabilities", "--readout-layer", "fitted", "--fitting-stimuli", table]
    written = []
    for ranks, threads in ((2, 2), (1, 1)):
        if run(program, checks, source.extraction("test_float32", *task, threads=threads), ranks):
            written.append(source.output("probabilities").read_bytes())
    checks.that(len(set(written)) == 1, "ranks and threads change the bits of probabilities")
    left = [path.name for path in source.folder.glob("*.tmp")]
    checks.that(not left, "the activations of fitting stimuli are left", left)
    reference = expected(goldens, "probabilities-float32")["default"]["probabilities"]
    with xarray.open_dataarray(source.output("probabilities")) as read:
        largest = abs(read.values - reference["values"]).max()
        print(f"probabilities: largest difference to the reference {largest:.1e}")
        checks.that(largest <= PROBABILITIES_ALLOWED, f"{largest} from the reference's probabilities")
        checks.that(list(read.dims) == reference["dims"], "probabilities have other dimensions", read.dims)
        checks.that(list(read["choice"].values) == reference["coords"]["choice"]["values"], "other choices", read)
    fitting = source.folder / "fitting.h5"
    extraction = source.extraction("fit_float32", "--layers", "fitted")
    extraction[extraction.index("--out") + 1] = fitting
    run(program, checks, extraction)
    check_read_out_again(program, checks, source, "probabilities", "fitted", "--fitting", fitting)


def check_refused(program, checks, source):
    """What is wrong is told with its file, before there is a file that it is read out of."""
    unlabelled = source.folder / "logits.csv"
    lines = (source.folder / "fit_float32.csv").read_text().splitlines()
    alike = source.write("alike.csv", "\n".join([lines[0]] + [line.rpartition(",")[0] + ",car" for line in lines[1:4]]))
    twice = source.write("twice.csv", "\n".join([*lines, lines[1]]))
    nan = source.write("nan.csv", "\n".join([*lines, "blank,255.png,object,1," + lines[1].rpartition(",")[2]]))
    triplets = source.write("unknown.json", '{"triplets": [["img", "no", "nobody"]]}')
    labels = source.write("labels.json", '{"choice_labels": ["cat", "elefant"]}')
    bare = source.write("bare.toml", MODEL.replace("readout_layer", "# readout_layer"))
    in_time = source.write("time.toml", MODEL + "[time]\nbins = [[0, 10], [10, 20]]\n")
    fitted = ["--task", "probabilities", "--readout-layer", "fitted", "--fitting-stimuli"]
    for words, arguments in (
            (["lable", "did you mean 'label'"], ["--task", "lable"]),
            (["--fitting-stimuli"], ["--task", "probabilities"]),
            (["triplets", "@FILE"], ["--task", "odd_one_out"]),
            ([f"{triplets}: triplet 1", "'img'"], ["--task", "odd_one_out", "--task-params", f"@{triplets}"]),
            ([f"{labels}: ", "elephant"], ["--task", "label", "--task-params", f"@{labels}"]),
            (["for a --task"], ["--fitting-stimuli", unlabelled]),
            (["is not fitted"], ["--task", "label", "--fitting-stimuli", unlabelled]),
            ([f"{unlabelled}: has no column 'image_label'"], [*fitted, unlabelled]),
            ([f"{alike}: has one image_label only"], [*fitted, alike]),
            ([f"{twice}:{len(lines) + 1}: ", "already"], [*fitted, twice]),
            ([f"{nan}: ", "'blank'", "not all finite"], [*fitted, nan]),
            ([f"{source.folder}/table.toml: layer 'fitted' has 40 features", "1,000"],
             ["--task", "label", "--readout-layer", "fitted"])):
        check_told(program, checks, source, source.extraction("logits", *arguments), words)
    for model, word in ((bare, "no 'readout_layer'"), (in_time, "[time]")):
        extraction = source.extraction("logits", "--task", "label")
        extraction[1] = model
        check_told(program, checks, source, extraction, [str(model), word])


def check_unreadable(program, checks, source):
    """Activations that no task can be read out of are kept, and no answers of others beside them."""
    source.output("label").write_text("answers out of other activations")
    code, log = program.run(source.extraction("nan", "--task", "label", "--count", 3))
    out = source.folder / "out.h5"
    for word in (f"{out}: is whole", f"{out}: the features of stimulus", "not all finite"):
        checks.that(code == 1 and word in log, f"NaN: ends with {code}, without '{word}'", log)
    checks.that(out.exists() and not source.output("label").exists(), "answers of other activations are left")


def check_told(program, checks, source, arguments, words):
    out = source.folder / "out.h5"
    out.unlink(missing_ok=True)
    code, log = program.run(arguments)
    missing = [word for word in words if word not in log]
    checks.that(code == 1 and not missing, f"{arguments}: ends with {code}, without {missing}", log)
    left = [*source.folder.glob("out.h5*"), *source.folder.glob("*.tmp")]
    checks.that(not left, f"{arguments}: leaves a file", left)


def extract_task(program, folder, checks):
    goldens = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else "")
    if not (goldens / "readouts" / "logits.nc").exists():
        print(f"skipped: there are no goldens in {goldens}")
        sys.exit(SKIPPED)
    source = Source(goldens, folder)
    check_labels(program, checks, goldens, source)
    check_odd_ones(program, checks, goldens, source)
    check_probabilities(program, checks, goldens, source)
    check_refused(program, checks, source)
    check_unreadable(program, checks, source)


main(extract_task)
