# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What gdino-compile takes for a checkpoint, behind one interface.

A folder in Hugging Face's layout, a Hugging Face id, or one file of the original code (.pth).
"""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import Tensor

from gdino import hub, manifest, zoo
from gdino.checkpoint import read_files
from gdino.config import GroundingDinoConfig, read_json
from gdino.tokenizer import Vocabulary, VocabularyError
from gdino.weights import CheckpointError, read_tensors, weight_files

FILE_SUFFIXES = (".pth", ".pt", ".bin", ".safetensors")
# Trainers like to round the word table up; more rows than this without a word are a wrong file.
SPARE_WORDS = 127

Report = Callable[[str], None]


class Checkpoint(ABC):
    """A checkpoint that was found; weights are read only on demand.

    `name` is for people, `origin` for the manifest: folder name, Hugging Face id with commit, or
    file name. `files` hold the weights, `vocabulary` is BERT's vocab.txt.
    """

    name: str
    origin: str
    files: list[Path]
    vocabulary: Path

    @abstractmethod
    def config(self) -> GroundingDinoConfig:
        """Sizes of the network; raises ConfigError or CheckpointError for unsupported ones."""

    @abstractmethod
    def tensors(self, progress: Report | None = None) -> dict[str, Tensor]:
        """All weights, float32, under Hugging Face's names."""

    def preprocessor(self) -> dict[str, Any]:
        """Content of preprocessor_config.json; empty without one."""
        return {}

    def licence(self) -> str | None:
        """The licence of the weights, as far as the checkpoint or the list of known ones says."""
        return None

    def check_vocabulary(self) -> Vocabulary:
        """Read the vocabulary; raises where it is no BERT vocabulary or not this network's."""
        vocabulary = Vocabulary.from_file(self.vocabulary)
        rows = self.config().text_config.vocab_size
        if not rows - SPARE_WORDS <= len(vocabulary) <= rows:
            raise CheckpointError(
                f"{self.vocabulary}: {len(vocabulary)} lines, wanted: {rows}, one for each word "
                f"that the text encoder of {self.name} knows"
            )
        return vocabulary


class Folder(Checkpoint):
    """Hugging Face's layout: config.json, model.safetensors (or shards, or .bin), vocab.txt."""

    def __init__(self, folder: Path, vocabulary: Path | None, spec: str | None = None) -> None:
        self.folder = folder
        self.files = weight_files(folder)
        self.spec = spec
        if spec is None:
            self.name = self.origin = folder.resolve().name
        else:
            # The cache keeps each commit in a folder of that name.
            self.name = spec.partition("@")[0]
            self.origin = f"{self.name}@{folder.name}"
        check_tokenizer(folder)
        self.vocabulary = vocabulary or self._find_vocabulary()

    def _find_vocabulary(self) -> Path:
        path = self.folder / "vocab.txt"
        if path.is_file():
            return path
        tokenizer = self.folder / "tokenizer.json"
        if not tokenizer.is_file():
            raise CheckpointError(
                f"{path}: no such file, nor tokenizer.json; wanted the tokenizer's vocabulary "
                "(or give one with --vocabulary)"
            )
        # Lives as long as this object.
        self._scratch = tempfile.TemporaryDirectory(prefix="gdino-vocabulary-")
        path = Path(self._scratch.name) / "vocab.txt"
        path.write_text("\n".join(pieces(tokenizer)) + "\n", encoding="utf-8")
        return path

    def config(self) -> GroundingDinoConfig:
        return GroundingDinoConfig.from_folder(self.folder)

    def tensors(self, progress: Report | None = None) -> dict[str, Tensor]:
        return read_files(self.files, progress)

    def preprocessor(self) -> dict[str, Any]:
        path = self.folder / "preprocessor_config.json"
        if path.is_file():
            return read_json(path)
        # transformers 5 writes this file instead.
        path = self.folder / "processor_config.json"
        inner = read_json(path).get("image_processor") if path.is_file() else None
        return inner if isinstance(inner, dict) else {}

    def licence(self) -> str | None:
        return manifest.licence(self.folder) or zoo.licence(self.name)


