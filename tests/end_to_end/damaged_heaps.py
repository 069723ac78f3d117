#!/usr/bin/python3
"""Strings that HDF5 follows into a crash: under mpiexec too they are a failure of what needs them, and the rest goes on.

usage: damaged_heaps.py VENTRAL MPIRUN
"""
import struct

from program import main, score_records

HEAP = b"GCOL"
HEAP_HEADER = 16
OBJECT_HEADER = struct.Struct("<HHIQ")  # number, references, reserved, size
WRONG_SIZE = 1 << 30
RANKS = 2
FAILED_SCORES = 2


def objects_of(blob, heap):
    """Where the headers of a global heap's objects are."""
    end = heap + struct.unpack_from("<Q", blob, heap + 8)[0]
    place = heap + HEAP_HEADER
    while place + OBJECT_HEADER.size <= end:
        number, _, _, size = OBJECT_HEADER.unpack_from(blob, place)
        if number == 0:
            return
        yield place
        place += OBJECT_HEADER.size + (size + 7) // 8 * 8


def damaged_versions(blob):
    """The file with a wrong length of one string, for each heap of strings."""
    heap = blob.find(HEAP)
    while heap >= 0:
        places = list(objects_of(blob, heap))
        damaged = bytearray(blob)
        struct.pack_into("<Q", damaged, places[len(places) // 2] + 8, WRONG_SIZE)
        yield bytes(damaged)
        heap = blob.find(HEAP, heap + len(HEAP))


def check_versions(program, checks, path, what, run, scored):
    """Each damaged version of the file is named by a run that scores `scored` all the same."""
    whole = path.read_bytes()
    crashes = 0
    versions = list(damaged_versions(whole))
    for number, version in enumerate(versions):
        path.write_bytes(version)
        out = run.with_name(f"out_{what}_{number}")
        code, log = program.run(["run", run, "--out", out, "--threads", 1], RANKS)
        checks.that(code == FAILED_SCORES and f"{path.name}: " in log, f"{what}, heap {number}: the run ends with {code}", log)
        found = {record["model"] for record in score_records(out) if record["status"] == "scored"}
        checks.that(found == scored, f"{what}, heap {number}: scored are {found}", log)
        crashes += "is damaged (reading it crashes HDF5)" in log
    path.write_bytes(whole)
    checks.that(crashes > 0 or program.has_address_sanitizer(), f"{what}: none of {len(versions)} versions crashes HDF5")


def damaged_heaps(program, folder, checks):
    demo = folder / "demo"
    program.write_demo(demo)
    dataset = demo / "datasets" / "demo.toml"
    dataset.write_text("\n".join(line.partition(', sha1 = "')[0] + (" }" if ', sha1 = "' in line else "")
                                 for line in dataset.read_text().splitlines() if not line.startswith("sha1")) + "\n")
    run = demo / "damaged.toml"
    run.write_text('models = ["demo_random"]\nbenchmarks = ["demo-V1-ridge"]\nlayers = "committed"\n')
    check_versions(program, checks, demo / "data" / "recordings.nc", "recordings", run, set())

    features = demo / "data" / "features.h5"
    code, log = program.run(["extract", demo / "models" / "demo_designed.toml", "--images", demo / "data" / "stimuli.csv",
                             "--images-folder", demo / "data" / "images", "--layers", "stage5,stage7", "--out", features])
    checks.that(code == 0, f"extract ends with {code}", log)
    (demo / "models" / "extracted.toml").write_text('identifier = "extracted"\nfeatures = { file = "../data/features.h5" }\n')
    run.write_text('models = ["extracted", "demo_random"]\nbenchmarks = ["demo-V1-ridge"]\nlayers = "committed"\n')
    check_versions(program, checks, features, "features", run, {"demo_random"})


if __name__ == "__main__":
    main(damaged_heaps)
