# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Batches for the detector: scenes, prompts, targets, and phrases of the whole vocabulary."""

from dataclasses import dataclass

import cv2
import numpy as np
import torch
from torch import Tensor

from .losses import Targets
from .names import head
from .scenes import HEIGHT, WIDTH, Composer, choose_prompt
from .text import PhraseBank

TOKENS = 32
ARTICLE_SHARE = 0.15


def with_article(phrase: str) -> str:
    """The phrase after "a" or "an"."""
    return ("an " if phrase[0] in "aeiou" else "a ") + phrase


@dataclass
class Batch:
    """One step's data.

    images uint8 [B, H, W, 3]; raw [B, T, W], positions [B, T], text_mask [B, T], block_mask
    [B, T, T]; targets per picture; `extra` int64 [K]: rows of the phrase bank; `own` and `usable`
    bool [B][M, K]: which of them each box answers to, and which may be held against it.
    """

    images: Tensor
    raw: Tensor
    positions: Tensor
    text_mask: Tensor
    block_mask: Tensor
    targets: list[Targets]
    extra: Tensor
    own: list[Tensor]
    usable: list[Tensor]


class Batches(torch.utils.data.IterableDataset):
    """Endless batches; each worker has its own seed."""

    def __init__(self, composer: Composer, bank: PhraseBank, names: list[str], seed: int, size: int = 8,
                 distractors: int = 96) -> None:
        self.composer, self.bank, self.names = composer, bank, names
        self.seed, self.size, self.distractors = seed, size, distractors

    def __iter__(self):
        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng((self.seed, worker.id if worker else 0))
        while True:
            yield self.batch(rng)

    def batch(self, rng: np.random.Generator) -> Batch:
        """One batch."""
        images, prompts, targets, named = [], [], [], []
        for _ in range(self.size):
            scene = self.composer.scene(rng)
            phrases = choose_prompt(rng, scene.objects, self.names)
            spoken = [with_article(p) if rng.random() < ARTICLE_SHARE else p for p in phrases]
            prompt = self.bank.prompt(spoken, TOKENS)
            plain = dict(zip(spoken, phrases, strict=True))
            positive = torch.zeros(len(scene.objects), TOKENS, dtype=torch.bool)
            for spoken_phrase, start, end in prompt["spans"]:
                for row, names in enumerate(scene.objects):
                    if plain[spoken_phrase] in names:
                        positive[row, start:end] = True
            asked = positive.any(1)
            boxes = torch.from_numpy(scene.boxes)
            centre = torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)
            centre = centre / torch.tensor([WIDTH, HEIGHT, WIDTH, HEIGHT])
            targets.append(Targets(centre[asked], positive[asked]))
            named.append([names for names, used in zip(scene.objects, asked.tolist(), strict=True) if used])
            images.append(torch.from_numpy(scene.image))
            prompts.append(prompt)
        extra = {phrase for objects in named for names in objects for phrase in names}
        while len(extra) < self.distractors:
            extra.add(self.names[rng.integers(len(self.names))])
        chosen = sorted(extra)
        own = [torch.tensor([[p in names for p in chosen] for names in objects], dtype=torch.bool).view(-1, len(chosen))
               for objects in named]
        usable = [torch.tensor([[head(p) != names[0] for p in chosen] for names in objects],
                               dtype=torch.bool).view(-1, len(chosen)) for objects in named]
        return Batch(torch.stack(images), *(torch.stack([p[k] for p in prompts])
                                            for k in ("raw", "positions", "text_mask", "block_mask")),
                     targets, torch.tensor([self.bank.index[p] for p in chosen]), own, usable)
