#!/usr/bin/python3
"""`select-layers` finds the layer that a region of the demo is made of and writes it into the model's record.

usage: select_layers.py VENTRAL MPIRUN
"""
import re

from program import journal_lines, main

MODEL = "demo_designed"


def select(folder, out, *more, region="V1"):
    return ["select-layers", folder / "demo" / "run.toml", "--out", out, "--region", region, "--models", MODEL, *more]


def passes_of_network(out):
    """How many scores were on a Gram for which the network ran."""
    scores = [line for line in journal_lines(out) if line.get("kind") == "score"]
    return sum(line["timing"]["extraction"] > 0 for line in scores)


def expected_record(original, region, layer):
    """The record with one line of it changed."""
    lines = original.splitlines(keepends=True)
    return "".join(f'{region} = ["{layer}"]\n' if line.startswith(region + " = ") else line for line in lines)


def check_choice(program, folder, checks, record):
    out = folder / "out"
    code, said = program.answer(select(folder, out, "--write", folder / "copies"))
    checks.that(code == 0, f"it ends with {code}, not 0", said)
    checks.that('V1 = ["stage1"]' in said, "the entry is not printed", said)
    checks.that("*  stage1" in said, "the best layer is not marked", said)
    checks.that(passes_of_network(out) == 2, "the scores of one layer, two benchmarks, are to have run the network",
                passes_of_network(out))
    copy = folder / "copies" / record.name
    checks.that(copy.read_text() == expected_record(record.read_text(), "V1", "stage1"), "the copy is another text",
                copy.read_text())
    changed = copy.stat().st_mtime_ns
    code, said = program.answer(select(folder, out, "--write", folder / "copies"))
    checks.that(code == 0, f"repeated it ends with {code}, not 0", said)
    checks.that(copy.stat().st_mtime_ns == changed, "the copy was written again")
    for other in (copy.read_text().replace('V1 = ["stage1"]', 'V1 = ["stage7"]'), "# another record"):
        copy.write_text(other)
        code, said = program.answer(select(folder, out, "--write", folder / "copies"))
        checks.that(code == 1 and str(copy) in said and "nothing is overwritten" in said,
                    f"with another text it ends with {code}, not 1", said)
        checks.that(copy.read_text() == other, "a record is overwritten without being asked", copy.read_text())
    checks.that(passes_of_network(out) == 2, "finished scores were computed again")


def check_in_place(program, folder, checks, record):
    original = record.read_text()
    code, said = program.run(select(folder, folder / "out_mpi", "--in-place", region="IT"), ranks=2)
    checks.that(code == 0, f"with two ranks it ends with {code}, not 0", said)
    checks.that(record.read_text() == expected_record(original, "IT", "stage7"), "the record is another text",
                record.read_text())
    checks.that(not list(record.parent.glob("*tmp*")), "temporary files are left")
    elsewhere = folder / "elsewhere.toml"
    record.rename(elsewhere)
    record.symlink_to(elsewhere)
    elsewhere.write_text(original)
    elsewhere.chmod(0o640)
    code, said = program.answer(select(folder, folder / "out_mpi", "--in-place", region="IT"))
    checks.that(code == 0 and record.is_symlink() and record.read_text() == expected_record(original, "IT", "stage7"),
                "a link to a record is not followed", said)
    checks.that(elsewhere.stat().st_mode & 0o777 == 0o640, "a record gets other permissions", oct(elsewhere.stat().st_mode))
    elsewhere.replace(record)


def check_private(program, folder, checks, demo):
    dataset = next((demo / "datasets").glob("*.toml"))
    public = dataset.read_text()
    dataset.write_text(public.replace('access = "public"', 'access = "private"'))
    code, said = program.answer(select(folder, folder / "out"))
    checks.that(code == 1 and "private" in said, "layers are chosen on private recordings", said)
    dataset.write_text(public)


def check_refused(program, folder, checks, record):
    """Of a layer that cannot be scored the others are chosen from, with the pass that ran for it too; of that one
    alone nothing is."""
    text = record.read_text()
    with_another = text.replace('layers = ["stage1", ', 'layers = ["no_such_stage", "stage1", ')
    record.write_text(with_another)
    out = folder / "out_refused"
    code, said = program.answer(select(folder, out, "--in-place"))
    checks.that(code == 2 and "no_such_stage" in said and "left out of the choice" in said,
                "a layer that does not exist is not said to be left out", said)
    checks.that(passes_of_network(out) > 0 and "was not run" not in said,
                "the pass that ran while the first layer failed is not told", said)
    checks.that(record.read_text() == expected_record(with_another, "V1", "stage1"),
                "the others were not chosen from", record.read_text())
    alone = re.sub(r"(?m)^layers = .*", 'layers = ["no_such_stage"]', text)
    record.write_text(alone)
    code, said = program.answer(select(folder, folder / "out", "--in-place"))
    checks.that(code == 2 and "no layer can be chosen" in said, "a layer that failed is chosen", said)
    checks.that(record.read_text() == alone, "the record was changed without a choice")
    record.write_text(text)


def check_full_disk(program, folder, checks, record):
    """A record whose text is longer than a file may be."""
    before = record.read_text()
    padded = "# " + 400_000 * "long " + "\n" + before
    record.write_text(padded)
    code, said = program.run(select(folder, folder / "out", "--in-place"), file_bytes=1_000_000)
    checks.that(code == 1 and str(record) in said and "File too large" in said,
                f"a record that cannot be written ends with {code}, not 1", said)
    checks.that(record.read_text() == padded, "a record that could not be written is changed")
    checks.that(not list(record.parent.glob("*tmp*")), "temporary files are left")
    record.write_text(before)


def check_limits(program, folder, checks, record):
    before = record.read_text()
    out = folder / "out_limited"
    code, said = program.answer(select(folder, out, "--in-place", "--max-time", "0.001"))
    checks.that(code == 1 and "stopped before anything was recorded" in said and record.read_text() == before,
                "stopped by its time it is to say so, without a choice", said)
    code, said = program.answer(select(folder, out, "--in-place", "--memory", "1MiB"))
    checks.that(code == 1 and "--memory" in said, "what the program alone does not fit is to be said", said)
    code, said = program.answer(select(folder, out, "--memory", "4GiB", "--max-time", "1h", "--unit-timeout", "20m"))
    checks.that(code == 0 and 'V1 = ["stage1"]' in said, "within its limits it is to choose", said)


def test(program, folder, checks):
    demo = folder / "demo"
    program.write_demo(demo)
    record = demo / "models" / (MODEL + ".toml")
    text = record.read_text().replace('V1 = ["stage1"]', 'V1 = ["stage7"]').replace('IT = ["stage7"]', 'IT = ["stage1"]')
    record.write_text("# mine, é\n" + text)
    check_choice(program, folder, checks, record)
    check_in_place(program, folder, checks, record)
    check_private(program, folder, checks, demo)
    check_refused(program, folder, checks, record)
    check_full_disk(program, folder, checks, record)
    check_limits(program, folder, checks, record)


main(test)
