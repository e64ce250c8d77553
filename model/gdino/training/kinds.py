# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What the kinds of ImageNet are called here, and how a picture is made to look like one.

The backbone still knows a thousand kinds from its classifier. Moving the features of an object
along a classifier's row makes it look like that kind to the backbone; trained with the kind's name,
the detector learns to say the name for real pictures of the kind, without one picture of it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from . import names

# First and last ImageNet class, and the phrase; on top of the kinds whose own name is known here.
RANGES = [
    (7, 8, "chicken"), (10, 20, "bird"), (21, 21, "hawk"), (22, 22, "eagle"), (24, 24, "owl"),
    (30, 32, "frog"), (33, 37, "turtle"), (38, 48, "lizard"), (49, 50, "crocodile"),
    (52, 68, "snake"),
    (72, 77, "spider"), (80, 83, "bird"), (84, 84, "peacock"), (87, 88, "parrot"),
    (89, 89, "parrot"), (91, 95, "bird"), (97, 98, "duck"), (99, 99, "goose"), (100, 100, "swan"),
    (104, 104, "kangaroo"), (128, 129, "spoonbill"), (131, 132, "heron"), (133, 143, "bird"),
    (145, 145, "penguin"), (147, 148, "whale"), (151, 268, "dog"), (277, 280, "fox"),
    (281, 285, "cat"), (294, 297, "bear"), (300, 300, "insect"), (302, 307, "insect"),
    (311, 313, "insect"), (318, 320, "dragonfly"), (321, 326, "butterfly"), (330, 332, "rabbit"),
    (334, 334, "hedgehog"), (335, 335, "squirrel"), (339, 339, "horse"), (341, 341, "pig"),
    (345, 346, "cow"), (348, 349, "sheep"), (350, 350, "goat"), (353, 353, "deer"),
    (354, 354, "camel"), (368, 368, "gibbon"), (369, 382, "monkey"), (385, 386, "elephant"),
    (389, 397, "fish"), (404, 404, "airplane"), (895, 895, "airplane"), (436, 436, "car"),
    (468, 468, "taxi"), (511, 511, "car"), (609, 609, "car"), (656, 656, "car"), (661, 661, "car"),
    (751, 751, "race car"), (817, 817, "sports car"), (555, 555, "fire truck"),
    (675, 675, "truck"), (717, 717, "truck"), (867, 867, "truck"), (864, 864, "tow truck"),
    (654, 654, "bus"), (779, 779, "bus"), (874, 874, "bus"), (466, 466, "train"),
    (820, 820, "locomotive"), (444, 444, "bicycle"), (671, 671, "bicycle"), (665, 665, "motorbike"),
    (402, 402, "guitar"), (546, 546, "electric guitar"), (438, 438, "glass"), (504, 504, "mug"),
    (967, 968, "cup"), (914, 914, "sailboat"), (554, 554, "boat"), (625, 625, "boat"),
    (948, 948, "green apple"), (985, 986, "flower"), (445, 445, "bikini"), (515, 515, "cowboy hat"),
    (770, 770, "shoe"), (514, 514, "boot"), (898, 898, "bottle"), (440, 440, "bottle"),
    (737, 737, "bottle"), (907, 907, "bottle"), (620, 620, "laptop"), (681, 681, "laptop"),
    (409, 409, "clock"), (892, 892, "clock"), (673, 673, "computer mouse"),
]  # fmt: skip


def kind_table(lemmas: list[list[str]], known: dict[str, list[str]]) -> dict[str, list[int]]:
    """Phrase -> ImageNet classes it stands for.

    lemmas: the names of each class; known: phrase -> all phrases its objects answer to.
    """
    named: dict[int, str] = {}
    for index, options in enumerate(lemmas):
        for name in options:
            for phrase in (name, names.RENAME.get(name, name)):
                if phrase in known and index not in named:
                    named[index] = phrase
    for first, last, phrase in RANGES:
        if phrase in known:
            for index in range(first, last + 1):
                named[index] = phrase
    table: dict[str, list[int]] = {}
    for index, phrase in named.items():
        table.setdefault(phrase, []).append(index)
    return table


@dataclass
class Disguise:
    """An object to look like an ImageNet class: picture, box x0 y0 x1 y1 in pixels, class."""

    picture: int
    box: list[float]
    kind: int


def disguise(
    features: Tensor,
    items: list[Disguise],
    weight: Tensor,
    bias: Tensor,
    margins: Tensor,
    stride: int = 32,
) -> Tensor:
    """Move the features inside the boxes until the classifier says `kind` by `margins`.

    features [B, C, h, w] (ReLU6), weight [1000, C], bias [1000], margins [len(items)].
    """  # fmt: skip
    if not items:
        return features
    changed = features.clone()
    rows, columns = features.shape[2:]
    for item, margin in zip(items, margins.tolist(), strict=True):
        x0, y0, x1, y1 = (value / stride for value in item.box)
        left, right = min(int(x0 + 0.5), columns - 1), max(int(x1 + 0.5), int(x0 + 0.5) + 1)
        top, bottom = min(int(y0 + 0.5), rows - 1), max(int(y1 + 0.5), int(y0 + 0.5) + 1)
        place = (item.picture, slice(None), slice(top, bottom), slice(left, right))
        before = features[place].float()
        row = weight[item.kind] - weight.mean(0)
        step = torch.zeros(())
        with torch.no_grad():
            for _ in range(3):
                moved = (before + step * row[:, None, None]).clamp(0, 6).mean((1, 2))
                scores = weight @ moved + bias
                own = scores[item.kind].clone()
                scores[item.kind] = -1e9
                step = step + (scores.max() - own + margin).clamp(min=0) / row.dot(row)
        changed[place] = (before + step * row[:, None, None]).clamp(0, 6).to(changed.dtype)
    return changed
