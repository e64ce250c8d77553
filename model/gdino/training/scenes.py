# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Scenes composed on the fly: cut-outs pasted over photographs, and photographs with boxes."""

from dataclasses import dataclass, field

import cv2
import numpy as np

from .assets import Assets
from .names import head

WIDTH, HEIGHT = 448, 256
PAD = (124, 116, 104)
SOURCE_WEIGHT = {"stamp": 3.0, "drawing": 1.0, "emoji": 0.8, "clipart": 0.7}
ASPECTS = (4 / 3, 3 / 2, 1.0, 2.2, 3 / 4)
# Stamps kept away from training, for the demo clip.
HELD_OUT = {
    "food/fruit/apple_red",
    "food/fruit/banana",
    "food/fruit/strawberry",
    "sports/soccer",
    "vehicles/emergency/firetruck",
}


@dataclass
class Scene:
    """RGB uint8 [256, 448, 3], boxes float32 [n, 4] (x0 y0 x1 y1 in pixels), phrases of each.

    natural: whether the object comes from a photograph.
    """

    image: np.ndarray
    boxes: np.ndarray
    objects: list[list[str]]
    natural: list[bool] = field(default_factory=list)


class Composer:
    """Makes scenes; everything random comes from the generator passed in."""

    def __init__(self, assets: Assets, unseen: bool = False) -> None:
        self.cutouts = [c for c in assets.cutouts if c.path not in HELD_OUT]
        self.backgrounds = assets.unseen_backgrounds if unseen else assets.backgrounds
        self.photos = [] if unseen else assets.photos
        count: dict[str, int] = {}
        for item in self.cutouts:
            count[item.phrases[0]] = count.get(item.phrases[0], 0) + 1
        weight = np.array(
            [SOURCE_WEIGHT[c.source] / count[c.phrases[0]] ** 0.6 for c in self.cutouts]
        )
        self.cumulative = np.cumsum(weight / weight.sum())

    def pick(self, rng: np.random.Generator) -> int:
        """Index of a cut-out; kinds with many pictures come up less than in proportion."""
        return min(int(np.searchsorted(self.cumulative, rng.random())), len(self.cutouts) - 1)

    def scene(self, rng: np.random.Generator, photo_share: float = 0.15) -> Scene:
        """One scene."""
        image = np.empty((HEIGHT, WIDTH, 3), np.uint8)
        image[:] = PAD
        x, y, w, h = frame(rng)
        boxes: list[list[float]] = []
        objects: list[list[str]] = []
        natural: list[bool] = []
        area = image[y : y + h, x : x + w]
        wanted = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.22, 0.2, 0.2, 0.16, 0.12, 0.1]))
        if self.photos and rng.random() < photo_share:
            boxes, objects = self.mosaic(rng, area)
            wanted = int(rng.choice([0, 1, 2], p=[0.6, 0.25, 0.15]))
            natural = [True] * len(boxes)
        else:
            area[:] = self.background(rng, w, h)
        for _ in range(wanted):
            item = self.cutouts[self.pick(rng)]
            box = self.paste(rng, area, item.pixels, boxes, wanted)
            if box is not None:
                boxes.append(box)
                objects.append(item.phrases)
                natural.append(item.source == "stamp")
        finish(rng, area)
        array = np.array(boxes, np.float32).reshape(-1, 4) + np.array([x, y, x, y], np.float32)
        return Scene(image, array, objects, natural)

    def mosaic(
        self, rng: np.random.Generator, area: np.ndarray
    ) -> tuple[list[list[float]], list[list[str]]]:
        """Fill `area` with one photograph, or with two or four side by side; boxes and phrases."""
        height, width = area.shape[:2]
        across, down = ((1, 1), (2, 1), (2, 2))[rng.choice(3, p=[0.5, 0.25, 0.25])]
        boxes: list[list[float]] = []
        objects: list[list[str]] = []
        w, h = width // across, height // down
        for place in range(across * down):
            x, y = place % across * w, place // across * h
            picture, known = self.photos[rng.integers(len(self.photos))]
            view, found, names = photo_view(rng, picture, known, w, h)
            area[y : y + h, x : x + w] = view
            boxes += [[b[0] + x, b[1] + y, b[2] + x, b[3] + y] for b in found]
            objects += names
        return boxes, objects

    def background(self, rng: np.random.Generator, w: int, h: int) -> np.ndarray:
        """A random part of a photograph, or now and then a smooth gradient; RGB uint8 [h, w, 3]."""
        if rng.random() < 0.08:
            corners = rng.integers(0, 256, (2, 2, 3)).astype(np.uint8)
            return cv2.resize(corners, (w, h), interpolation=cv2.INTER_LINEAR)
        picture = self.backgrounds[rng.integers(len(self.backgrounds))]
        return np.ascontiguousarray(jitter(rng, random_part(rng, picture, w, h), 0.25))

    def paste(
        self,
        rng: np.random.Generator,
        area: np.ndarray,
        pixels: np.ndarray,
        boxes: list[list[float]],
        wanted: int,
    ) -> list[float] | None:
        """Paste a cut-out into `area`; returns its visible box, or None where there was no room."""
        pixels = warp(rng, pixels)
        tall, wide = pixels.shape[:2]
        height, width = area.shape[:2]
        largest = {0: 0.8, 1: 1.15, 2: 0.9, 3: 0.75}.get(wanted, 0.6)
        low = 0.45 if wanted == 1 and rng.random() < 0.5 else 0.13
        for _ in range(6):
            share = float(np.exp(rng.uniform(np.log(low), np.log(largest))))
            scale = share * min(height / tall, 1.25 * width / wide)
            w, h = max(8, round(wide * scale)), max(8, round(tall * scale))
            out = 0.2 if rng.random() < 0.25 else 0.0
            x = (
                int(rng.integers(-int(out * w), max(1, width - w + int(out * w)) + 1))
                if w < width
                else (width - w) // 2
            )
            y = (
                int(rng.integers(-int(out * h), max(1, height - h + int(out * h)) + 1))
                if h < height
                else (height - h) // 2
            )
            x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, width), min(y + h, height)
            if x1 - x0 < 6 or y1 - y0 < 6:
                continue
            if all(cover([x0, y0, x1, y1], other) < 0.35 for other in boxes):
                break
        else:
            return None
        shrink = w < wide
        small = cv2.resize(
            pixels, (w, h), interpolation=cv2.INTER_AREA if shrink else cv2.INTER_LINEAR
        )
        small = small[y0 - y : y1 - y, x0 - x : x1 - x]
        alpha = small[:, :, 3:].astype(np.float32) * (1 / 255)
        color = jitter(rng, small[:, :, :3], 0.35)
        if rng.random() < 0.25:
            shadow(rng, area, alpha, x0, y0)
        region = area[y0:y1, x0:x1]
        blended = region + (color.astype(np.float32) - region) * alpha
        area[y0:y1, x0:x1] = blended.astype(np.uint8)
        solid = alpha[:, :, 0] > 0.3
        rows, columns = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
        if len(rows) < 5 or len(columns) < 5:
            return None
        return [x0 + columns[0], y0 + rows[0], x0 + columns[-1] + 1, y0 + rows[-1] + 1]


