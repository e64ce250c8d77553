# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""gdino-compile from end to end, what it refuses, and what it leaves behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from gdino import compile as compiler
from gdino import isa, native, probe, verify
from gdino.execute import CompiledGraph
from gdino.failure import CompileError
from gdino.manifest import file_digest
from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.tokenizer import Vocabulary

CANVAS = (128, 96)
TOKENS = 16
COMMAND = [sys.executable, "-m", "gdino.compile"]


def environment(**changes: str) -> dict[str, str]:
    return {**verify.child_environment(), **changes}


@pytest.fixture(scope="module")
def package(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny checkpoint, really compiled, into a folder whose parent is made for it."""
    place = tmp_path_factory.mktemp("package")
    card = "---\nlicense: apache-2.0\n---\n# A card\n"
    source = Path(shutil.copytree(tiny_checkpoint, place / "tiny"))
    (source / "README.md").write_text(card)
    output = place / "made" / "tiny"
    done = subprocess.run(
        [*COMMAND, str(source), "--output", str(output), "--threads", "1"],
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[8/8] writing manifest" in done.stderr
    assert "one frame" in done.stdout
    assert [p.name for p in output.parent.iterdir()] == ["tiny"]
    return output


def test_package_files(package: Path) -> None:
    names = {path.name for path in package.iterdir()}
    assert names == {"manifest.json", "text.so", "frame.so", "vocab.txt", "probe.json"}


def test_manifest(package: Path, tiny_checkpoint: Path, vocabulary: Vocabulary) -> None:
    manifest = json.loads((package / "manifest.json").read_text())
    assert manifest["format"] == 1
    assert manifest["architecture"] == "grounding-dino"
    assert manifest["source"] == {
        "name": "tiny",
        "sha256": file_digest(tiny_checkpoint / "model.safetensors"),
        "license": "apache-2.0",
    }
    assert manifest["canvas"] == {
        "width": 128,
        "height": 96,
        "channels": "RGB",
        "resize": "letterbox",
        "pad": [124, 116, 104],
        "normalization": "in-graph",
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
    }
    assert (manifest["batch"], manifest["queries"]) == (1, 20)
    assert (manifest["text_tokens"], manifest["features"]) == (TOKENS, 32)
    assert manifest["text"] == {
        "vocabulary": "vocab.txt",
        "lower_case": True,
        "delimiters": [".", "?"],
        "pad_id": 0,
        "unk_id": 100,
        "cls_id": 101,
        "sep_id": 102,
    }
    text, frame = manifest["graphs"]["text"], manifest["graphs"]["frame"]
    assert [i["name"] for i in text["inputs"]] == ["input_ids", "position_ids", "block_mask"]
    assert frame["inputs"] == [
        {"name": "image", "dtype": "uint8", "shape": [1, 96, 128, 3]},
        {"name": "text_features", "dtype": "float32", "shape": [1, TOKENS, 32]},
        {"name": "text_position", "dtype": "float32", "shape": [1, TOKENS, 32]},
        {"name": "text_mask", "dtype": "bool", "shape": [1, TOKENS]},
        {"name": "block_mask", "dtype": "bool", "shape": [1, TOKENS, TOKENS]},
    ]
    assert frame["outputs"] == [
        {"name": "logits", "dtype": "float32", "shape": [1, 20, TOKENS]},
        {"name": "boxes", "dtype": "float32", "shape": [1, 20, 4]},
    ]
    assert (manifest["device"], manifest["precision"]) == ("cpu", "fp32")
    assert "compute_capability" not in manifest["target"]
    assert manifest["probe"] == "probe.json"
    assert manifest["torch"]["version"] == torch.__version__.split("+")[0]
    assert (Path(manifest["torch"]["library_dir"]) / "libtorch_cpu.so").exists()
    assert set(manifest["files"]) == {"text.so", "frame.so", "vocab.txt", "probe.json"}
    for name, entry in manifest["files"].items():
        assert entry["size"] == (package / name).stat().st_size
        assert entry["sha256"] == file_digest(package / name)
    assert set(manifest["target"]["features"]) <= isa.cpu_flags()


def test_compiled_graphs_take_any_prompt(
    package: Path, tiny_checkpoint: Path, vocabulary: Vocabulary, picture: torch.Tensor
) -> None:
    network = GroundingDino.from_folder(tiny_checkpoint, CANVAS)
    text, frame = CompiledGraph(package / "text.so"), CompiledGraph(package / "frame.so")
    for words in ("cat.", "a cat. remote control. dog?", "zebra crossing", ""):
        prompt = encode_prompt(words, vocabulary, TOKENS)
        features, position = text(prompt.ids, prompt.positions, prompt.block_mask)
        with torch.no_grad():
            wanted = network.encode_text(prompt.ids, prompt.positions, prompt.block_mask)
        torch.testing.assert_close(features, wanted[0], atol=1e-4, rtol=0)
        torch.testing.assert_close(position, wanted[1], atol=1e-4, rtol=0)
        inputs = [picture, features, position, prompt.text_mask, prompt.block_mask]
        score, box = verify.compare_frame(network, inputs, tuple(frame(*inputs)))
        assert score < 1e-4 and box < 1e-4


def test_package_is_not_bound_to_a_number_of_threads(package: Path) -> None:
    inputs = {
        "frame": [
            probe.gradient(*CANVAS),
            torch.ones(1, TOKENS, 32),
            torch.ones(1, TOKENS, 32),
            torch.ones(1, TOKENS, dtype=torch.bool),
            torch.ones(1, TOKENS, TOKENS, dtype=torch.bool),
        ]
    }
    results = [
        verify.run_package(package, inputs, package.parent, verify.Judge(threads=n))["frame"]
        for n in (1, 3)
    ]
    torch.testing.assert_close(results[0][1], results[1][1], atol=1e-5, rtol=0)


def run_main(*arguments: object) -> int:
    return compiler.main([str(argument) for argument in arguments])


@pytest.mark.parametrize(
    "arguments,message",
    [
        (("--size", "130x96"), "canvas 130x96: width is 130, wanted: a multiple of 32"),
        (("--size", "128x64000"), "height is 64000"),
        (("--size", "32x32"), "fewer than the checkpoint's 20 queries"),
        (("--text-tokens", "7"), "text tokens are 7, wanted: 8 to 64"),
        (("--text-tokens", "65"), "text tokens are 65, wanted: 8 to 64"),
    ],
)
def test_refused_values(
    tiny_checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    assert run_main(tiny_checkpoint, "-o", tmp_path / "new" / "out", *arguments) == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--size", "big"),
        ("--text-tokens", "0"),
        ("--threads", "-1"),
        ("--batch", "0"),
        ("--batch", "65"),
        ("--precision", "fp16"),
        ("--device", "gpu"),
        ("--what",),
    ],
)
def test_wrong_usage(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture, arguments: tuple
) -> None:
    with pytest.raises(SystemExit) as caught:
        run_main(tiny_checkpoint, "-o", tmp_path / "out", *arguments)
    assert caught.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_no_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert run_main(tmp_path / "missing", "-o", tmp_path / "out") == 1
    assert "missing: no such file or folder" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert run_main(tmp_path / "empty", "-o", tmp_path / "out") == 1
    assert "model.safetensors: no such file" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_list(capsys: pytest.CaptureFixture) -> None:
    """The table of known checkpoints needs no other argument."""
    with pytest.raises(SystemExit) as caught:
        run_main("--list")
    assert caught.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[: lines.index("")]
    assert table[0].split()[:2] == ["CHECKPOINT", "BACKBONE"] and len(table) == 16
    assert any(
        line.split() == ["IDEA-Research/grounding-dino-tiny", *"Swin-T 172 M 48.4 z".split(),
                         "28.8", "20.1", "apache-2.0"]
        for line in table
    )
    # Aligned: licences stand below their heading.
    assert {line.index("apache-2.0") for line in table[1:]} == {table[0].index("LICENCE")}


def test_missing_vocabulary(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    copy = Path(shutil.copytree(tiny_checkpoint, tmp_path / "copy"))
    with (copy / "vocab.txt").open("a") as file:
        file.write("extra\n")
    assert run_main(copy, "-o", tmp_path / "out") == 1
    assert "vocab.txt: 30523 lines, wanted: 30522" in capsys.readouterr().err
    (copy / "vocab.txt").unlink()
    assert run_main(copy, "-o", tmp_path / "out") == 1
    assert "vocab.txt: no such file" in capsys.readouterr().err
    shutil.copyfile(tiny_checkpoint / "vocab.txt", copy / "vocab.txt")
    (copy / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert run_main(copy, "-o", tmp_path / "out") == 1
    assert "'do_lower_case' is false" in capsys.readouterr().err


def test_output_that_exists(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / "precious").write_text("mine")
    assert run_main(tiny_checkpoint, "-o", output) == 1
    assert f"{output}: exists already" in capsys.readouterr().err
    assert run_main(tiny_checkpoint, "-o", output, "--force") == 1
    assert "is not a model package" in capsys.readouterr().err
    assert (output / "precious").read_text() == "mine"
    assert run_main(tiny_checkpoint, "-o", output / "precious" / "x") == 1
    assert "is not a folder" in capsys.readouterr().err


def test_no_compiler(
    tiny_checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(isa.shutil, "which", lambda name: None)
    assert run_main(tiny_checkpoint, "-o", tmp_path / "out") == 1
    assert "no C++ compiler: looked for g++" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def fake_graph(program: object, example: tuple, name: str, folder: Path, device: str) -> Path:
    """Stands in for the slow compiler."""
    folder.mkdir()
    path = folder / f"{name}.so"
    path.write_bytes(b"no shared object")
    return path


def test_graphs_that_do_not_run(
    tiny_checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(native, "compile_graph", fake_graph)
    assert run_main(tiny_checkpoint, "-o", tmp_path / "new" / "out") == 1
    assert "compiled graphs do not run" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("wrong", [None, "text", "scores", "boxes"])
def test_graphs_that_differ(
    tiny_checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    wrong: str | None,
) -> None:
    network = GroundingDino.from_folder(tiny_checkpoint, CANVAS)

    def run(package: Path, inputs: dict, scratch: Path, judge: verify.Judge) -> dict:
        with torch.no_grad():
            text = [t.clone() for t in network.encode_text(*inputs["text"])]
            frame = [t.clone() for t in network.forward_frame(*inputs["frame"])]
        if wrong == "text":
            text[0][0, 1, 0] += 0.1
        elif wrong == "scores":
            frame[0][0, 3, 1] += 1.0
        elif wrong == "boxes":
            frame[1][0, 3, 2] += 0.01
        return {"text": text, "frame": frame, "text_seconds": 0.1, "frame_seconds": 0.1}

    monkeypatch.setattr(native, "compile_graph", fake_graph)
    monkeypatch.setattr(verify, "run_package", run)
    output = tmp_path / "out"
    status = run_main(tiny_checkpoint, "-o", output)
    message = capsys.readouterr().err
    if wrong is None:
        assert status == 0 and output.is_dir()
        # Once more over the old one, and a failure that keeps it.
        assert run_main(tiny_checkpoint, "-o", output, "--force", "-q") == 0
        old = (output / "manifest.json").stat().st_ino
        wrong = "boxes"  # seen by run() above
        assert run_main(tiny_checkpoint, "-o", output, "--force") == 1
        assert (output / "manifest.json").stat().st_ino == old
        assert [p.name for p in tmp_path.iterdir()] == ["out"]
    else:
        graph = "text" if wrong == "text" else "frame"
        assert status == 1 and f"compiled {graph} graph differs" in message
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_leaves_nothing(
    tiny_checkpoint: Path, tmp_path: Path, number: signal.Signals
) -> None:
    # The child must not inherit an ignored SIGINT, as it would under nohup.
    child = subprocess.Popen(
        [*COMMAND, str(tiny_checkpoint), "-o", str(tmp_path / "new" / "out")],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    seen = ""
    while "compiling text graph" not in seen:
        piece = child.stderr.read(1)
        assert piece, seen
        seen += piece
    time.sleep(1.0)
    assert list(tmp_path.iterdir())
    child.send_signal(number)
    rest = child.communicate(timeout=60)[1]
    assert child.returncode == 130
    assert "interrupted, nothing was left behind" in rest
    assert not list(tmp_path.iterdir())


def test_operator_without_c_interface_is_noticed(tmp_path: Path) -> None:
    @torch.library.custom_op("gdino_test::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    class Foreign(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return twice(x) + 1

    example = (torch.zeros(2, 3),)
    program = torch.export.export(Foreign(), example, strict=False)
    with torch.no_grad(), pytest.raises(CompileError, match="without C interface"):
        native.compile_graph(program, example, "foreign", tmp_path / "foreign")


def test_help_teaches() -> None:
    done = subprocess.run(
        [*COMMAND, "--help"], capture_output=True, text=True, env=environment(COLUMNS="100")
    )
    assert done.returncode == 0
    for words in (
        "examples:",
        "config.json",
        "--size WxH",
        "--text-tokens N",
        "--batch N",
        "--precision {fp32,bf16}",
        "--device DEVICE",
        "--threads N",
        "only use packages you trust",
    ):
        assert words in done.stdout


def test_help_is_quick() -> None:
    """Asking for help must not load torch."""
    code = "import sys, gdino.compile; sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment())
    assert done.returncode == 0


def test_cpu_flags() -> None:
    assert isa.cpu_flags("processor : 0\nflags\t\t: sse avx2\n\nflags : other\n") == {"sse", "avx2"}
    assert isa.cpu_flags("Features\t: fp asimd\n") == {"fp", "asimd"}
    assert isa.cpu_flags("nothing\n") == set()


def test_target_is_part_of_this_processor() -> None:
    target = isa.target(isa.compiler())
    assert target["arch"] == os.uname().machine
    assert set(target["features"]) <= isa.cpu_flags()
    assert target["arch"] != "x86_64" or "pni" in target["features"]
