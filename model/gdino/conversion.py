# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""From transformers' objects to ours, without importing transformers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from gdino.checkpoint import build_network
from gdino.config import ConfigError, GroundingDinoConfig
from gdino.network import GroundingDino, check_canvas
from gdino.tokenizer import Vocabulary, VocabularyError

MODELS = ("GroundingDinoForObjectDetection", "MMGroundingDinoForObjectDetection")
Statistics = tuple[tuple[float, ...], tuple[float, ...]]


def to_vocabulary(tokenizer: object) -> Vocabulary:
    """Vocabulary of a processor or tokenizer of transformers, a vocab.txt, or a folder with one.

    Raises VocabularyError, or TypeError for anything else.
    """
    if isinstance(tokenizer, Vocabulary):
        return tokenizer
    if isinstance(tokenizer, (str, Path)):
        path = Path(tokenizer)
        return Vocabulary.from_file(path / "vocab.txt" if path.is_dir() else path)
    tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
    if not callable(getattr(tokenizer, "get_vocab", None)):
        raise TypeError(
            f"tokenizer is a {type(tokenizer).__name__}, wanted: a processor, a tokenizer, a "
            "vocab.txt or a folder with one"
        )
    name = type(tokenizer).__name__
    if getattr(tokenizer, "do_lower_case", True) is False:
        raise VocabularyError(f"{name}: keeps capitals, wanted: BERT's uncased tokenizer")
    table = tokenizer.get_vocab()
    pieces = [""] * (max(table.values(), default=-1) + 1)
    for piece, index in table.items():
        pieces[index] = piece
    return Vocabulary(pieces, name)


def find_tokenizer(model: nn.Module) -> Path:
    """The vocab.txt beside the checkpoint `model` was loaded from."""
    origin = getattr(model, "name_or_path", "") or ""
    if origin:
        file = Path(origin) / "vocab.txt"
        if file.is_file():
            return file
        try:
            from huggingface_hub import try_to_load_from_cache

            cached = try_to_load_from_cache(origin, "vocab.txt")
        except (ImportError, ValueError):
            cached = None
        if isinstance(cached, str):
            return Path(cached)
    raise VocabularyError(
        f"the model's origin '{origin}' has no vocab.txt; give one: "
        "CompilableGroundingDINO(tokenizer=...) takes a processor, a tokenizer or a vocab.txt"
    )


def image_statistics(tokenizer: object) -> Statistics | None:
    """Mean and deviation of a processor's image half; None where there is none."""
    images = getattr(tokenizer, "image_processor", None)
    mean, deviation = getattr(images, "image_mean", None), getattr(images, "image_std", None)
    if mean is None or deviation is None:
        return None
    return tuple(map(float, mean)), tuple(map(float, deviation))


def _config(model: nn.Module, statistics: Statistics | None) -> GroundingDinoConfig:
    # By way of JSON, as from a checkpoint's file: tuples become lists, types become names.
    raw = json.loads(json.dumps(model.config.to_dict(), default=str))
    config = GroundingDinoConfig.from_dict(raw)
    if statistics is not None:
        config = replace(config, image_mean=statistics[0], image_std=statistics[1])
    return config


def to_network(
    model: nn.Module,
    size: tuple[int, int] | None,
    tokens: int,
    words: int,
    statistics: Statistics | None = None,
) -> Callable[[tuple[int, int]], GroundingDino]:
    """Check `model` at once and return what makes its static network for a size.

    size: (width, height) if already known; tokens: text tokens; words: size of the vocabulary.
    """
    # torch.compile(model) wraps what we want.
    model = getattr(model, "_orig_mod", model)
    name = type(model).__name__
    if isinstance(model, GroundingDino):
        config = model.config
        if size is not None and size != model.canvas:
            raise ConfigError(f"size is {size}, but the network was made for {model.canvas}")
    elif name in MODELS:
        config = _config(model, statistics)
    else:
        raise TypeError(f"model is a {name}, wanted: {', '.join(MODELS)} or gdino's GroundingDino")
    longest = min(config.max_text_len, config.text_config.max_position_embeddings)
    if tokens > longest:
        raise ValueError(f"max_queries is {tokens}, wanted: at most {longest}, as the model knows")
    if words > config.text_config.vocab_size:
        raise VocabularyError(
            f"the tokenizer has {words} pieces, the model knows {config.text_config.vocab_size}"
        )
    if size is not None:
        check_canvas(config, size)

    def make(canvas: tuple[int, int]) -> GroundingDino:
        if isinstance(model, GroundingDino):
            if canvas != model.canvas:
                raise ConfigError(f"size is {canvas}, but the network was made for {model.canvas}")
            return model.eval()
        state = {
            key: value.detach().float().cpu() if value.is_floating_point() else value.cpu()
            for key, value in model.state_dict().items()
        }
        network = build_network(GroundingDino, config, canvas, state, name)
        network.requires_grad_(False)
        device = next(iter(model.parameters())).device
        with torch.no_grad():
            network.fold()
        return network.to(device)

    return make
