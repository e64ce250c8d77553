# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The program gdino-inspect over fake graphs: what it prints, what it finds wrong, its exit
statuses. tests/python/test_c_batch.py runs it on a really compiled package."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import subprocess

import pytest

PROMPT = "Red thing. a blue box."
# Where red and blue lie in the probe's picture of 448 x 256 pixels.
RED = {"phrase": "Red thing", "score": 0.9, "box": [0.5993304, 0.375, 0.8013393, 0.75]}
BLUE = {"phrase": "a blue box", "score": 0.9, "box": [0.3973214, 0.375, 0.7946429, 0.75]}
MEMBERS = [
    *("package", "ok", "problems", "generator", "source", "canvas", "text_tokens", "queries"),
    *("features", "batch", "precision", "device", "target", "torch", "thresholds", "probe"),
    *("graphs", "files"),
]


def probe(*detections: dict, score: float = 1e-3, box: float = 1e-3) -> str:
    """The text of a probe.json."""
    return json.dumps(
        {
            "prompt": PROMPT,
            "image": {"generator": "gradient-1"},
            "tolerance": {"score": score, "box": box},
            "detections": list(detections),
        }
    )


@pytest.fixture
def make_package(build_dir, tmp_path):
    """Makes a package of fake graphs."""

    def make(fault="none", tokens=64, batch=1, text: str | None = None) -> pathlib.Path:
        words = [fault, str(tokens), str(batch)]
        if text is not None:
            (tmp_path / "probe.txt").write_text(text)
            words.append(str(tmp_path / "probe.txt"))
        done = subprocess.run(
            [build_dir / "tests/tools/fake-package", tmp_path, *words],
            env={**os.environ, "GDINO_FAKES_DIR": str(build_dir / "tests/fakes")},
            stdout=subprocess.PIPE,
            check=True,
        )
        return pathlib.Path(done.stdout.decode().strip())

    return make


@pytest.fixture
def environment(build_dir) -> dict[str, str]:
    folder = str(build_dir / "tests/fakes/torch")
    return {**os.environ, "LC_ALL": "C.UTF-8", "GDINO_TORCH_LIB_DIR": folder}


