# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Cut-outs with names and photographs, read from Debian packages and kept in one cache file.

The packages are tuxpaint-stamps-default, openclipart-png, fonts-noto-color-emoji (cut-outs),
gnome-backgrounds, mate-backgrounds, plasma-workspace-wallpapers, lomiri-wallpapers-16.04,
lomiri-wallpapers-20.04, gcompris-qt-data, opencv-doc (photographs), and librsvg2-bin for drawings.
"""

import argparse
import pickle
import subprocess
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from tqdm import tqdm

from . import names
from .photos import TRAINING_PHOTOS, backgrounds, load_training_photos

SHARE = Path("/usr/share")
STAMPS = SHARE / "tuxpaint/stamps"
CLIPART = SHARE / "openclipart/png"
EMOJI = SHARE / "fonts/truetype/noto/NotoColorEmoji.ttf"
SIZE = 256

SKIP_STAMPS = (
    "symbols/",
    "town/roadsigns",
    "town/flags",
    "seasonal/hanukkah/dreydl-",
    "military/",
    "town/cartoon/docks",
    "sports/cartoon/football_helmet",
    "seasonal/newyears/confetti",
    "vehicles/emergency/sedan_police",
    "clothes/top_skirt",
    "household/arttools/painttube",
    "town/houses/cartoon/city",
    "animals/insects/cartoon/wings",
    "medical/",
)
KEEP_STAMPS = (
    "symbols/clock",
    "symbols/music",
    "military/vehicles/f22",
    "military/vehicles/mustang",
)
FAMILIES = [  # folder of a stamp -> phrase its objects answer to as well
    ("animals/birds", "bird"),
    ("animals/fish", "fish"),
    ("animals/insects", "insect"),
    ("animals/mammals/dogs/dog", "dog"),
    ("plants/flowers", "flower"),
    ("plants/trees", "tree"),
    ("plants/mushrooms", "mushroom"),
    ("food/fruit", "fruit"),
    ("food/vegetables", "vegetable"),
    ("vehicles/auto", "car"),
    ("clothes/hats", "hat"),
    ("vehicles/ship", "boat"),
    ("vehicles/race", "car"),
    ("hobbies/music", "musical instrument"),
    ("animals", "animal"),
]
NOT_FAMILY = {
    "fish": {"lobster", "shrimp", "seahorse"},
    "insect": {"brown slug", "woodlouse", "snail", "spider", "spider computer", "spider football"},
    "car": {"pickup truck"},
    "hat": {"crown"},
    "tree": {"pinecone", "holly leaves"},
}

# Emoji in use: objects one can see, no faces, hands, signs. Code ranges and their family.
EMOJI_RANGES = [
    (0x1F30D, 0x1F30F, ()),
    (0x1F332, 0x1F335, ("tree",)),
    (0x1F337, 0x1F33C, ("flower",)),
    (0x1F33D, 0x1F33D, ("vegetable",)),
    (0x1F344, 0x1F344, ()),
    (0x1F345, 0x1F345, ("vegetable",)),
    (0x1F346, 0x1F346, ("vegetable",)),
    (0x1F347, 0x1F353, ("fruit",)),
    (0x1F354, 0x1F37F, ()),
    (0x1F380, 0x1F385, ()),
    (0x1F388, 0x1F389, ()),
    (0x1F392, 0x1F393, ()),
    (0x1F399, 0x1F399, ()),
    (0x1F3A0, 0x1F3A1, ()),
    (0x1F3A9, 0x1F3A9, ("hat",)),
    (0x1F3B7, 0x1F3BB, ("musical instrument",)),
    (0x1F3BE, 0x1F3C1, ()),
    (0x1F3C6, 0x1F3C9, ()),
    (0x1F3CD, 0x1F3D0, ()),
    (0x1F3E0, 0x1F3E0, ()),
    (0x1F3F0, 0x1F3F0, ()),
    (0x1F3F9, 0x1F3FA, ()),
    (0x1F400, 0x1F412, ("animal",)),
    (0x1F413, 0x1F414, ("bird", "animal")),
    (0x1F415, 0x1F418, ("animal",)),
    (0x1F419, 0x1F419, ("animal",)),
    (0x1F41A, 0x1F41A, ()),
    (0x1F41B, 0x1F41E, ("insect", "animal")),
    (0x1F41F, 0x1F421, ("fish", "animal")),
    (0x1F422, 0x1F422, ("animal",)),
    (0x1F423, 0x1F427, ("bird", "animal")),
    (0x1F428, 0x1F42C, ("animal",)),
    (0x1F433, 0x1F433, ("animal",)),
    (0x1F43F, 0x1F43F, ("animal",)),
    (0x1F451, 0x1F462, ()),
    (0x1F4A1, 0x1F4A1, ()),
    (0x1F4B0, 0x1F4B0, ()),
    (0x1F4BA, 0x1F4BB, ()),
    (0x1F4D5, 0x1F4D5, ()),
    (0x1F4E6, 0x1F4E6, ()),
    (0x1F4F7, 0x1F4FB, ()),
    (0x1F50B, 0x1F50B, ()),
    (0x1F511, 0x1F512, ()),
    (0x1F525, 0x1F529, ()),
    (0x1F52C, 0x1F52D, ()),
    (0x1F54A, 0x1F54A, ("bird", "animal")),
    (0x1F577, 0x1F577, ("animal",)),
    (0x1F680, 0x1F687, ()),
    (0x1F68B, 0x1F692, ()),
    (0x1F693, 0x1F699, ()),
    (0x1F69A, 0x1F69C, ()),
    (0x1F6B2, 0x1F6B2, ()),
    (0x1F6C1, 0x1F6C1, ()),
    (0x1F6E9, 0x1F6E9, ()),
    (0x1F6F4, 0x1F6F5, ()),
    (0x1F951, 0x1F955, ("vegetable",)),
    (0x1F956, 0x1F95C, ()),
    (0x1F95D, 0x1F95D, ("fruit",)),
    (0x1F95E, 0x1F95F, ()),
    (0x1F968, 0x1F969, ()),
    (0x1F96D, 0x1F96D, ("fruit",)),
    (0x1F980, 0x1F982, ("animal",)),
    (0x1F983, 0x1F983, ("bird", "animal")),
    (0x1F985, 0x1F986, ("bird", "animal")),
    (0x1F987, 0x1F988, ("animal",)),
    (0x1F989, 0x1F989, ("bird", "animal")),
    (0x1F98B, 0x1F98B, ("insect", "animal")),
    (0x1F98D, 0x1F98F, ("animal",)),
    (0x1F990, 0x1F991, ("animal",)),
    (0x1F992, 0x1F996, ("animal",)),
    (0x1F997, 0x1F997, ("insect", "animal")),
    (0x1F998, 0x1F999, ("animal",)),
    (0x1F99A, 0x1F99C, ()),
    (0x1F99D, 0x1F99E, ("animal",)),
    (0x1F9A5, 0x1F9A9, ("animal",)),
    (0x1F9C1, 0x1F9C1, ()),
    (0x1F9E6, 0x1F9E6, ()),
    (0x1F9F2, 0x1F9F2, ()),
    (0x1F9F8, 0x1F9F9, ()),
    (0x1FA91, 0x1FA91, ()),
]
SKIP_EMOJI = {
    "love hotel",
    "bust in silhouette",
    "kimono",
    "footprints",
    "cooked rice",
    "key",
    "baby bottle",
    "television",
    "collision symbol",
    "tractor trailer",
    "japanese doll",
}
CLIPART_FOLDERS = (
    "animals",
    "food",
    "transportation",
    "tools",
    "electronics",
    "office/furniture",
    "plants",
    "recreation/music",
    "recreation/sports",
    "containers",
    "buildings",
    "education",
    "recreation/toys",
    "computer/hardware",
    "people/clothing",
)


@dataclass
class Cutout:
    """One object: RGBA uint8 [h, w, 4] trimmed to what is visible, and its phrases."""

    pixels: np.ndarray
    phrases: list[str]
    source: str  # "stamp", "drawing", "emoji", "clipart"
    path: str


@dataclass
class Assets:
    """All training material. `photos` are (RGB uint8 [h, w, 3], list of (phrases, box xyxy))."""

    cutouts: list[Cutout] = field(default_factory=list)
    backgrounds: list[np.ndarray] = field(default_factory=list)
    unseen_backgrounds: list[np.ndarray] = field(default_factory=list)
    photos: list[tuple[np.ndarray, list[tuple[list[str], list[float]]]]] = field(
        default_factory=list
    )


def trim(pixels: np.ndarray, size: int = SIZE) -> np.ndarray | None:
    """Crop RGBA to what is visible, shrunk to at most `size`; None where that is nothing."""
    solid = pixels[:, :, 3] > 40
    rows, columns = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
    if len(rows) < 12 or len(columns) < 12:
        return None
    pixels = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = size / max(pixels.shape[:2])
    if scale < 1:
        pixels = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(pixels)


def read_picture(path: Path) -> np.ndarray | None:
    """RGBA uint8 of a PNG or SVG file, or None where it cannot be read."""
    if path.suffix in (".svg", ".svgz"):
        command = ["rsvg-convert", "-w", str(SIZE), "-h", str(SIZE), "-a", str(path)]
        made = subprocess.run(command, capture_output=True, check=False)
        if made.returncode:
            return None
        raw = np.frombuffer(made.stdout, np.uint8)
        image = cv2.imdecode(raw, cv2.IMREAD_UNCHANGED)
    else:
        image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if image is None or image.ndim != 3 or image.shape[2] != 4:
        return None
    if image.dtype != np.uint8:
        image = (image >> 8).astype(np.uint8)
    return cv2.cvtColor(image, cv2.COLOR_BGRA2RGBA)


def load_stamps() -> list[Cutout]:
    """Stamps of Tux Paint: photographs (PNG outside cartoon folders) and drawings."""
    found = []
    for text in tqdm(sorted(STAMPS.rglob("*.txt")), desc="stamps"):
        short = str(text.relative_to(STAMPS).with_suffix(""))
        if short.startswith(SKIP_STAMPS) and not short.startswith(KEEP_STAMPS):
            continue
        if "symbols/music" in short:
            continue
        name = names.from_description(text.read_text(errors="replace").splitlines()[0], text.stem)
        extra = [
            family
            for folder, family in FAMILIES
            if short.startswith(folder) and name not in NOT_FAMILY.get(family, ())
        ]
        if name in names.DROP:
            continue
        for suffix in (".png", ".svg"):
            path = text.with_suffix(suffix)
            image = read_picture(path) if path.exists() else None
            image = None if image is None else trim(image)
            if image is None:
                continue
            drawn = suffix == ".svg" or "cartoon" in short
            found.append(
                Cutout(image, names.phrases(name, extra), "drawing" if drawn else "stamp", short)
            )
    return found


def load_emoji() -> list[Cutout]:
    """Colour emoji of objects."""
    font = ImageFont.truetype(str(EMOJI), 109)
    found = []
    for first, last, family in tqdm(EMOJI_RANGES, desc="emoji"):
        for code in range(first, last + 1):
            name = unicodedata.name(chr(code), "").lower()
            name = (
                name.replace(" face", "").replace("electric light", "light").replace(" symbol", "")
            )
            name = names.RENAME.get(name, name)
            if not name or name in SKIP_EMOJI or name in names.DROP or len(name.split()) > 3:
                continue
            canvas = Image.new("RGBA", (150, 150), (0, 0, 0, 0))
            ImageDraw.Draw(canvas).text((6, 10), chr(code), font=font, embedded_color=True)
            image = trim(np.asarray(canvas).copy())
            if image is not None:
                found.append(
                    Cutout(image, names.phrases(name, list(family)), "emoji", f"U+{code:X}")
                )
    return found


def load_clipart(known: list[Cutout], per_name: int = 6) -> list[Cutout]:
    """Further drawings of kinds that are known already; the kind is read off the file name."""
    table = {}
    for item in known:
        table.setdefault(item.phrases[0], item.phrases)
    for item in known:
        head = names.head(item.phrases[0])
        if head not in table:
            table[head] = [head] + [
                p
                for p in item.phrases[1:]
                if p in names.ALSO.get(head, []) or p in {f for _, f in FAMILIES}
            ]
    for name in ["animal", "red", "eye", *names.DROP]:
        table.pop(name, None)
    counts: dict[str, int] = {}
    found = []
    files = [
        path for folder in CLIPART_FOLDERS for path in sorted((CLIPART / folder).rglob("*.png"))
    ]
    for path in tqdm(files, desc="clip art"):
        words = names.from_stem(path.stem).split()
        name = None
        for length in (3, 2, 1):
            for start in range(0, max(0, min(len(words), 4) - length + 1)):
                phrase = " ".join(words[start : start + length])
                if name is None and phrase in table and len(phrase) > 2:
                    name = phrase
        if name is None or counts.get(name, 0) >= per_name:
            continue
        image = read_picture(path)
        image = None if image is None else trim(image)
        if image is None:
            continue
        counts[name] = counts.get(name, 0) + 1
        found.append(Cutout(image, table[name], "clipart", str(path.relative_to(CLIPART))))
    return found


def build() -> Assets:
    """Read everything; takes about two minutes."""
    assets = Assets()
    assets.cutouts = load_stamps() + load_emoji()
    assets.cutouts += load_clipart(assets.cutouts)
    assets.backgrounds, assets.unseen_backgrounds = backgrounds()
    assets.photos = load_training_photos(TRAINING_PHOTOS)
    return assets


def load(path: Path) -> Assets:
    """Read the cache written by this module's command."""
    with open(path, "rb") as stream:
        raw = pickle.load(stream)
    return Assets(
        [Cutout(*item) for item in raw["cutouts"]],
        raw["backgrounds"],
        raw["unseen_backgrounds"],
        raw["photos"],
    )


def save(assets: Assets, path: Path) -> None:
    """Write the cache as plain lists."""
    raw = {
        "cutouts": [(c.pixels, c.phrases, c.source, c.path) for c in assets.cutouts],
        "backgrounds": assets.backgrounds,
        "unseen_backgrounds": assets.unseen_backgrounds,
        "photos": assets.photos,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as stream:
        pickle.dump(raw, stream, protocol=4)


def main() -> None:
    """Command line: write the cache."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="cache file to write")
    options = parser.parse_args()
    assets = build()
    save(assets, options.output)
    kinds = {item.phrases[0] for item in assets.cutouts}
    print(
        f"{options.output}: {len(assets.cutouts)} cut-outs of {len(kinds)} names, "
        f"{len(assets.backgrounds)} + {len(assets.unseen_backgrounds)} backgrounds, "
        f"{len(assets.photos)} photographs with boxes"
    )


if __name__ == "__main__":
    main()
