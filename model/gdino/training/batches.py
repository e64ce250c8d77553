# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Batches for the detector: scenes, prompts, targets, and phrases of the whole vocabulary."""

from dataclasses import dataclass

import cv2
import numpy as np
import torch
from torch import Tensor

from .kinds import Disguise
from .losses import Targets
from .names import head
from .scenes import HEIGHT, WIDTH, Composer, Scene, choose_prompt
from .text import PhraseBank

TOKENS = 32
SIDE = 112
SMALLEST = 40  # objects below this many pixels tell a classifier little
CROPS = 8
DRESSED = 56  # smallest object, in pixels, that passes for another kind
DRESS_SHARE = 0.4
ARTICLE_SHARE = 0.15


def with_article(phrase: str) -> str:
    """The phrase after "a" or "an"."""
    return ("an " if phrase[0] in "aeiou" else "a ") + phrase


@dataclass
class Batch:
    """One step's data.

    images uint8 [B, H, W, 3]; raw [B, T, W], positions [B, T], text_mask [B, T], block_mask
    [B, T, T]; targets per picture; `extra` int64 [K]: rows of the phrase bank; `own` and `usable`
    bool [B][M, K]: which of them each box answers to, and which may be held against it. `crops`
    uint8 [C, SIDE, SIDE, 3] show objects from photographs, `crop_of` int64 [C, 2] says which:
    picture, box.
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
    crops: Tensor
    crop_of: Tensor
    disguises: list[Disguise]


def cut(image: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Square crop RGB uint8 [SIDE, SIDE, 3] around a box x0 y0 x1 y1 in pixels."""
    half = 0.55 * max(box[2] - box[0], box[3] - box[1])
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    x0, x1 = int(max(0, x - half)), int(min(WIDTH, np.ceil(x + half)))
    y0, y1 = int(max(0, y - half)), int(min(HEIGHT, np.ceil(y + half)))
    return cv2.resize(image[y0:y1, x0:x1], (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)


class Batches(torch.utils.data.IterableDataset):
    """Endless batches; each worker has its own seed."""

    def __init__(
        self,
        composer: Composer,
        bank: PhraseBank,
        names: list[str],
        seed: int,
        size: int = 8,
        distractors: int = 96,
        photo_share: float = 0.15,
        kinds: dict[str, list[int]] | None = None,
        known: dict[str, list[str]] | None = None,
    ) -> None:
        self.composer, self.bank, self.names, self.photo_share = composer, bank, names, photo_share
        self.kinds, self.known = kinds or {}, known or {}
        self.groups = sorted(self.kinds)
        self.animals = [g for g in self.groups if "animal" in self.known[g]] or self.groups
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
        crops, crop_of, disguises = [], [], []
        for picture in range(self.size):
            scene = self.composer.scene(rng, self.photo_share)
            changed = self.dress(rng, scene, picture)
            disguises += changed.values()
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
            named.append(
                [names for names, used in zip(scene.objects, asked.tolist(), strict=True) if used]
            )
            for place, row in enumerate(asked.nonzero()[:, 0].tolist()):
                box = scene.boxes[row]
                large = max(box[2] - box[0], box[3] - box[1]) >= SMALLEST
                if scene.natural[row] and large and len(crops) < CROPS and row not in changed:
                    crops.append(torch.from_numpy(cut(scene.image, box)))
                    crop_of.append((picture, place))
            images.append(torch.from_numpy(scene.image))
            prompts.append(prompt)
        extra = {phrase for objects in named for names in objects for phrase in names}
        while len(extra) < self.distractors:
            extra.add(self.names[rng.integers(len(self.names))])
        chosen = sorted(extra)
        own = [
            torch.tensor(
                [[p in names for p in chosen] for names in objects], dtype=torch.bool
            ).view(-1, len(chosen))
            for objects in named
        ]
        usable = [
            torch.tensor(
                [[head(p) != names[0] for p in chosen] for names in objects], dtype=torch.bool
            ).view(-1, len(chosen))
            for objects in named
        ]
        return Batch(
            torch.stack(images),
            *(
                torch.stack([p[k] for p in prompts])
                for k in ("raw", "positions", "text_mask", "block_mask")
            ),
            targets,
            torch.tensor([self.bank.index[p] for p in chosen]),
            own,
            usable,
            torch.stack(crops) if crops else torch.zeros(0, SIDE, SIDE, 3, dtype=torch.uint8),
            torch.tensor(crop_of, dtype=torch.int64).view(-1, 2),
            disguises,
        )

    def dress(self, rng: np.random.Generator, scene: Scene, picture: int) -> dict[int, Disguise]:
        """Let some objects pass for other kinds; changes their phrases, returns who looks how."""
        changed: dict[int, Disguise] = {}
        for row, natural in enumerate(scene.natural):
            box = scene.boxes[row]
            side = max(box[2] - box[0], box[3] - box[1])
            if not self.groups or not natural or side < DRESSED or rng.random() > DRESS_SHARE:
                continue
            group = self.groups[rng.integers(len(self.groups))]
            if rng.random() < 0.5 and "animal" in scene.objects[row]:
                group = self.animals[rng.integers(len(self.animals))]
            kinds = self.kinds[group]
            scene.objects[row] = self.known[group]
            changed[row] = Disguise(picture, box.tolist(), kinds[rng.integers(len(kinds))])
        return changed
