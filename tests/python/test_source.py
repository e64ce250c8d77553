# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What counts as a checkpoint, and what is said of the rest."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from gdino import hub
from gdino.checkpoint import CheckpointError, build_network
from gdino.config import ConfigError
from gdino.network import GroundingDino
from gdino.source import Folder, open_checkpoint
from gdino.tokenizer import Vocabulary, VocabularyError

CANVAS = (128, 96)


@pytest.fixture
def folder(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """A copy of the tiny checkpoint, to be spoiled."""
    return Path(shutil.copytree(tiny_checkpoint, tmp_path / "copy"))


def edit_lines(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(change(lines)) + "\n", encoding="utf-8")


def test_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = open_checkpoint(str(folder))
    assert isinstance(checkpoint, Folder)
    assert checkpoint.name == checkpoint.origin == "copy"
    assert checkpoint.files == [folder / "model.safetensors"]
    assert checkpoint.vocabulary == folder / "vocab.txt"
    assert checkpoint.preprocessor()["canvas"] == {"width": 128, "height": 96}
    assert checkpoint.licence() is None
    wanted = GroundingDino.from_folder(folder, CANVAS).state_dict()
    network = build_network(
        GroundingDino, checkpoint.config(), CANVAS, checkpoint.tensors(), checkpoint.name
    )
    assert all(torch.equal(v, wanted[name]) for name, v in network.state_dict().items())
    # A relative path with a slash is no Hugging Face id while the folder is there.
    monkeypatch.chdir(folder.parent.parent)
    assert open_checkpoint(f"{folder.parent.name}/copy").name == "copy"
    monkeypatch.chdir(folder)
    assert open_checkpoint(".").name == "copy"


def test_licence(folder: Path) -> None:
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\n# Text\n")
    assert open_checkpoint(str(folder)).licence() == "mit"


def test_preprocessor_of_newer_writers(folder: Path) -> None:
    (folder / "preprocessor_config.json").unlink()
    assert open_checkpoint(str(folder)).preprocessor() == {}
    (folder / "processor_config.json").write_text(
        json.dumps({"image_processor": {"image_mean": [0.5, 0.5, 0.5]}, "processor_class": "x"})
    )
    assert open_checkpoint(str(folder)).preprocessor() == {"image_mean": [0.5, 0.5, 0.5]}


@pytest.mark.parametrize(
    "spec,message",
    [
        ("nowhere", "nowhere: no such file or folder; wanted a checkpoint folder.*--list"),
        ("/nowhere/at/all", "/nowhere/at/all: no such file or folder"),
        ("some/where.pth", "some/where.pth: no such file or folder"),
        ("a/b@", "a/b@: no such file or folder"),
        ("", "wanted a checkpoint folder"),
    ],
)
def test_nothing_there(spec: str, message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        open_checkpoint(spec)


def test_wrong_files(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="config.json: is a file; wanted a checkpoint folder"):
        open_checkpoint(str(folder / "config.json"))
    with pytest.raises(CheckpointError, match="model.safetensors: has Hugging Face's names; give"):
        open_checkpoint(str(folder / "model.safetensors"))
    path = tmp_path / "empty.pth"
    path.touch()
    with pytest.raises(CheckpointError, match="empty.pth: is empty"):
        open_checkpoint(str(path))
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match="model.safetensors: no such file, and no pytorch"):
        open_checkpoint(str(folder))


def test_folder_without_config(folder: Path) -> None:
    (folder / "config.json").unlink()
    with pytest.raises(ConfigError, match="config.json: no such file; wanted a Hugging Face"):
        open_checkpoint(str(folder))


@pytest.mark.parametrize("kind", ["owlvit", "grounding-dino-2", None, 3])
def test_unknown_model_type(folder: Path, kind: object) -> None:
    raw = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**raw, "model_type": kind}))
    with pytest.raises(ConfigError, match="config.json: config field 'model_type' is.*supported"):
        open_checkpoint(str(folder))


@pytest.mark.parametrize("piece", ["[CLS]", "[SEP]", "[PAD]", "[UNK]", ".", "?"])
def test_vocabulary_without_a_piece(folder: Path, piece: str) -> None:
    edit_lines(
        folder / "vocab.txt", lambda lines: [f"x{line}" if line == piece else line for line in lines]
    )
    with pytest.raises(VocabularyError) as caught:
        open_checkpoint(str(folder))
    assert str(caught.value).startswith(f"{folder / 'vocab.txt'}: no line '{piece}'")


