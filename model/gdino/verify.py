# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Compares the graphs of a package with the network they were compiled from."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from gdino.network import GroundingDino
from gdino.prompt import Prompt, encode_prompt
from gdino.tokenizer import Vocabulary

PROMPT = "a cat. dog. remote control."
TOLERANCE = 1e-3
# Two cells whose scores are closer than this may trade places in the query selection.
TIE = 1e-4
ROUNDS = 5
REPEAT = 5


class VerifyError(RuntimeError):
    """A compiled graph fails or gives other numbers than the network."""


@dataclass(frozen=True)
class Comparison:
    """Largest differences found, and seconds per run of the compiled graphs."""

    text: float
    scores: float
    boxes: float
    text_seconds: float
    frame_seconds: float


def test_image(width: int, height: int) -> Tensor:
    """A fixed image uint8 [1,H,W,3] with gradients, blocks and fine structure."""
    y = torch.arange(height, dtype=torch.int64)[:, None]
    x = torch.arange(width, dtype=torch.int64)[None, :]
    red = (x * 255 // max(width - 1, 1)).expand(height, width)
    green = (y * 255 // max(height - 1, 1)).expand(height, width)
    blue = ((x // 16 + y // 16) % 2 * 160 + (x * 7 + y * 13) % 64).clamp(max=255)
    image = torch.stack((red, green, blue), dim=-1)
    h, w = height // 4, width // 5
    image[h : 3 * h, w : 2 * w] = torch.tensor((210, 60, 40))
    image[2 * h : 3 * h, 3 * w : 4 * w] = torch.tensor((30, 90, 200))
    return image.to(torch.uint8)[None].contiguous()


class Selection:
    """Records and, on demand, replaces the query selection of a network."""

    def __init__(self, network: GroundingDino) -> None:
        self.network = network
        self.chosen: Tensor | None = None
        self.best = torch.empty(0)

    def __enter__(self) -> Selection:
        self.network._select = self._select
        return self

    def __exit__(self, *unused: object) -> None:
        del self.network._select

    def _select(self, scores: Tensor) -> Tensor:
        self.best = scores.detach().amax(-1)
        if self.chosen is None:
            return type(self.network)._select(self.network, scores)
        return self.chosen[None, :, None]


def differences(
    found: tuple[Tensor, Tensor], wanted: tuple[Tensor, Tensor], text_mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Largest score and box difference of each query [Q] between two results of batch 1."""
    tokens = text_mask[0]
    scores = (found[0][0].sigmoid() - wanted[0][0].sigmoid())[:, tokens].abs().amax(-1)
    boxes = (found[1][0] - wanted[1][0]).abs().amax(-1)
    # Not a number is as different as can be.
    return scores.nan_to_num(nan=float("inf")), boxes.nan_to_num(nan=float("inf"))


def match(
    found: tuple[Tensor, Tensor], wanted: tuple[Tensor, Tensor], text_mask: Tensor
) -> tuple[float, float]:
    """Largest score and box difference of two results as sets of queries."""
    scores, boxes = differences(found, wanted, text_mask)
    left = torch.nonzero((scores > TOLERANCE) | (boxes > TOLERANCE)).flatten().tolist()
    worst = [scores.clone(), boxes.clone()]
    free = set(left)
    tokens = text_mask[0]

    def rows(result: tuple[Tensor, Tensor], index: list[int]) -> Tensor:
        return torch.cat((result[0][0, index][:, tokens].sigmoid(), result[1][0, index]), -1)

    for query in left:
        # Each query that has moved takes the nearest of those not taken yet.
        others = sorted(free)
        apart = (rows(found, [query]) - rows(wanted, others)).abs()
        apart = apart.nan_to_num(nan=float("inf"))
        nearest = int(apart.amax(-1).argmin())
        worst[0][query] = apart[nearest, :-4].amax()
        worst[1][query] = apart[nearest, -4:].amax()
        free.discard(others[nearest])
    return float(worst[0].max()), float(worst[1].max())


def compare_frame(
    network: GroundingDino, inputs: list[Tensor], found: tuple[Tensor, Tensor]
) -> tuple[float, float]:
    """Largest score and box difference of a compiled result, as matched sets.

    Query number r starts at the cell of rank r, so two cells of all but equal score that trade
    ranks by rounding alone give two other queries. Where results differ beside such a tie, the
    network is run again with the ranks traded.
    """
    mask = inputs[3]
    queries = network.config.num_queries
    with Selection(network) as selection, torch.no_grad():
        wanted = network.forward_frame(*inputs)
        best, order = selection.best[0].sort(descending=True, stable=True)
        selection.chosen = order[:queries]
        wanted = network.forward_frame(*inputs)
        scale = best[:queries].abs().clamp(min=1.0)
        after = best[1 : queries + 1]
        close = best[: len(after)] - after <= TIE * scale[: len(after)]
        traded: set[int] = set()
        score, box = match(found, wanted, mask)
        for _ in range(ROUNDS):
            if max(score, box) <= TOLERANCE:
                break
            apart = torch.stack(differences(found, wanted, mask)).amax(0)
            bad = apart > TOLERANCE
            pairs = set()
            for rank in torch.nonzero(close).flatten().tolist():
                both = bad[rank] and (rank + 1 >= queries or bad[rank + 1])
                if both and not {rank - 1, rank + 1} & pairs:
                    pairs.add(rank)
            if not pairs:
                break
            traded ^= pairs
            trial = order.clone()
            for rank in sorted(traded):
                trial[[rank, rank + 1]] = trial[[rank + 1, rank]]
            selection.chosen = trial[:queries]
            wanted = network.forward_frame(*inputs)
            score, box = match(found, wanted, mask)
    return score, box


def compare_package(
    network: GroundingDino,
    vocabulary: Vocabulary,
    tokens: int,
    package: Path,
    scratch: Path,
    threads: int | None = None,
) -> Comparison:
    """Run the package's graphs afresh in a child process and compare; raises VerifyError."""
    prompt: Prompt = encode_prompt(PROMPT, vocabulary, tokens)
    text_inputs = [prompt.ids, prompt.positions, prompt.block_mask]
    with torch.no_grad():
        features, position = network.encode_text(*text_inputs)
    image = test_image(*network.canvas)
    frame_inputs = [image, features, position, prompt.text_mask, prompt.block_mask]
    results = run_package(package, {"text": text_inputs, "frame": frame_inputs}, scratch, threads)
    used = prompt.text_mask[0]
    difference = max(
        float((found - wanted)[0, used].abs().max().nan_to_num(nan=float("inf")))
        for found, wanted in zip(results["text"], (features, position), strict=True)
    )
    allowed = TOLERANCE * max(1.0, float(features.abs().max()))
    if difference > allowed:
        raise VerifyError(
            f"compiled text graph differs from the network by {difference:.2g}, "
            f"allowed {allowed:.2g}"
        )
    score, box = compare_frame(network, frame_inputs, tuple(results["frame"]))
    if score > TOLERANCE or box > TOLERANCE:
        raise VerifyError(
            f"compiled frame graph differs from the network: scores by {score:.2g}, boxes by "
            f"{box:.2g}, allowed {TOLERANCE:g}"
        )
    return Comparison(difference, score, box, results["text_seconds"], results["frame_seconds"])


def run_package(
    package: Path, inputs: dict[str, list[Tensor]], scratch: Path, threads: int | None
) -> dict[str, object]:
    """Run graphs of `package` in a child process; returns what gdino.execute stores."""
    given, taken = scratch / "inputs.pt", scratch / "outputs.pt"
    torch.save({k: [t.contiguous() for t in v] for k, v in inputs.items()}, given)
    command = [sys.executable, "-m", "gdino.execute", str(package), str(given), str(taken)]
    command += ["--repeat", str(REPEAT)] + (["--threads", str(threads)] if threads else [])
    done = subprocess.run(
        command, capture_output=True, text=True, env=child_environment(), check=False
    )
    if done.returncode != 0:
        reason = f"signal {-done.returncode}" if done.returncode < 0 else ""
        lines = done.stderr.strip().splitlines()
        raise VerifyError(f"compiled graphs do not run: {reason or (lines or ['?'])[-1]}")
    results = torch.load(taken, weights_only=True)
    given.unlink()
    taken.unlink()
    return results


def child_environment() -> dict[str, str]:
    """Environment in which a child finds this package, wherever it was imported from."""
    import os

    folder = str(Path(__file__).resolve().parent.parent)
    path = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([folder] + ([path] if path else []))}
