"""`ventral extract --task` gives from images what the reference's readouts give: the goldens, through a network that
answers image number i with row i of a golden's features.

usage: extract_task.py VENTRAL MPIRUN GOLDENS
"""
import json
import pathlib
import sys

from program import main

SKIPPED = 77
# The readout is compared bit by bit with `ventral readout`, which tools/check_goldens compares with the reference.
PROBABILITIES_ALLOWED = 2e-5  # in float32 the reference's own result depends on the BLAS
CLASSIFIER = """identifier = "table"
weights = "table.ts"
visual_degrees = 8
batch_size = 8
layers = ["table"]
readout_layer = "table"
require_variance = true
[preprocessing]
crop = 4
"""


def libraries():
    try:
        import netCDF4
        import numpy
        import torch
        from PIL import Image
    except ImportError as absent:
        print("skipped:", absent)
        sys.exit(SKIPPED)
    return netCDF4, numpy, torch, Image


def write_network(path, rows):
    """A network with a submodule `table` that looks up the row of the grey value of an image's first pixel."""
    _, _, torch, _ = libraries()

    class Table(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rows = torch.nn.Parameter(torch.from_numpy(rows), requires_grad=False)

        def forward(self, images):
            return self.rows[torch.round(images[:, 0, 0, 0] * 255).long()]

    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = Table()

        def forward(self, images):
            return self.table(images)

    torch.jit.script(Whole().eval()).save(str(path))


class Golden:
    """The features of golden files, one below the other, as a model and stimulus tables in a folder of their own."""

    def __init__(self, goldens, folder, names):
        netCDF4, numpy, _, Image = libraries()
        self.folder = folder
        folder.mkdir()
        tables = []
        number = 0
        for name in names:
            with netCDF4.Dataset(goldens / "readouts" / f"{name}.nc") as file:
                tables.append(numpy.asarray(file["data"][:], dtype=numpy.float32))
                labels = file["image_label"][:] if "image_label" in file.variables else None
                ids = file["stimulus_id"][:]
            lines = ["stimulus_id,filename" + (",image_label" if labels is not None else "")]
            for row, identifier in enumerate(ids):
                Image.new("RGB", (4, 4), (number, number, number)).save(folder / f"{number}.png")
                lines.append(f"{identifier},{number}.png" + (f",{labels[row]}" if labels is not None else ""))
                number += 1
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        write_network(folder / "table.ts", numpy.concatenate(tables))
        (folder / "table.toml").write_text(CLASSIFIER)

    def extraction(self, name, *more):
        return ["extract", self.folder / "table.toml", "--images", self.folder / f"{name}.csv", "--out",
                self.folder / "out.h5", "--threads", 1, "--force", *more]


def values_of(path):
    """Values with dims in a fixed order, as a list of rows."""
    netCDF4 = libraries()[0]
    with netCDF4.Dataset(path) as file:
        data = next(v for v in file.variables.values() if set(v.dimensions) == {"presentation", "choice"})
        rows = data[:] if data.dimensions[0] == "presentation" else data[:].T
        return rows.tolist()


def run(program, checks, arguments, ranks=1):
    code, log = program.run(arguments, ranks)
    return checks.that(code == 0, f"{' '.join(map(str, arguments))}: ends with {code}", log)


def expected(goldens, slug):
    return json.loads((goldens / "readouts" / f"expected.{slug}.json").read_text())["expected"]


def check_labels(program, checks, goldens, folder):
    golden = Golden(goldens, folder / "labels", ["logits"])
    for name, case in expected(goldens, "labels").items():
        if name == "indices":
            continue
        params = json.dumps({"choice_labels": case["choice_labels"]})
        if run(program, checks, golden.extraction("logits", "--task", "label", "--task-params", params)):
            choices = [row[0] for row in values_of(golden.folder / "out.label.nc")]
            checks.that(choices == case["choices"], f"labels {name}: not the reference's")


def check_odd_ones(program, checks, goldens, folder):
    golden = Golden(goldens, folder / "odd", ["odd_features"])
    reference = expected(goldens, "odd_one_out")
    for similarity in ("dot", "cosine"):
        params = json.dumps({"triplets": reference["triplets"], "similarity_measure": similarity})
        if run(program, checks, golden.extraction("odd_features", "--task", "odd_one_out", "--task-params", params)):
            choices = [row[0] for row in values_of(golden.folder / "out.odd_one_out.nc")]
            checks.that(choices == reference[similarity], f"{similarity}: not the reference's choices")


def check_probabilities(program, checks, goldens, folder):
    golden = Golden(goldens, folder / "probabilities", ["fit_float32", "test_float32"])
    of_files = folder / "of_files.nc"
    run(program, checks, ["readout", "probabilities", "--source", goldens / "readouts/test_float32.nc", "--fitting",
                          goldens / "readouts/fit_float32.nc", "--out", of_files])
    for ranks in (1, 2):
        fitting = ["--task", "probabilities", "--fitting-stimuli", golden.folder / "fit_float32.csv"]
        if not run(program, checks, golden.extraction("test_float32", *fitting), ranks):
            continue
        rows = values_of(golden.folder / "out.probabilities.nc")
        checks.that(rows == values_of(of_files), f"{ranks} rank(s): not what `readout` makes of the golden's files")
        wanted = expected(goldens, "probabilities-float32")["default"]["probabilities"]["values"]
        largest = max(abs(a - b) for row, other in zip(rows, wanted) for a, b in zip(row, other))
        print(f"probabilities: largest difference to the reference {largest:.1e}")
        checks.that(largest <= PROBABILITIES_ALLOWED, f"{largest} from the reference's probabilities")
        left = [path.name for path in golden.folder.glob("*fitting.h5*")]
        checks.that(not left, "the activations of fitting stimuli are left", left)
    # Several trials are rows of the output too; the fitting stimuli are shown once.
    if run(program, checks, golden.extraction("test_float32", *fitting, "--number-of-trials", 2)):
        rows = values_of(golden.folder / "out.probabilities.nc")
        checks.that(len(rows) == 2 * len(wanted), "there is no row for each trial", len(rows))


def check_refused(program, checks, golden):
    fitting = ["--fitting-stimuli", golden.folder / "logits.csv"]
    for arguments, words in ((["--task", "lable"], "did you mean"), (["--task", "probabilities"], "--fitting-stimuli"),
                             (["--task", "odd_one_out"], "triplets"), (fitting, "are for a --task"),
                             (["--task", "label", *fitting], "is for probabilities"),
                             (["--task", "probabilities", *fitting], "image_label")):
        code, log = program.run(golden.extraction("logits", *arguments))
        checks.that(code == 1 and words in log, f"{arguments}: ends with {code}, without '{words}'", log)
    bare = golden.folder / "bare.toml"
    bare.write_text(CLASSIFIER.replace("readout_layer", "# readout_layer"))
    code, log = program.run(["extract", bare, "--images", golden.folder / "logits.csv", "--task", "label", "--out",
                             golden.folder / "bare.h5"])
    checks.that(code == 1 and f"{bare}: the model has no 'readout_layer'" in log, "no readout layer", log)


def extract_task(program, folder, checks):
    goldens = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else "")
    if not (goldens / "readouts" / "logits.nc").exists():
        print(f"skipped: there are no goldens in {goldens}")
        sys.exit(SKIPPED)
    libraries()
    check_labels(program, checks, goldens, folder)
    check_odd_ones(program, checks, goldens, folder)
    check_probabilities(program, checks, goldens, folder)
    check_refused(program, checks, Golden(goldens, folder / "refused", ["logits"]))


main(extract_task)
