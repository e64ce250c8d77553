# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Token features of phrases, computed once: the text encoder is frozen and phrases do not meet."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from ..network import GroundingDino
from ..prompt import encode_prompt
from ..tokenizer import Vocabulary

LONGEST = 12


def package_file(package: str, inside: str) -> Path:
    """Path of a file inside an installed Python package, which is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"Python package '{package}' is not installed (wanted: {inside})")
    return Path(spec.submodule_search_locations[0]) / inside


def imagenet_lemmas() -> list[list[str]]:
    """All names of the 1000 ImageNet classes in the order of a classifier's outputs."""
    folder = package_file("timm", "data/_info")
    lemmas = dict(
        line.split("\t")
        for line in (folder / "imagenet_synset_to_lemma.txt").read_text().splitlines()
        if "\t" in line
    )
    synsets = (folder / "imagenet_synsets.txt").read_text().split()
    return [[n.strip().lower() for n in lemmas[synset].split(",")] for synset in synsets]


def imagenet_names() -> list[str]:
    """First name of each class."""
    return [options[0] for options in imagenet_lemmas()]


@dataclass
class PhraseBank:
    """Raw token features of phrases.

    features float32 [P, LONGEST, W] of each phrase's own tokens and the '.' after them,
    count int64 [P] number of these (with the '.'), ends float32 [2, W] for [CLS] and [SEP].
    """

    phrases: list[str]
    features: Tensor
    count: Tensor
    ends: Tensor

    def __post_init__(self) -> None:
        self.index = {phrase: i for i, phrase in enumerate(self.phrases)}

    def means(self) -> Tensor:
        """Mean feature of each phrase's own tokens, float32 [P, W]."""
        place = torch.arange(self.features.shape[1])
        own = (place[None] < (self.count - 1)[:, None]).float()[..., None]
        return (self.features * own).sum(1) / own.sum(1)

    def prompt(self, phrases: list[str], length: int) -> dict:
        """Tensors of one prompt: raw [T, W], positions [T], text_mask [T], block_mask [T, T].

        Phrases that do not fit are left out; `spans` lists (phrase, start, end) of those used.
        """
        width = self.features.shape[2]
        raw = torch.zeros(length, width)
        positions = torch.zeros(length, dtype=torch.int64)
        block = torch.eye(length, dtype=torch.bool)
        raw[0] = self.ends[0]
        at = 1
        spans = []
        for phrase in phrases:
            i = self.index[phrase]
            n = int(self.count[i])
            if at + n + 1 > length:
                continue
            raw[at : at + n] = self.features[i, :n]
            positions[at : at + n] = torch.arange(n)
            block[at : at + n, at : at + n] = True
            spans.append((phrase, at, at + n - 1))
            at += n
        raw[at] = self.ends[1]
        mask = torch.arange(length) <= at
        return {
            "raw": raw,
            "positions": positions,
            "text_mask": mask,
            "block_mask": block,
            "spans": spans,
        }


def make_bank(network: GroundingDino, vocabulary: Vocabulary, phrases: list[str]) -> PhraseBank:
    """Run the text encoder over every phrase (and over an empty prompt's ends)."""
    phrases = sorted(set(phrases))
    features, counts = [], []
    ends = None
    encoder = network.model.text_backbone
    length = LONGEST + 2
    for start in range(0, len(phrases), 128):
        made = []
        for phrase in phrases[start : start + 128]:
            prompt = encode_prompt(phrase, vocabulary, length)
            if len(prompt.phrases) != 1:
                raise ValueError(f"phrase '{phrase}' is not one phrase of at most {LONGEST} tokens")
            made.append(prompt)
        with torch.no_grad():
            out = encoder(
                torch.cat([p.ids for p in made]),
                torch.cat([p.positions for p in made]),
                torch.cat([p.block_mask for p in made]),
            ).float()
        for row, prompt in zip(out, made, strict=True):
            n = prompt.phrases[0].end  # tokens and '.', without [CLS]
            kept = torch.zeros(LONGEST, out.shape[-1])
            kept[:n] = row[1 : n + 1]
            features.append(kept)
            counts.append(n)
            if ends is None:
                ends = torch.stack([row[0], row[n + 1]])
    return PhraseBank(phrases, torch.stack(features), torch.tensor(counts), ends)
