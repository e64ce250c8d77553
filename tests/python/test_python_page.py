# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""docs/python.md and the example do what they say, with a small checkpoint."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

models = pytest.importorskip(
    "small_models", reason="needs transformers 4.57 (model/requirements-test.txt)"
)

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"
STILL = ROOT / "tests" / "data" / "still.jpg"
# The page speaks of a large model: here it is a small one, on small pictures. What inductor
# makes of it is tested in test_compilable_guards.py.
CHANGES = {
    "(960, 544))": '(96, 64), backend="eager")',
    "(960, 544)": "(96, 64)",
    "544, 960": "64, 96",
}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, vocabulary_file: Path) -> Path:
    """Folder with a small model of transformers and its processor."""
    folder = tmp_path_factory.mktemp("page") / "checkpoint"
    models.small_model(tokens=256).save_pretrained(folder)
    processor = models.small_processor(vocabulary_file)
    processor.image_processor.size = {"shortest_edge": 64, "longest_edge": 96}
    processor.save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def test_every_block_of_the_page_runs(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    changes = {"IDEA-Research/grounding-dino-tiny": str(checkpoint), **CHANGES}
    assert all(old in text for old in changes)
    names: dict[str, object] = {"__name__": "__main__"}
    printed = []
    for number, block in enumerate(blocks, 1):
        for old, new in changes.items():
            block = block.replace(old, new)
        exec(compile(block, f"docs/python.md, block {number}", "exec"), names)
        printed.append(capsys.readouterr().out)
        # What a comment says is printed is printed.
        for said in re.findall(r"^print\(.*\)  # ([\w.]+(?:\(\[[\d, ]+\]\))?)$", block, re.M):
            assert said in printed[-1].splitlines(), block
    out = "".join(printed)
    assert "Could not extract specialized integer" in out or "Unsupported" in out
    good, bad = (float(v) for v in re.findall(r"boxes are off by ([\d.]+)", out))
    assert good < 1e-4 and bad > 1e-2
    logits, boxes = (float(v) for v in re.findall(r"^tensor\(([\d.e+-]+)\)$", out, re.M)[-2:])
    assert logits < 1e-3 and boxes < 1e-4


def test_the_readme_names_the_page() -> None:
    assert "(docs/python.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example() -> object:
    """examples/python/compile_transformers.py as a module."""
    path = ROOT / "examples" / "python" / "compile_transformers.py"
    spec = importlib.util.spec_from_file_location("compile_transformers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example(example: object, checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [str(checkpoint), str(STILL), "sheep. a bison.", "an owl."]
    options = ["--size", "96x64", "--text-tokens", "32", "--backend", "eager", "--threshold", "0"]
    assert example.main([*given, *options]) == 0
    out = capsys.readouterr().out
    first, second = re.findall(r"^(\S.*): \d+\.\d\d s$", out, re.MULTILINE)
    assert (first, second) == ("sheep. a bison.", "an owl.")
    rows = re.findall(r"^  \d\.\d\d (sheep|a bison|an owl) \[\d+, \d+, \d+, \d+\]$", out, re.M)
    assert "an owl" in rows and len(rows) == out.count("\n") - 2


def test_the_example_refuses(
    example: object, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = [str(checkpoint), str(tmp_path / "none.jpg"), "cat."]
    assert example.main([*missing, "--size", "96x64", "--backend", "eager"]) == 1
    assert "none.jpg" in capsys.readouterr().err
    assert example.main([str(checkpoint), str(STILL), "cat.", "--text-tokens", "300"]) == 1
    assert "max_queries is 300, wanted: at most 256" in capsys.readouterr().err


def test_the_model_s_own_folder_gives_the_tokenizer(checkpoint: Path) -> None:
    from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor

    from gdino import CompilableGroundingDINO
    from gdino.tokenizer import VocabularyError

    model = AutoModelForZeroShotObjectDetection.from_pretrained(checkpoint)
    own = CompilableGroundingDINO(16, size=(96, 64), backend="eager").compile(model)
    processor = AutoProcessor.from_pretrained(checkpoint)
    processor.image_processor.image_mean = [0.5, 0.5, 0.5]
    given = CompilableGroundingDINO(16, size=(96, 64), backend="eager", tokenizer=processor)
    changed = given.compile(model)
    text = own.prepare("an old man.")
    assert torch.equal(changed.prepare("an old man.").input_ids, text.input_ids)
    # The processor's mean counts, too.
    image = torch.full((1, 64, 96, 3), 77, dtype=torch.uint8)
    assert (own.forward(image, text)[0] - changed.forward(image, text)[0])[
        ..., :3
    ].abs().max() > 0.01
    model.name_or_path = "no/such-model"
    with pytest.raises(VocabularyError, match="'no/such-model' has no vocab.txt"):
        CompilableGroundingDINO(16).compile(model)