class Original(Checkpoint):
    """One file of weights as the original code writes it; it says nothing of words or sizes."""

    def __init__(self, path: Path, vocabulary: Path | None, progress: Report | None) -> None:
        from gdino import original

        self.path = path
        self.files = [path]
        self.name = path.stem
        self.origin = path.name
        self._stored = read_tensors(path)
        self._config = original.deduce(self._stored, str(path))
        self.vocabulary = vocabulary or default_vocabulary(path, progress)

    def config(self) -> GroundingDinoConfig:
        return self._config

    def tensors(self, progress: Report | None = None) -> dict[str, Tensor]:
        from gdino import original

        return original.convert(self._stored)

    def licence(self) -> str | None:
        return zoo.licence(self.path.name)


def open_checkpoint(
    spec: str,
    cache: Path | None = None,
    progress: Report | None = None,
    vocabulary: Path | None = None,
) -> Checkpoint:
    """Find the checkpoint that `spec` names, fetching it if need be, and check what is quick to.

    `spec` is a folder, a file of the original code, or ORGANISATION/NAME[@REVISION] on Hugging Face.
    `cache` is Hugging Face's cache folder, `progress` gets lines of text, `vocabulary` replaces the
    checkpoint's own. Raises CheckpointError, ConfigError or VocabularyError; each names the file.
    """
    path = Path(spec)
    if spec and path.is_dir():
        found: Checkpoint = Folder(path, vocabulary)
    elif path.is_file():
        if path.suffix.lower() not in FILE_SUFFIXES:
            raise CheckpointError(
                f"{path}: is a file; wanted a checkpoint folder, or weights of the original code "
                f"({', '.join(FILE_SUFFIXES)})"
            )
        found = Original(path, vocabulary, progress)
    elif path.suffix.lower() not in FILE_SUFFIXES and hub.is_id(spec):
        found = Folder(hub.fetch(spec, cache, progress), vocabulary, spec)
    else:
        raise CheckpointError(
            f"{spec or repr(spec)}: no such file or folder; wanted a checkpoint folder, a .pth "
            "file, or a Hugging Face id as IDEA-Research/grounding-dino-tiny (gdino-compile --list)"
        )
    found.check_vocabulary()
    return found


def check_tokenizer(folder: Path) -> None:
    """Refuse tokenizers that keep capital letters."""
    path = folder / "tokenizer_config.json"
    if path.is_file() and read_json(path).get("do_lower_case") is False:
        raise CheckpointError(f"{path}: 'do_lower_case' is false, supported: true")


def pieces(path: Path) -> list[str]:
    """The word pieces in a tokenizer.json, in the order of their ids."""
    raw = read_json(path)
    model = raw.get("model")
    if not isinstance(model, dict) or model.get("type") != "WordPiece":
        kind = model.get("type") if isinstance(model, dict) else model
        raise CheckpointError(f"{path}: the model's type is {kind!r}, supported: 'WordPiece'")
    normalizer = raw.get("normalizer")
    if isinstance(normalizer, dict) and normalizer.get("lowercase") is False:
        raise CheckpointError(f"{path}: normalizer.lowercase is false, supported: true")
    table = model.get("vocab")
    ids = list(table.values()) if isinstance(table, dict) else [None]
    if not all(type(i) is int for i in ids) or sorted(ids) != list(range(len(ids))):
        raise CheckpointError(f"{path}: model.vocab does not number its pieces from 0 without gaps")
    return sorted(table, key=table.__getitem__)


def default_vocabulary(path: Path, progress: Report | None) -> Path:
    """vocab.txt for a file of weights: beside it, else bert-base-uncased's; says which."""
    beside = path.parent / "vocab.txt"
    if beside.is_file():
        chosen = beside
    else:
        from gdino.tiny import find_vocabulary

        try:
            chosen = find_vocabulary(None)
        except VocabularyError:
            raise CheckpointError(
                f"{path}: holds no vocabulary, and neither {beside} nor the default model's is "
                "there; give vocab.txt of bert-base-uncased with --vocabulary"
            ) from None
    if progress:
        progress(f"{path.name} holds no vocabulary: taking {chosen}")
    return chosen