@pytest.fixture
def run(build_dir, environment):
    """Runs the program: (exit status, standard output, standard error)."""

    def call(*words, **more) -> tuple[int, str, str]:
        command = [build_dir / "apps/gdino-inspect", *words]
        done = subprocess.run(
            command, capture_output=True, timeout=60, env={**environment, **more}
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return call


def edit(package: pathlib.Path, change) -> None:
    """Changes the manifest."""
    path = package / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


def test_json(run, make_package, build_dir):
    package = make_package(batch=3, text=probe(RED))
    edit(package, lambda m: m["source"].update(license="apache-2.0"))
    status, out, err = run("--json", package)
    assert (status, err) == (0, "")
    found = json.loads(out)
    manifest = json.loads((package / "manifest.json").read_text())
    assert list(found) == MEMBERS
    assert (found["package"], found["ok"], found["problems"]) == (str(package), True, [])
    assert found["source"] == manifest["source"]
    for name in ("generator", "batch", "queries", "text_tokens", "features", "device", "probe"):
        assert found[name] == manifest[name]
    assert found["precision"] == "fp32"
    for name in ("width", "height", "pad", "mean", "std"):
        assert found["canvas"][name] == manifest["canvas"][name]
    assert found["thresholds"] == {"box": 0.35, "text": 0.25}
    assert '"box" : 0.35,' in out  # not 0.34999999999999998
    for name, graph in manifest["graphs"].items():
        assert found["graphs"][name]["file"] == graph["file"]
        for side in ("inputs", "outputs"):
            shown = [{k: v for k, v in t.items() if k != "bytes"} for t in found["graphs"][name][side]]
            assert shown == graph[side]
    assert found["graphs"]["frame"]["inputs"][0]["bytes"] == 3 * 256 * 448 * 3
    files = {file["name"]: file for file in found["files"]}
    assert files.keys() == manifest["files"].keys() and "probe.json" in files
    for name, file in files.items():
        assert {k: file[k] for k in ("size", "sha256")} == manifest["files"][name]
        assert file["problem"] is None
    assert found["target"]["this_machine"] is True
    assert found["torch"]["found"] == str(build_dir / "tests/fakes/torch/libtorch_cpu.so")
    assert found["torch"]["found_version"].startswith("2.13")


def test_text(run, make_package):
    package = make_package(batch=2, text=probe(RED))
    status, out, err = run(package)
    assert (status, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for line in (
        f"package {package}",
        "source fake",
        "licence not stated",
        "made by fake 1.0",
        "canvas 448 x 256 pixels, letterboxed on #7c7468",
        "text tokens 64",
        "queries 20",
        "batch 2",
        "precision fp32",
        "thresholds box 0.35, text 0.25",
        "device cpu",
        "this machine has all of it",
        "torch 2.13.0",
        "probe probe.json",
        "inputs image uint8 [2, 256, 448, 3]",
        "outputs logits float32 [2, 20, 64]",
    ):
        assert line in lines, line
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_cuda_package_of_another_machine(run, make_package):
    """Everything is shown, and what is lacking is said; the package itself is sound."""
    package = make_package()

    def change(manifest):
        manifest.update(device="cuda", precision="bf16")
        manifest["target"].update(
            features=[f"feature{n}" for n in range(40)], compute_capability="9.0"
        )
        manifest["torch"].update(version="2.5.1")

    edit(package, change)
    status, out, err = run(package)
    assert (status, err) == (0, "")
    assert "cuda, compute capability 9.0\n" in out
    assert "not for this machine: " in out and "feature39" in out
    assert "wanted 2.5.1" in out
    assert max(len(line) for line in out.splitlines() if line.strip().startswith("feature")) <= 80
    found = json.loads(run("--json", package)[1])
    assert found["target"]["compute_capability"] == "9.0"
    assert found["target"]["this_machine"] is False and "feature0" in found["target"]["problem"]
    assert found["torch"]["found"] is None and "2.5.1" in found["torch"]["problem"]
    status, out, err = run("--verify", package)
    assert status == 1 and "feature0" in err
    assert out.endswith("FAILED\n") and out.count("  OK\n") == 3, "digests are checked all the same"


@pytest.mark.parametrize("batch", [1, 3])
def test_verify(run, make_package, batch):
    package = make_package(batch=batch, text=probe(RED, BLUE))
    status, out, err = run("--verify", package)
    assert (status, err) == (0, "")
    assert out.count("B  OK\n") + out.count("bytes  OK\n") == 4
    assert "found 2 of 2 detections, wanted at least 2" in out
    assert out.endswith("verified      OK\n")
    verify = json.loads(run("--verify", "--json", package)[1])["verify"]
    assert verify["passed"] is True and verify["files"] is True
    numbers = verify["numbers"]
    assert (numbers["pictures"], numbers["found"], numbers["invalid"]) == (batch, 2, 0)
    assert 0 < numbers["box_difference"] < 1e-6


def test_verify_other_numbers(run, make_package):
    wrong = {**BLUE, "box": [0.5, 0.375, 0.7946429, 0.75]}
    package = make_package(text=probe(RED, wrong))
    status, out, err = run("--verify", package)
    assert status == 1
    assert 'not found: "a blue box" with score 0.9000; the nearest differs by' in out
    assert "0.1 in its box" in out
    assert out.endswith("verified      FAILED\n")
    assert "do not compute what they should" in err
    found = json.loads(run("--verify", "--json", package)[1])
    assert found["ok"] is False and len(found["problems"]) == 1
    assert abs(found["verify"]["numbers"]["missing"]["box_difference"] - 0.1026786) < 1e-6


def test_verify_without_probe(run, make_package):
    status, out, err = run("--verify", make_package())
    assert (status, err) == (0, "")
    assert "has no probe" in out and out.endswith("verified      OK\n")
    for fault in ("nan", "far-box"):
        status, out, err = run("--verify", make_package(fault))
        assert status == 1
        assert "are not numbers or out of range" in out and out.endswith("FAILED\n")


@pytest.mark.parametrize("fault", ["run", "create", "output-shape"])
def test_verify_a_graph_that_fails(run, make_package, fault):
    package = make_package(fault, text=probe(RED))
    status, out, err = run("--verify", package)
    assert status == 1 and out.endswith("FAILED\n")
    assert str(package) in err and "frame graph" in err and len(err.splitlines()) == 1


def test_verify_bad_probe(run, make_package):
    package = make_package(text=probe(RED).replace("gradient-1", "photograph"))
    status, _, err = run("--verify", package)
    assert status == 1
    assert 'image.generator: found "photograph", wanted "gradient-1"' in err


def test_damaged_file(run, make_package):
    """A bit turned is seen by --verify only, and no code of the package is run then."""
    package = make_package("run", text=probe(RED))
    path = package / "text.so"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert run(package)[0] == 0
    status, out, err = run("--verify", package)
    assert status == 1 and err.count("\n") == 1
    assert f"{path}: found SHA-256" in err
    assert out.count("  OK\n") == 3 and out.count("  BAD\n") == 1
    assert "not run, since a file is damaged" in out and out.endswith("FAILED\n")


def test_missing_and_cut_files(run, make_package):
    package = make_package()
    (package / "frame.so").unlink()
    (package / "vocab.txt").write_text("short")
    for words in ([], ["--verify"]):
        status, out, err = run(*words, package)
        assert status == 1
        assert "frame.so: No such file" in err and "vocab.txt: found 5 bytes" in err
        assert len(err.splitlines()) == 2
        assert out.count("  BAD\n") == 2
        assert "text tokens   64\n" in out, "what can be read is shown"


def test_refused_manifest(run, make_package):
    package = make_package()
    edit(package, lambda m: m.update(format=7, generator="\x1b[31mfuture", later=[{"a": 0.1}]))
    status, out, err = run(package)
    assert status == 1
    assert "format: found 7, wanted 1" in err
    assert "  format: 7\n" in out and '  later: [{"a":0.1}]\n' in out
    assert "\x1b" not in out, "a terminal must not obey a manifest"
    assert "frame.so" in out
    found = json.loads(run("--json", package)[1])
    assert found["ok"] is False
    assert found["manifest"] == json.loads((package / "manifest.json").read_text())
    assert {file["name"] for file in found["files"]} == {
        *("frame.so", "manifest.json", "text.so", "vocab.txt")
    }


@pytest.mark.parametrize(
    "manifest",
    [b"", b"{", b"[1]", b"[" * 1_000_000, b'{"a":' * 100_000, b"\xff\xfe", b"{}" + b" " * (2 << 20)],
)
def test_no_manifest_at_all(run, make_package, manifest):
    package = make_package()
    (package / "manifest.json").write_bytes(manifest)
    status, out, err = run("--json", package)
    assert status == 1 and str(package) in err
    found = json.loads(out)
    assert "manifest" not in found and len(found["files"]) == 4


def test_no_package(run, tmp_path):
    (tmp_path / "file").write_text("x")
    for path, told in (("nowhere", "no such folder"), ("file", "found a file"), ("", "manifest")):
        status, out, err = run(tmp_path / path)
        assert status == 1 and told in err and str(tmp_path) in out


def test_no_torch(run, make_package):
    """Not the package's fault, so no failure; --verify cannot do without."""
    package = make_package()
    status, out, err = run(package, GDINO_TORCH_LIB_DIR="/nonexistent")
    assert (status, err) == (0, "")
    assert "found no usable libtorch" in out
    status, _, err = run("--verify", package, GDINO_TORCH_LIB_DIR="/nonexistent")
    assert status == 1 and "found no usable libtorch" in err


def test_device(run, make_package):
    status, _, err = run("--verify", "--device", "cuda:1", make_package())
    assert status == 1 and "compiled for cpu, wanted one for cuda:1" in err
    status, _, err = run("--verify", "--device", "cpu", make_package())
    assert (status, err) == (0, "")


def test_progress_on_a_terminal_only(build_dir, environment, make_package):
    """On a terminal the line that tells what goes on is removed again."""
    package = make_package(text=probe(RED))
    try:
        main, other = pty.openpty()
    except OSError as error:
        pytest.skip(f"no terminal to be had here: {error}")
    command = [build_dir / "apps/gdino-inspect", "--verify", package]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=other, timeout=60
    )
    os.close(other)
    shown = os.read(main, 4096).decode()
    os.close(main)
    assert done.returncode == 0
    assert "running the graphs" in shown and shown.endswith("\r\x1b[K")


def test_unwritable_output(build_dir, environment, make_package):
    command = [build_dir / "apps/gdino-inspect", make_package()]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 1
    assert b"standard output: No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "PACKAGE is missing"),
        (["a", "b"], "2 arguments, wanted one PACKAGE"),
        (["--nonsense", "a"], "--nonsense"),
        (["--device", "cpu", "a"], "--device is for --verify"),
    ],
)
def test_usage(run, words, told):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert told in err and "--help" in err


def test_help_and_version(run):
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    for word in ["--verify", "--json", "--device", "Examples:", "Exit status", *MEMBERS]:
        assert word in out
    assert max(len(line) for line in out.splitlines()) <= 82
    status, out, err = run("--version")
    assert (status, err) == (0, "") and out.startswith("gdino-inspect 0.")


def test_runs_without_gstreamer(build_dir):
    """It is of use where only the library is installed."""
    shown = subprocess.run(
        ["readelf", "--dynamic", build_dir / "apps/gdino-inspect"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert "libgdino" in shown and "gst" not in shown
