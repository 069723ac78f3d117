#!/usr/bin/python3
"""`verify` compares with what benchmarks expect; `run --audit` finds a finished score that does not come out again.

usage: verify_and_audit.py VENTRAL MPIRUN
"""
import json
import re

from program import SMALL_RUN, main, score_records, scores_csv, wait_for

CRC_32C = 0x82F63B78


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (CRC_32C if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def check_verify(program, folder, checks):
    verify = ["verify", folder / "demo" / "run.toml", *SMALL_RUN, "--out", folder / "verified"]
    code, said = program.run(verify, ranks=2)
    checks.that(code == 0, f"what the demo expects holds, but it ends with {code}", said)
    code, said = program.answer([*verify, "--json"])
    expectations = json.loads(said[said.index("{\n"):said.rindex("}") + 1])["expectations"]
    checks.that(code == 0 and len(expectations) == 2 and all(each["holds"] for each in expectations),
                "the JSON does not say that both ceilings hold", said)
    benchmarks = next((folder / "demo" / "benchmarks").glob("*.toml"))
    original = benchmarks.read_text()
    benchmarks.write_text(original.replace("ceiling = 0.77", "ceiling = 0.5"))
    code, said = program.answer(verify)
    benchmarks.write_text(original)
    checks.that(code == 1 and "differs" in said, f"a ceiling of 0.77 where 0.5 is expected ends with {code}", said)


def check_unplanned_expectation(program, folder, checks):
    """SMALL_RUN is of demo_designed alone."""
    benchmarks = next((folder / "demo" / "benchmarks").glob("*.toml"))
    original = benchmarks.read_text()
    benchmarks.write_text(original.replace("ceiling = 0.77", "ceiling = 0.77\nscores = { demo_random = 0.5 }", 1))
    verify = ["verify", folder / "demo" / "run.toml", *SMALL_RUN, "--out", folder / "verified"]
    code, said = program.answer(verify)
    in_json = program.answer([*verify, "--json"])[1]
    benchmarks.write_text(original)
    rows = [line for line in said.splitlines() if "demo_random" in line]
    checks.that(code == 0 and len(rows) == 1 and rows[0].rstrip().endswith("not in this run") and
                "3 expectations, 0 not met, 1 not in this run" in said,
                f"an expectation of a model that is not in the run ends with {code}", said)
    expectations = json.loads(in_json[in_json.index("{\n"):in_json.rindex("}") + 1])["expectations"]
    checks.that([each["holds"] for each in expectations if each.get("model") == "demo_random"] == [None],
                "the JSON does not say that nothing is known of it", in_json)


def check_ceilings_of_failed_scores(program, folder, checks):
    run = folder / "demo" / "no_layer.toml"
    lines = (folder / "demo" / "run.toml").read_text().splitlines()
    run.write_text("\n".join(line for line in lines if not line.startswith("layers")) +
                   '\nlayers = { demo_designed = ["absent"], demo_random = ["absent"] }\n')
    code, said = program.answer(["verify", run, *SMALL_RUN, "--out", folder / "no_layer"])
    program.run(["run", run, *SMALL_RUN, "--out", folder / "no_layer"])
    failed = score_records(folder / "no_layer")
    checks.that(failed and all(record["status"] == "failed" and "ceiling" in record for record in failed),
                "scores of a layer that is not there did not fail with their ceilings", said)
    checks.that(code == 0 and said.count(" ok") == 2 and "2 scores of the run failed" in said,
                f"ceilings that hold, of failed scores, end with {code}", said)


def check_settings(program, folder, checks):
    run = ["run", folder / "demo" / "run.toml", "--models", "demo_random", "--out", folder / "settings"]
    mixed = "with different --set"
    _, said = program.run([*run, "--benchmarks", "demo-V1-ridge", "--set", "metric.splits=2"])
    checks.that(mixed not in said, "a first run warns of settings", said)
    checks.that(all(re.fullmatch(r"Open MPI v4\S*, HDF5 \d\S*, netCDF \d\S*, libpng \d\S*, libjpeg-turbo \d\S*",
                                 record["provenance"]["libraries"]) for record in score_records(folder / "settings")),
                "records do not name the libraries", "")
    checks.that({record["provenance"]["settings"] for record in score_records(folder / "settings")} == {"metric.splits=2"},
                "records do not say what --set changed")
    _, said = program.run([*run, "--benchmarks", "demo-V4-ridge"])
    checks.that(f"{mixed} (metric.splits=2: 7 scores, none: 7 scores)" in said, "tables of two settings are mixed silently", said)
    code, said = program.answer(["report", folder / "settings", "--out", folder / "settings_report"])
    checks.that(code == 0 and mixed in said, "a report mixes two settings silently", said)
    code, said = program.run([*run, "--set", "seed=1", "--set", "seed=2"])
    checks.that(code == 1 and "seed is set already" in said, f"a key that is set twice ends with {code}", said)
    _, said = program.run([*run, "--benchmarks", "demo-V1-ridge,demo-V4-ridge"])
    checks.that(mixed not in said, "what is scored anew without --set is warned of", said)


def change_a_score(out):
    """Another value in a line of the journal, which is whole and says so: what a wrong processor would leave."""
    for segment in (out / "journal").glob("*.journal"):
        lines = segment.read_bytes().split(b"\n")
        for i, line in enumerate(lines):
            length, crc, text = (line.split(b" ", 2) + [b"", b""])[:3]
            if b'"kind":"score"' not in text:
                continue
            record = json.loads(text)
            record["value"] += 1e-12
            changed = json.dumps(record, separators=(",", ":")).encode()
            lines[i] = b"%d %08x %s" % (len(changed), crc32c(changed), changed)
            segment.write_bytes(b"\n".join(lines))
            return
    raise AssertionError("the journal has no score")


def start_and_kill_audit(program, run, out):
    """The folder that it leaves."""
    def begun():
        return [folder for folder in out.glob("audit.*.tmp") if list((folder / "journal").glob("*"))]

    process = program.start([*run, "--audit", "100%"])
    wait_for(begun)
    process.kill()
    process.wait()
    return list(out.glob("audit.*.tmp"))


def check_audit(program, folder, checks):
    out = folder / "out"
    run = ["run", folder / "demo" / "run.toml", *SMALL_RUN, "--out", out]
    code, said = program.run([*run, "--audit", "10%"])
    checks.that(code == 0 and "0 scores were finished before" in said, f"a first run has nothing to audit ({code})", said)
    table = scores_csv(out)
    code, said = program.run([*run, "--audit", "100%"], ranks=2)
    checks.that(code == 0 and "14 scores of 14 finished earlier computed again, all the same" in said,
                f"an audit of all scores ends with {code}", said)
    checks.that(scores_csv(out) == table, "an audit changes the table")
    checks.that(not list(out.glob("audit.*")), "the audit's folder is left")
    other_kernels = "Haswell" if " Zen; " in score_records(out)[0]["provenance"]["fingerprint"] else "Zen"
    code, said = program.run([*run, "--audit", "100%"], variables={"OPENBLAS_CORETYPE": other_kernels})
    checks.that(code == 0 and "all the same (14 of them, computed with other kernels" in said and "to 1e-9" in said,
                f"an audit with other kernels ends with {code}", said)
    code, said = program.run([*run, "--audit", "100%", "--max-time", "0.01s"])
    checks.that(code == 1 and "nothing was compared" in said, f"an audit without time ends with {code}", said)
    code, said = program.run([*run, "--audit", "100%"], file_bytes=100_000)
    checks.that(code == 2 and "14 could not be, the others are the same" in said,
                f"an audit on a full disk ends with {code}", said)
    checks.that(scores_csv(out) == table and not list(out.glob("audit.*")), "an audit on a full disk leaves something")
    change_a_score(out)
    code, said = program.run([*run, "--audit", "100%"])
    checks.that(code == 1 and "1 came out otherwise" in said and "equal fingerprints must give equal bits" in said,
                f"a score that does not come out again ends with {code}", said)
    kept = list(out.glob("audit.*"))
    checks.that(len(kept) == 1, "what was computed for the comparison is not kept", kept)
    killed = start_and_kill_audit(program, run, out)
    checks.that(len(killed) == 1, "an audit was killed without a folder", killed)
    program.run(run)
    checks.that(list(out.glob("audit.*")) == kept, "a killed audit's folder is left, or another is not",
                list(out.glob("audit.*")))


def check_isa(program, folder, checks):
    out = folder / "avx2"
    run = ["run", folder / "demo" / "run.toml", *SMALL_RUN, "--out", out, "--isa", "avx2"]
    code, said = program.run(run, ranks=2)
    fingerprints = {record["provenance"]["fingerprint"] for record in score_records(out)}
    checks.that(code == 0 and len(fingerprints) == 1, f"--isa avx2 ends with {code}", said)
    for fingerprint in fingerprints:
        checks.that("Haswell" in fingerprint and "avx512" not in fingerprint, "avx2 is not what was used", fingerprint)
    values = [{record["key"]: record["value"] for record in score_records(folder / name)} for name in ("verified", "avx2")]
    checks.that(values[0].keys() == values[1].keys() and
                all(abs(values[0][key] - values[1][key]) <= 1e-9 for key in values[0]),
                "with other kernels scores are further apart than 1e-9", values)


def test(program, folder, checks):
    program.write_demo(folder / "demo")
    check_verify(program, folder, checks)
    check_unplanned_expectation(program, folder, checks)
    program.run(["run", folder / "demo" / "run.toml", *SMALL_RUN, "--out", folder / "verified"])
    check_ceilings_of_failed_scores(program, folder, checks)
    check_settings(program, folder, checks)
    check_audit(program, folder, checks)
    check_isa(program, folder, checks)


main(test)
