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

from gdino import agreement, probe
from gdino.network import GroundingDino
from gdino.prompt import Phrase, Prompt, encode_prompt
from gdino.tokenizer import Vocabulary

PROMPTS = (probe.PROMPT, "dog. zebra crossing.")
TOLERANCE = 1e-3
# Two cells whose scores are closer than this may trade places in the query selection.
TIE = 1e-4
ROUNDS = 5
REPEAT = 5


class VerifyError(RuntimeError):
    """A compiled graph fails or gives other numbers than the network."""


@dataclass(frozen=True)
class Judge:
    """How a package runs, which decides what may differ."""

    precision: str = "fp32"
    device: str = "cpu"
    """cpu or cuda:N"""
    threshold: float = 0.35
    """score above which a box counts where results are compared as sets"""
    threads: int | None = None

    @property
    def exact(self) -> bool:
        """Whether results must be those of the network, query for query.

        GPUs take short cuts in convolutions even in float32 (TF32), so only the processor is exact.
        """
        return self.precision == "fp32" and self.device == "cpu"


@dataclass(frozen=True)
class Comparison:
    """What was found, and seconds per run of the compiled graphs."""

    summary: str
    probe: dict[str, object]
    text_seconds: float
    frame_seconds: float


def pictures(width: int, height: int, count: int) -> Tensor:
    """Fixed pictures uint8 [B,H,W,3]: the probe's, then the same shifted and mirrored."""
    first = probe.gradient(width, height)
    made = [first]
    for i in range(1, count):
        moved = torch.roll(first, (i * height // 7, i * width // 5), (1, 2))
        made.append(moved.flip(3) if i % 2 else moved)
    return torch.cat(made).contiguous()


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
    batch: int,
    package: Path,
    scratch: Path,
    judge: Judge,
) -> Comparison:
    """Run the package's graphs afresh in a child process and compare; raises VerifyError.

    `network` is the one in float32 on the processor. Each of the `batch` frames is another
    picture, and every second has another prompt; the network sees them one by one.
    """
    prompts = [encode_prompt(text, vocabulary, tokens) for text in PROMPTS[: min(batch, 2)]]
    with torch.no_grad():
        texts = [network.encode_text(p.ids, p.positions, p.block_mask) for p in prompts]
    images = pictures(*network.canvas, batch)
    frames = []
    for i in range(batch):
        p = prompts[i % len(prompts)]
        text = texts[i % len(texts)]
        frames.append([images[i : i + 1], *text, p.text_mask, p.block_mask])
    inputs = {
        "text": [prompts[0].ids, prompts[0].positions, prompts[0].block_mask],
        "frame": [torch.cat(parts) for parts in zip(*frames, strict=True)],
    }
    results = run_package(package, inputs, scratch, judge)
    difference = _compare_text(results["text"], texts[0], prompts[0])
    found = [tuple(out[i : i + 1] for out in results["frame"]) for i in range(batch)]
    if judge.exact:
        summary = _exactly(network, frames, found)
        tolerances = (probe.EXACT,)
    else:
        phrases = [prompts[i % len(prompts)].phrases for i in range(batch)]
        agreed = _as_sets(network, frames, found, phrases, judge)
        summary = str(agreed)
        tolerances = (probe.ROUGH,) if agreed.detections else probe.LOOSER
    return Comparison(
        f"{summary}; text by {difference:.1e}",
        make_probe(network, frames[0], found[0], prompts[0], tolerances),
        results["text_seconds"],
        results["frame_seconds"],
    )


def _compare_text(
    found: list[Tensor], wanted: tuple[Tensor, Tensor], prompt: Prompt
) -> float:
    """Largest difference of the text graph's results, tokens of the prompt only."""
    used = prompt.text_mask[0]
    difference = max(
        float((a - b)[0, used].abs().max().nan_to_num(nan=float("inf")))
        for a, b in zip(found, wanted, strict=True)
    )
    allowed = TOLERANCE * max(1.0, float(wanted[0].abs().max()))
    if difference > allowed:
        raise VerifyError(
            f"compiled text graph differs from the network by {difference:.2g}, "
            f"allowed {allowed:.2g}"
        )
    return difference


def _exactly(
    network: GroundingDino, frames: list[list[Tensor]], found: list[tuple[Tensor, Tensor]]
) -> str:
    """Compare query for query; returns what to say of it."""
    apart = [compare_frame(network, *pair) for pair in zip(frames, found, strict=True)]
    score, box = (max(values) for values in zip(*apart, strict=True))
    if score > TOLERANCE or box > TOLERANCE:
        raise VerifyError(
            f"compiled frame graph differs from the network: scores by {score:.2g}, boxes by "
            f"{box:.2g}, allowed {TOLERANCE:g}"
        )
    return f"scores differ by {score:.1e}, boxes by {box:.1e}"


def _as_sets(
    network: GroundingDino,
    frames: list[list[Tensor]],
    found: list[tuple[Tensor, Tensor]],
    phrases: list[list[Phrase]],
    judge: Judge,
) -> agreement.Agreement:
    """Compare what is detected; see `gdino.agreement`."""
    total = agreement.Agreement()
    for inputs, result, spans in zip(frames, found, phrases, strict=True):
        with torch.no_grad():
            wanted = network.forward_frame(*inputs)
        one, other = ((logits[0], boxes[0]) for logits, boxes in (result, wanted))
        total += agreement.compare(one, other, spans, judge.threshold)
    if not total.good:
        raise VerifyError(
            f"compiled frame graph ({judge.precision} on {judge.device}) differs from the "
            f"network: {total}; wanted: {agreement.SHARE:.0%}, or a difference of at most "
            f"{agreement.SPREAD}"
        )
    return total


def make_probe(
    network: GroundingDino,
    inputs: list[Tensor],
    found: tuple[Tensor, Tensor],
    prompt: Prompt,
    tolerances: tuple[probe.Tolerance, ...],
) -> dict[str, object]:
    """The probe with the first of `tolerances` at which the compiled result `found` passes."""
    with torch.no_grad():
        logits, boxes = network.forward_frame(*inputs)
    reason = None
    for tolerance in tolerances:
        content = probe.make(logits[0], boxes[0], prompt, tolerance)
        reason = probe.check(content, found[0][0], found[1][0], prompt)
        if reason is None:
            return content
    raise VerifyError(f"compiled frame graph fails the probe: {reason}")


def run_package(
    package: Path, inputs: dict[str, list[Tensor]], scratch: Path, judge: Judge
) -> dict[str, object]:
    """Run graphs of `package` in a child process; returns what gdino.execute stores."""
    given, taken = scratch / "inputs.pt", scratch / "outputs.pt"
    torch.save({k: [t.contiguous() for t in v] for k, v in inputs.items()}, given)
    command = [sys.executable, "-m", "gdino.execute", str(package), str(given), str(taken)]
    command += ["--repeat", str(REPEAT), "--device", judge.device]
    command += ["--threads", str(judge.threads)] if judge.threads else []
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