@pytest.mark.parametrize(
    "change",
    [lambda lines: lines[:30000], lambda lines: lines + ["one"], lambda lines: lines[:2000]],
    ids=["short", "long", "cut"],
)
def test_vocabulary_of_another_network(folder: Path, change: Callable) -> None:
    edit_lines(folder / "vocab.txt", change)
    with pytest.raises(CheckpointError, match=r"vocab.txt: \d+ lines, wanted: 30522") as caught:
        open_checkpoint(str(folder))
    assert "copy" in str(caught.value)


def test_spare_rows_of_the_word_table(folder: Path) -> None:
    """Tables rounded up to 64 rows keep their vocabulary."""
    edit_lines(folder / "vocab.txt", lambda lines: lines[:-64])
    assert len(open_checkpoint(str(folder)).check_vocabulary()) == 30522 - 64


def test_vocabulary_given(folder: Path, tmp_path: Path) -> None:
    given = tmp_path / "words.txt"
    shutil.move(folder / "vocab.txt", given)
    with pytest.raises(CheckpointError, match="vocab.txt: no such file, nor tokenizer.json"):
        open_checkpoint(str(folder))
    assert open_checkpoint(str(folder), vocabulary=given).vocabulary == given
    with pytest.raises(VocabularyError, match="elsewhere.txt: no such file"):
        open_checkpoint(str(folder), vocabulary=tmp_path / "elsewhere.txt")
    given.write_bytes(b"\xff\xfe")
    with pytest.raises(VocabularyError, match="words.txt: cannot be read as UTF-8"):
        open_checkpoint(str(folder), vocabulary=given)


@pytest.fixture
def tokenizer(folder: Path) -> Path:
    """The vocabulary as tokenizer.json, as newer writers store it, in place of vocab.txt."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    pieces = tokenizers.BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
    pieces.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").unlink()
    return folder / "tokenizer.json"


def test_vocabulary_in_tokenizer_json(
    folder: Path, tokenizer: Path, vocabulary: Vocabulary
) -> None:
    checkpoint = open_checkpoint(str(folder))
    assert Vocabulary.from_file(checkpoint.vocabulary).pieces == vocabulary.pieces
    scratch = checkpoint.vocabulary
    del checkpoint
    assert not scratch.exists(), "the file goes with the checkpoint"


@pytest.mark.parametrize(
    "change,message",
    [
        (lambda raw: raw["model"].update(type="BPE"), "type is 'BPE', supported: 'WordPiece'"),
        (lambda raw: raw.update(model=3), "type is 3, supported"),
        (lambda raw: raw["normalizer"].update(lowercase=False), "normalizer.lowercase is false"),
        (lambda raw: raw["model"]["vocab"].update({"[PAD]": 1}), "without gaps"),
        (lambda raw: raw["model"]["vocab"].update({"[PAD]": "x"}), "without gaps"),
        (lambda raw: raw["model"].update(vocab=[]), "without gaps"),
    ],
)
def test_unusable_tokenizer_json(
    folder: Path, tokenizer: Path, change: Callable, message: str
) -> None:
    raw = json.loads(tokenizer.read_text(encoding="utf-8"))
    change(raw)
    tokenizer.write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(CheckpointError, match=f"tokenizer.json: .*{message}"):
        open_checkpoint(str(folder))


def test_capital_letters(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    with pytest.raises(CheckpointError, match="tokenizer_config.json: 'do_lower_case' is false"):
        open_checkpoint(str(folder))


@pytest.mark.parametrize(
    "spec,yes",
    [
        ("IDEA-Research/grounding-dino-tiny", True),
        ("iSEE-Laboratory/llmdet_tiny@main", True),
        ("a/b.c@refs/pr/1", True),
        ("grounding-dino-tiny", False),
        ("../x/y", False),
        ("./x", False),
        ("/x/y", False),
        ("a/b/c", False),
        ("a/b@", False),
        ("a b/c", False),
        ("https://huggingface.co/a/b", False),
    ],
)
def test_what_an_id_is(spec: str, yes: bool) -> None:
    assert hub.is_id(spec) is yes


def test_unreadable_folder(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (folder / "config.json").chmod(0)
    with pytest.raises(ConfigError, match="config.json: cannot be read"):
        open_checkpoint(str(folder))
