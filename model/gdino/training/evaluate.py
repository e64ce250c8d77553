# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Score a checkpoint: AP50 on composed scenes, and objects found in photographs.

Scenes come from a recipe file (seed, number, prompt size) and the cut-outs of the training over
backgrounds that no training scene used. All phrases of all prompts share one precision-recall
curve. The network runs as the compiled package does: padded prompts, uint8 canvas.
"""

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from tqdm import tqdm

from ..network import GroundingDino
from ..prompt import encode_prompt
from ..tokenizer import Vocabulary
from . import assets as asset_module
from .scenes import HEIGHT, PAD, WIDTH, Composer, choose_prompt

FLOOR = 0.02
NMS = 0.7


@dataclass
class Found:
    """One detection: phrase, score 0..1, box x0 y0 x1 y1 in canvas pixels."""

    phrase: str
    score: float
    box: np.ndarray


def iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """IoU of boxes [n, 4] and [m, 4], x0 y0 x1 y1 -> [n, m]."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    inner = np.clip(high - low, 0, None).prod(-1)
    area_a, area_b = (a[:, 2:] - a[:, :2]).prod(-1), (b[:, 2:] - b[:, :2]).prod(-1)
    return inner / np.maximum(area_a[:, None] + area_b[None] - inner, 1e-9)


def suppress(boxes: np.ndarray, scores: np.ndarray, limit: float) -> list[int]:
    """Greedy non-maximum suppression; indices kept, best first."""
    order = list(np.argsort(-scores, kind="stable"))
    kept: list[int] = []
    table = iou(boxes, boxes)
    while order:
        first = order.pop(0)
        kept.append(int(first))
        order = [i for i in order if table[first, i] <= limit]
    return kept


def average_precision(
    scores: np.ndarray, hits: np.ndarray, truths: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """Area under the interpolated precision-recall curve; returns (ap, precision, recall).

    scores float [n] in any order, hits bool [n], truths: number of boxes to find.
    """
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(hits[order])
    precision = right / np.arange(1, len(order) + 1)
    recall = right / max(truths, 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    steps = np.diff(np.concatenate([[0.0], recall]))
    return float((steps * best).sum()), precision, recall


class Detector:
    """A checkpoint as the compiled package runs it."""

    def __init__(self, network: GroundingDino, vocabulary: Vocabulary, tokens: int = 64) -> None:
        self.network, self.vocabulary, self.tokens = network.eval(), vocabulary, tokens

    @classmethod
    def from_folder(cls, folder: Path) -> "Detector":
        network = GroundingDino.from_folder(folder, canvas=(WIDTH, HEIGHT))
        return cls(network, Vocabulary.from_file(folder / "vocab.txt"), network.config.max_text_len)

    @torch.no_grad()
    def detect(self, canvas: np.ndarray, phrases: list[str], floor: float = FLOOR) -> list[Found]:
        """Detections of RGB uint8 [H, W, 3] above `floor`, after suppression per phrase."""
        prompt = encode_prompt(". ".join(phrases) + ".", self.vocabulary, self.tokens)
        features, position = self.network.encode_text(
            prompt.ids, prompt.positions, prompt.block_mask
        )
        logits, boxes = self.network.forward_frame(
            torch.from_numpy(np.ascontiguousarray(canvas))[None],
            features,
            position,
            prompt.text_mask,
            prompt.block_mask,
        )
        scores = logits[0].sigmoid().numpy()
        cx, cy, w, h = (boxes[0].numpy() * [WIDTH, HEIGHT, WIDTH, HEIGHT]).T
        places = np.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], 1)
        places = places.clip(0, [WIDTH, HEIGHT, WIDTH, HEIGHT])
        found = []
        for phrase in prompt.phrases:
            score = scores[:, phrase.start : phrase.end].max(1)
            rows = np.flatnonzero(score > floor)
            for i in suppress(places[rows], score[rows], NMS):
                found.append(Found(phrase.text, float(score[rows[i]]), places[rows[i]]))
        return found


def letterbox(image: np.ndarray) -> tuple[np.ndarray, float, int, int]:
    """RGB picture centred on the canvas: (canvas, scale, left, top)."""
    tall, wide = image.shape[:2]
    scale = min(WIDTH / wide, HEIGHT / tall)
    w, h = max(1, round(wide * scale)), max(1, round(tall * scale))
    canvas = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    canvas[:] = PAD
    left, top = (WIDTH - w) // 2, (HEIGHT - h) // 2
    canvas[top : top + h, left : left + w] = cv2.resize(image, (w, h), interpolation=cv2.INTER_AREA)
    return canvas, scale, left, top


def scenes_of(recipe: dict, composer: Composer):
    """Yield (scene, prompt) of a recipe."""
    names = sorted({c.phrases[0] for c in composer.cutouts})
    for number in range(recipe["scenes"]):
        rng = np.random.default_rng((recipe["seed"], number))
        scene = composer.scene(rng, photo_share=0.0)
        yield scene, choose_prompt(rng, scene.objects, names, recipe["phrases"])