def frame(rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Where the picture lies on the canvas: all of it, or letterboxed to another aspect."""
    if rng.random() < 0.65:
        return 0, 0, WIDTH, HEIGHT
    aspect = ASPECTS[rng.integers(len(ASPECTS))]
    scale = min(WIDTH / aspect, HEIGHT)
    w, h = min(WIDTH, round(scale * aspect)), min(HEIGHT, round(scale))
    return (WIDTH - w) // 2, (HEIGHT - h) // 2, w, h


def cover(a: list[float], b: list[float]) -> float:
    """Shared area over the smaller area of two boxes x0 y0 x1 y1."""
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    smaller = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return w * h / max(smaller, 1e-6)


def random_part(rng: np.random.Generator, picture: np.ndarray, w: int, h: int) -> np.ndarray:
    """A random part of the picture with the aspect w:h, scaled to w x h, perhaps mirrored."""
    tall, wide = picture.shape[:2]
    part = rng.uniform(0.35, 1.0)
    scale = min(wide / w, tall / h) * part
    cw, ch = max(2, int(w * scale)), max(2, int(h * scale))
    x, y = int(rng.integers(0, wide - cw + 1)), int(rng.integers(0, tall - ch + 1))
    view = cv2.resize(picture[y : y + ch, x : x + cw], (w, h), interpolation=cv2.INTER_LINEAR)
    return view[:, ::-1] if rng.random() < 0.5 else view


def photo_view(rng: np.random.Generator, picture: np.ndarray, known: list, w: int, h: int) -> tuple:
    """A view of a photograph that keeps its objects: RGB [h, w, 3], boxes in pixels, phrases."""
    tall, wide = picture.shape[:2]
    boxes = np.array([box for _, box in known], np.float32) * [wide, tall, wide, tall]
    keep = boxes[rng.integers(len(boxes))]
    sides = [keep[2] - keep[0], keep[3] - keep[1]]
    margin = rng.uniform(0.0, 0.6, 4) * np.array(sides * 2)
    x0, y0 = max(0, keep[0] - margin[0]), max(0, keep[1] - margin[1])
    x1, y1 = min(wide, keep[2] + margin[2]), min(tall, keep[3] + margin[3])
    if rng.random() < 0.3:
        x0, y0, x1, y1 = 0, 0, wide, tall
    # Fit into w x h with some stretch; what is left over shows more of the picture where there is.
    aspect = (w / h) * rng.uniform(0.8, 1.25)
    if (x1 - x0) / (y1 - y0) < aspect:
        grow = aspect * (y1 - y0) - (x1 - x0)
        x0, x1 = max(0, x0 - grow / 2), min(wide, x1 + grow / 2)
    else:
        grow = (x1 - x0) / aspect - (y1 - y0)
        y0, y1 = max(0, y0 - grow / 2), min(tall, y1 + grow / 2)
    x0, y0, x1, y1 = int(x0), int(y0), int(np.ceil(x1)), int(np.ceil(y1))
    scale = min(w / (x1 - x0) * 1.2, h / (y1 - y0) * 1.2)
    vw, vh = min(w, max(2, round((x1 - x0) * scale))), min(h, max(2, round((y1 - y0) * scale)))
    view = np.empty((h, w, 3), np.uint8)
    view[:] = PAD
    px, py = (w - vw) // 2, (h - vh) // 2
    shrink = vw < x1 - x0
    part = cv2.resize(
        picture[y0:y1, x0:x1],
        (vw, vh),
        interpolation=cv2.INTER_AREA if shrink else cv2.INTER_LINEAR,
    )
    moved = (boxes - np.array([x0, y0, x0, y0])) * np.array([vw / (x1 - x0), vh / (y1 - y0)] * 2)
    moved[:, 0::2] = moved[:, 0::2].clip(0, vw)
    moved[:, 1::2] = moved[:, 1::2].clip(0, vh)
    if rng.random() < 0.5:
        part = part[:, ::-1]
        moved[:, [0, 2]] = vw - moved[:, [2, 0]]
    view[py : py + vh, px : px + vw] = jitter(rng, part, 0.3)
    found, phrases = [], []
    for (names, _), box in zip(known, moved, strict=True):
        if box[2] - box[0] > 6 and box[3] - box[1] > 6:
            found.append([box[0] + px, box[1] + py, box[2] + px, box[3] + py])
            phrases.append(names)
    return view, found, phrases


def warp(rng: np.random.Generator, pixels: np.ndarray) -> np.ndarray:
    """Mirror, turn and stretch a cut-out; RGBA in and out."""
    if rng.random() < 0.5:
        pixels = pixels[:, ::-1]
    if rng.random() < 0.35:
        tall, wide = pixels.shape[:2]
        angle = float(rng.normal(0, 14)) if rng.random() < 0.85 else float(rng.uniform(-180, 180))
        matrix = cv2.getRotationMatrix2D((wide / 2, tall / 2), angle, 1.0)
        cos, sin = abs(matrix[0, 0]), abs(matrix[0, 1])
        w, h = int(tall * sin + wide * cos), int(tall * cos + wide * sin)
        matrix[:, 2] += [w / 2 - wide / 2, h / 2 - tall / 2]
        pixels = cv2.warpAffine(np.ascontiguousarray(pixels), matrix, (w, h))
        solid = pixels[:, :, 3] > 60
        rows, columns = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
        if len(rows) and len(columns):
            pixels = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    if rng.random() < 0.3:
        factor = float(np.exp(rng.normal(0, 0.12)))
        pixels = cv2.resize(np.ascontiguousarray(pixels), None, fx=factor, fy=1.0)
    return np.ascontiguousarray(pixels)


def jitter(rng: np.random.Generator, image: np.ndarray, strength: float) -> np.ndarray:
    """Change brightness, contrast and the balance of the channels of RGB uint8."""
    if rng.random() < 0.25:
        return image
    gain = 1 + rng.uniform(-strength, strength) + rng.uniform(-0.3, 0.3, 3) * strength
    shift = rng.uniform(-80, 80) * strength
    ramp = np.arange(256, dtype=np.float32)[:, None]
    table = np.clip((ramp - 128) * gain + 128 + shift, 0, 255).astype(np.uint8)
    return cv2.LUT(np.ascontiguousarray(image), table[None])


def shadow(rng: np.random.Generator, area: np.ndarray, alpha: np.ndarray, x: int, y: int) -> None:
    """Darken what lies beside the object."""
    height, width = area.shape[:2]
    dx, dy = int(rng.integers(-8, 9)), int(rng.integers(0, 9))
    tall, wide = alpha.shape[:2]
    x0, y0 = max(0, x + dx), max(0, y + dy)
    x1, y1 = min(width, x + dx + wide), min(height, y + dy + tall)
    if x1 <= x0 or y1 <= y0:
        return
    soft = cv2.blur(alpha[:, :, 0], (7, 7))[
        y0 - y - dy : y1 - y - dy, x0 - x - dx : x1 - x - dx, None
    ]
    region = area[y0:y1, x0:x1]
    area[y0:y1, x0:x1] = (region * (1 - float(rng.uniform(0.2, 0.6)) * soft)).astype(np.uint8)


def finish(rng: np.random.Generator, area: np.ndarray) -> None:
    """Flaws of a camera on the whole picture, in place."""
    if rng.random() < 0.3:
        area[:] = jitter(rng, area, 0.3)
    if rng.random() < 0.2:
        area[:] = cv2.GaussianBlur(area, (0, 0), float(rng.uniform(0.4, 1.6)))
    if rng.random() < 0.25:
        noise = rng.integers(-12, 13, (64, 64, 3), dtype=np.int16)
        tall, wide = area.shape[:2]
        tiled = np.tile(noise, (tall // 64 + 1, wide // 64 + 1, 1))[:tall, :wide]
        area[:] = np.clip(area + tiled, 0, 255).astype(np.uint8)
    if rng.random() < 0.25:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 90))]
        area[:] = cv2.imdecode(cv2.imencode(".jpg", area, quality)[1], cv2.IMREAD_COLOR)
    if rng.random() < 0.03:
        area[:] = cv2.cvtColor(area, cv2.COLOR_RGB2GRAY)[:, :, None]


def choose_prompt(
    rng: np.random.Generator,
    objects: list[list[str]],
    vocabulary: list[str],
    largest: int = 8,
    name_share: float = 0.55,
) -> list[str]:
    """Phrases of a prompt: some that are present, the rest absent, in random order.

    An absent phrase is one no object answers to. Where an object is known by its plain name only
    (an apple), a closer name of the same head (red apple) is neither: it is not used.
    """
    chosen: list[str] = []
    present = {phrase for names in objects for phrase in names}
    plain = {names[0] for names in objects}
    for names in objects:
        if rng.random() < 0.85 and len(chosen) < largest - 1:
            phrase = names[0] if rng.random() < name_share else names[rng.integers(len(names))]
            if phrase not in chosen:
                chosen.append(phrase)
    size = int(rng.integers(max(1, len(chosen)), largest + 1))
    for _ in range(40):
        if len(chosen) >= size:
            break
        phrase = vocabulary[rng.integers(len(vocabulary))]
        if phrase in present or phrase in chosen or head(phrase) in plain:
            continue
        chosen.append(phrase)
    rng.shuffle(chosen)
    return chosen
