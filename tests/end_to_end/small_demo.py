"""The demo's models and benchmarks on a tenth of its images: for tests of files and processes, not of scores."""
import random

from netcdf3 import write_assembly

STIMULI = 64
REPETITIONS = 3
NEUROIDS_OF_A_REGION = 8
REGIONS = ["V1", "V2", "V4", "IT"]
DATASET = """identifier = "demo"
access = "public"

[stimuli]
csv = "../data/stimuli.csv"
folder = "../data/images"
visual_degrees = 8.0

[assemblies]
repetitions = { file = "../data/recordings.nc" }
"""


def write_recordings(path, ids):
    """A response of each neuroid to each stimulus, and noise a third as strong on every repetition."""
    chance = random.Random(1)
    regions = [region for region in REGIONS for _ in range(NEUROIDS_OF_A_REGION)]
    responses = [[chance.gauss(0, 1) for _ in regions] for _ in ids]
    rows = [[value + chance.gauss(0, 1 / 3) for value in response] for _ in range(REPETITIONS) for response in responses]
    write_assembly(path, rows,
                   {"stimulus_id": ids * REPETITIONS,
                    "repetition": [str(number) for number in range(REPETITIONS) for _ in ids]},
                   {"neuroid_id": [f"n{number:02d}" for number in range(len(regions))], "region": regions})


def make_small_demo(program, demo):
    """Writes it into the folder `demo`, in batches so small that every rank gets some of them."""
    program.write_demo(demo)
    table = demo / "data" / "stimuli.csv"
    lines = table.read_text().splitlines()[:STIMULI + 1]
    table.write_text("\n".join(lines) + "\n")
    write_recordings(demo / "data" / "recordings.nc", [line.partition(",")[0] for line in lines[1:]])
    (demo / "datasets" / "demo.toml").write_text(DATASET)
    for record in (demo / "models").glob("*.toml"):
        record.write_text(record.read_text().replace("batch_size = 64", "batch_size = 8"))