def score_scenes(
    detector: Detector,
    recipe: dict,
    composer: Composer,
    limit: int | None = None,
    quiet: bool = False,
) -> dict:
    """AP50 and what the thresholds give."""
    scores, hits, truths = [], [], 0
    digest = hashlib.sha256()
    recipe = dict(recipe, scenes=min(recipe["scenes"], limit or recipe["scenes"]))
    for scene, phrases in tqdm(
        scenes_of(recipe, composer), total=recipe["scenes"], desc="scenes", disable=quiet
    ):
        digest.update(scene.image.tobytes() + repr((scene.boxes.tolist(), phrases)).encode())
        found = detector.detect(scene.image, phrases)
        for phrase in phrases:
            real = np.array(
                [b for b, o in zip(scene.boxes, scene.objects, strict=True) if phrase in o]
            )
            truths += len(real)
            taken = np.zeros(len(real), bool)
            for item in sorted((f for f in found if f.phrase == phrase), key=lambda f: -f.score):
                overlap = iou(item.box[None], real)[0] if len(real) else np.zeros(0)
                overlap[taken] = 0
                best = int(overlap.argmax()) if len(real) else -1
                hit = best >= 0 and overlap[best] >= 0.5
                if hit:
                    taken[best] = True
                scores.append(item.score)
                hits.append(hit)
    scores_, hits_ = np.array(scores), np.array(hits, bool)
    ap, precision, recall = average_precision(scores_, hits_, truths)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    best = int(f1.argmax())
    ranked = np.sort(-scores_)
    at = {}
    for threshold in (0.2, 0.25, 0.3, 0.35, 0.4, 0.5):
        n = int((scores_ > threshold).sum())
        at[str(threshold)] = (
            [round(float(precision[n - 1]), 3), round(float(recall[n - 1]), 3)] if n else [0, 0]
        )
    return {
        "ap50": round(ap, 4),
        "boxes": truths,
        "best_f1": round(float(f1[best]), 3),
        "best_threshold": round(float(-ranked[best]), 3),
        "precision_recall_at": at,
        "scenes_sha256": digest.hexdigest(),
    }


def score_photos(
    detector: Detector, folder: Path, threshold: float, distractors: int = 5
) -> list[dict]:
    """For each expected object: was it found, with which score and overlap.

    The prompt of a picture is its own phrases and those of the pictures after it, in order.
    """
    expected = json.loads((folder / "expected.json").read_text())
    files = sorted(expected)
    rows = []
    for number, file in enumerate(files):
        own = list(dict.fromkeys(item["phrase"] for item in expected[file]))
        prompt = list(own)
        for step in range(1, len(files)):
            for item in expected[files[(number + step) % len(files)]]:
                if item["phrase"] not in prompt and len(prompt) < len(own) + distractors:
                    prompt.append(item["phrase"])
        image = cv2.cvtColor(cv2.imread(str(folder / file)), cv2.COLOR_BGR2RGB)
        canvas, scale, left, top = letterbox(image)
        found = detector.detect(canvas, prompt)
        for item in expected[file]:
            x, y, w, h = item["box"]
            real = np.array([[x, y, x + w, y + h]]) * scale + [left, top, left, top]
            same = [
                f
                for f in found
                if f.phrase == item["phrase"] and iou(f.box[None], real)[0, 0] >= 0.5
            ]
            best = max(same, key=lambda f: f.score, default=None)
            placed = [f for f in found if iou(f.box[None], real)[0, 0] >= 0.5]
            top_one = max(placed, key=lambda f: f.score, default=None)
            wrong = [f for f in found if f.phrase not in own and f.score > threshold]
            rows.append(
                {
                    "file": file,
                    "phrase": item["phrase"],
                    "found": bool(best and best.score > threshold),
                    "score": round(best.score, 3) if best else 0.0,
                    "called": top_one.phrase if top_one else None,
                    "false_alarms": len(wrong),
                }
            )
    return rows


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", type=Path, help="checkpoint folder, e.g. models/default")
    parser.add_argument("--assets", type=Path, help="cache of gdino.training.assets, for scenes")
    parser.add_argument(
        "--recipe", type=Path, default=Path(__file__).parent / "recipe.json", help="scenes to make"
    )
    parser.add_argument("--scenes", type=int, help="use the first so many scenes of the recipe")
    parser.add_argument("--photos", type=Path, help="folder with pictures and expected.json")
    parser.add_argument(
        "--threshold", type=float, default=0.35, help="score of a find in photographs"
    )
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of the network (default: 2)"
    )
    parser.add_argument("--json", type=Path, help="write the results here, too")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    detector = Detector.from_folder(options.checkpoint)
    results: dict = {}
    if options.assets:
        composer = Composer(asset_module.load(options.assets), unseen=True)
        results["scenes"] = score_scenes(
            detector, json.loads(options.recipe.read_text()), composer, options.scenes
        )
        print(json.dumps(results["scenes"], indent=1))
    if options.photos:
        rows = score_photos(detector, options.photos, options.threshold)
        for row in rows:
            print(
                f"{row['file']:28} {row['phrase']:16} "
                f"{'found' if row['found'] else 'MISSED':6} {row['score']:.2f}"
                f"  best name there: {row['called']}, false alarms: {row['false_alarms']}"
            )
        results["photos"] = {
            "found": sum(r["found"] for r in rows),
            "objects": len(rows),
            "rows": rows,
        }
        print(f"photographs: {results['photos']['found']} of {len(rows)} objects found")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
