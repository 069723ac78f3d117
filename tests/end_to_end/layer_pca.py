#!/usr/bin/python3
"""A model whose layers are projected on principal components has the same scores whatever the ranks, the threads
and what is left of an earlier run.

usage: layer_pca.py VENTRAL MPIRUN
"""
import shutil

from program import main, score_records, scores_csv

MODEL = "demo_designed"
PHOTOS = """identifier = "photos"
[stimuli]
csv = "../data/photos.csv"
folder = "../data/images"
"""
RUN = """models = ["demo_designed"]
benchmarks = ["demo-V1-pls", "demo-V1-ridge"]
layers = "candidates"
"""


def add_pca(demo, components):
    """The first 40 of the demo's images are those that components are fitted on."""
    rows = (demo / "data" / "stimuli.csv").read_text().splitlines()
    (demo / "data" / "photos.csv").write_text("\n".join(rows[:41]) + "\n")
    (demo / "datasets" / "photos.toml").write_text(PHOTOS)
    record = demo / "models" / (MODEL + ".toml")
    text = record.read_text().split("\n[pca]")[0]
    record.write_text(text + f'\n[pca]\nn_components = {components}\nstimuli = "photos"\n')
    (demo / "run.toml").write_text(RUN)


def score(program, checks, out, demo, *more, ranks=1):
    code, log = program.run(["run", demo / "run.toml", "--out", out, *more], ranks)
    checks.that(code == 0, f"{out.name} ends with {code}, not 0", log)
    return scores_csv(out)


def values(rows):
    return {row.split(b",")[6] for row in rows.splitlines()[1:]}


def test(program, folder, checks):
    demo = folder / "demo"
    program.write_demo(demo)
    (demo / "run.toml").write_text(RUN)
    plain = score(program, checks, folder / "plain", demo)
    add_pca(demo, 25)  # PLS needs as many; the narrowest layer has 26 features
    expected = score(program, checks, folder / "alone", demo, "--threads", 1)
    checks.that(len(expected.splitlines()) == 15, "there are not 14 scores", expected)
    checks.that(not values(expected) & values(plain), "the PCA leaves a score as it was")
    for ranks, threads in [(1, 2), (2, 1), (3, 1)]:
        rows = score(program, checks, folder / f"{ranks}x{threads}", demo, "--threads", threads, ranks=ranks)
        checks.that(rows == expected, f"{ranks} rank(s) × {threads} thread(s) give other bytes")

    # Projections are checkpoints: neither network nor Grams are needed.
    out = folder / "resumed"
    shutil.copytree(folder / "alone", out)
    for part in ["journal", "grams"]:
        shutil.rmtree(out / part)
    for activations in (out / "activations").glob("*.h5"):
        activations.unlink()
    rows = score(program, checks, out, demo)
    checks.that(rows == expected, "projections from an earlier run give other bytes")
    checks.that(not list((out / "activations").glob("*.h5")), "the network ran although the projections were there")

    for part in ["journal", "grams"]:
        shutil.rmtree(out / part)
    first, *_, last = sorted((out / "activations").glob("*.nc"))
    shutil.move(first, out / "exchanged")
    shutil.move(last, first)
    shutil.move(out / "exchanged", last)
    rows = score(program, checks, out, demo)
    checks.that(rows == expected, "two projections with each other's names are believed")

    out = folder / "nothing_kept"
    rows = score(program, checks, out, demo, "--activations", "discard", "--grams", "discard")
    checks.that(rows == expected, "without checkpoints the bytes differ")
    checks.that(not list((out / "activations").iterdir()), "activations or projections are left")

    add_pca(demo, 41)  # of 40 images
    for command in (["plan"], ["check"], ["run", "--out", folder / "few"]):
        code, said = program.answer([command[0], demo / "run.toml", *command[1:]])
        few = "n_components = 41, but dataset 'photos' has 40 images"
        checks.that(code == (2 if command[0] == "run" else 1) and few in said, f"{command[0]}: too few images", said)
    add_pca(demo, 24)
    for command, wanted, *only in (("plan", 2), ("plan", 1, "--benchmarks", "demo-V1-pls"), ("check", 0)):
        code, said = program.answer([command, demo / "run.toml", *only])
        few = "24 features after [pca] are fewer than the 25 components of PLS"
        checks.that(code == wanted and few in said, f"{command}: too few components for PLS, ends with {code}", said)

    add_pca(demo, 26)
    rows = score(program, checks, folder / "alone", demo)
    projections = {record["provenance"].get("projection") for record in score_records(folder / "alone")}
    checks.that(len(projections) == 1 and None not in projections, "the provenance lacks the projection", projections)
    plain_ones = [record for record in score_records(folder / "plain") if "projection" in record["provenance"]]
    checks.that(not plain_ones, "scores without a PCA have a projection in their provenance", plain_ones)
    checks.that(len(rows.splitlines()) == 15 and rows != expected, "another number of components gives no new scores")
    narrowest = [row.split(b",")[6] for row in rows.splitlines() if b",stage7," in row]
    checks.that(set(narrowest) <= values(plain), "a layer of as many features as components does not pass through")
    checks.that(len(score_records(folder / "alone")) == 14, "scores of another number of components stay in the tables")


main(test)
