# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Photographs: backgrounds without named objects, and photographs with boxes drawn by hand.

Photographs of the tests (tests/data/photos) and of the demo clip are not in these lists.
"""

from pathlib import Path

import cv2
import numpy as np

from .rcc import read_rcc

SHARE = Path("/usr/share")
GCOMPRIS = SHARE / "gcompris-qt/rcc"
OPENCV = SHARE / "doc/opencv-doc/examples/data"
LONGEST = 960

ANIMAL = ["animal"]
BIRD = ["bird", "animal"]
FISH = ["fish", "animal"]
# Resource, file -> objects: (phrases, box x0 y0 x1 y1 as fractions of the picture).
ERASE = {
    "alpaca": [(["alpaca"] + ANIMAL, (0.06, 0.09, 0.92, 1.0))],
    "bee": [(["bee", "insect"] + ANIMAL, (0.09, 0.38, 0.34, 0.72))],
    "butterfly": [
        (["butterfly", "insect"] + ANIMAL, (0.25, 0.27, 0.74, 0.93)),
        (["flower"], (0.04, 0.26, 0.24, 0.65)),
    ],
    "calf": [(["calf", "cow"] + ANIMAL, (0.15, 0.0, 1.0, 1.0))],
    "camels": [
        (["camel"] + ANIMAL, (0.05, 0.38, 0.32, 0.84)),
        (["camel"] + ANIMAL, (0.33, 0.10, 0.95, 0.85)),
    ],
    "caterpillar": [(["caterpillar", "insect"] + ANIMAL, (0.03, 0.28, 0.57, 0.62))],
    "chamaeleon": [(["chameleon", "lizard"] + ANIMAL, (0.11, 0.20, 0.88, 0.80))],
    "cheetah": [(["cheetah"] + ANIMAL, (0.33, 0.04, 0.93, 0.78))],
    "crab": [(["crab"] + ANIMAL, (0.04, 0.24, 0.95, 0.82))],
    "dolphin": [(["dolphin"] + ANIMAL, (0.34, 0.12, 0.60, 0.80))],
    "flying_fox": [(["bat"] + ANIMAL, (0.45, 0.03, 0.80, 0.93))],
    "gibbon": [(["gibbon", "ape"] + ANIMAL, (0.36, 0.0, 0.66, 0.92))],
    "giraffe": [(["giraffe"] + ANIMAL, (0.0, 0.05, 0.96, 1.0))],
    "goat": [(["goat"] + ANIMAL, (0.17, 0.10, 0.88, 0.95))],
    "gorilla": [(["gorilla", "ape"] + ANIMAL, (0.19, 0.02, 0.81, 0.95))],
    "gosling": [(["gosling", "chick"] + BIRD, (0.34, 0.08, 0.74, 0.92))],
    "heron": [(["heron"] + BIRD, (0.06, 0.07, 0.62, 0.87))],
    "horse": [(["horse"] + ANIMAL, (0.09, 0.08, 0.62, 0.97))],
    "kingfisher": [(["kingfisher"] + BIRD, (0.28, 0.10, 0.63, 0.90))],
    "kitten": [(["kitten", "cat"] + ANIMAL, (0.33, 0.18, 0.68, 0.85))],
    "long_nosed_monkey": [(["monkey"] + ANIMAL, (0.0, 0.05, 0.63, 1.0))],
    "macaque": [(["macaque", "monkey"] + ANIMAL, (0.48, 0.05, 1.0, 1.0))],
    "meerkats": [
        (["meerkat"] + ANIMAL, (0.29, 0.15, 0.47, 0.92)),
        (["meerkat"] + ANIMAL, (0.49, 0.10, 0.70, 0.97)),
        (["meerkat"] + ANIMAL, (0.71, 0.05, 0.90, 0.95)),
    ],
    "northern_harrier": [(["hawk"] + BIRD, (0.05, 0.08, 0.65, 0.68))],
    "nubian_ibex": [(["ibex", "goat"] + ANIMAL, (0.34, 0.06, 0.85, 0.97))],
    "penguin": [(["penguin"] + BIRD, (0.26, 0.06, 0.62, 0.95))],
    "pika": [(["pika"] + ANIMAL, (0.48, 0.10, 0.73, 0.68))],
    "red_panda": [(["red panda", "panda"] + ANIMAL, (0.28, 0.10, 1.0, 1.0))],
    "rhinoceros": [(["rhinoceros", "rhino"] + ANIMAL, (0.11, 0.14, 0.89, 0.92))],
    "spoonbills": [
        (["spoonbill"] + BIRD, (0.07, 0.10, 0.34, 0.75)),
        (["spoonbill"] + BIRD, (0.37, 0.27, 0.87, 0.75)),
    ],
    "squirrel": [(["squirrel"] + ANIMAL, (0.27, 0.15, 0.60, 0.80))],
    "swans": [
        (["swan"] + BIRD, (0.14, 0.25, 0.31, 0.65)),
        (["swan"] + BIRD, (0.72, 0.20, 0.90, 0.65)),
    ],
    "toucan": [(["toucan"] + BIRD, (0.04, 0.13, 0.41, 0.62))],
}
WORLD = {
    "chameleon": [(["chameleon", "lizard"] + ANIMAL, (0.19, 0.15, 0.82, 0.95))],
    "crocodile": [(["crocodile"] + ANIMAL, (0.06, 0.22, 0.90, 0.85))],
    "dragon": [(["lizard"] + ANIMAL, (0.06, 0.13, 0.88, 0.90))],
    "jaguar": [
        (["jaguar"] + ANIMAL, (0.15, 0.37, 0.48, 0.83)),
        (["jaguar"] + ANIMAL, (0.46, 0.28, 0.82, 0.83)),
    ],
    "moose": [(["moose", "deer"] + ANIMAL, (0.10, 0.14, 0.78, 0.95))],
}
FISHES = {
    "fish1": [(FISH, (0.13, 0.08, 0.95, 0.83))],
    "fish12": [(FISH, (0.17, 0.27, 0.82, 0.68))],
    "fish13": [(FISH, (0.05, 0.15, 0.90, 0.80))],
    "fish14": [(FISH, (0.20, 0.22, 0.85, 0.78))],
    "fish15": [(FISH, (0.23, 0.33, 0.80, 0.60))],
    "fish16": [(FISH, (0.09, 0.22, 0.93, 0.65))],
    "fish17": [(FISH, (0.05, 0.40, 0.93, 0.82))],
    "fish18": [(FISH, (0.06, 0.12, 0.94, 0.82))],
    "fish19": [(FISH, (0.14, 0.08, 0.95, 0.86))],
    "fish2": [(FISH, (0.16, 0.30, 0.90, 0.56))],
    "fish21": [(FISH, (0.20, 0.28, 0.88, 0.65))],
    "fish22": [(FISH, (0.07, 0.27, 0.94, 0.68))],
    "fish23": [(FISH, (0.24, 0.36, 0.78, 0.56))],
    "fish24": [(FISH, (0.20, 0.32, 0.80, 0.66))],
    "fish25": [(["goldfish"] + FISH, (0.02, 0.03, 0.98, 0.96))],
    "fish26": [(FISH, (0.19, 0.46, 0.90, 0.64))],
    "fish27": [(FISH, (0.18, 0.30, 0.92, 0.66))],
    "fish28": [(["pufferfish"] + FISH, (0.10, 0.33, 0.74, 0.85))],
    "fish3": [(FISH, (0.03, 0.28, 0.90, 0.64))],
    "fish4": [(FISH, (0.10, 0.14, 0.60, 0.55)), (FISH, (0.17, 0.45, 1.0, 0.82))],
    "fish6": [(FISH, (0.30, 0.05, 0.82, 1.0))],
    "fish8": [(FISH, (0.02, 0.12, 0.93, 0.90))],
    "fish9": [(["clownfish"] + FISH, (0.17, 0.10, 0.70, 0.46))],
}
MILL = ["windmill"]
WINDMILLS = {
    "windmill": [(MILL, (0.05, 0.0, 0.90, 0.90))],
    "windmill1": [(MILL, (0.05, 0.08, 0.80, 0.85))],
    "windmill11": [(MILL, (0.10, 0.08, 0.90, 0.80))],
    "windmill12": [(MILL, (0.30, 0.18, 0.75, 0.75))],
    "windmill13": [(MILL, (0.53, 0.0, 0.90, 0.70)), (MILL, (0.23, 0.45, 0.36, 0.68))],
    "windmill14": [(MILL, (0.20, 0.05, 0.90, 0.95))],
    "windmill15": [(MILL, (0.15, 0.13, 0.95, 0.88))],
    "windmill2": [(MILL, (0.03, 0.0, 0.80, 0.90))],
    "windmill3": [
        (MILL, (0.04, 0.22, 0.35, 0.72)),
        (MILL, (0.37, 0.40, 0.62, 0.77)),
        (MILL, (0.62, 0.45, 0.85, 0.78)),
    ],
    "windmill4": [(MILL, (0.25, 0.13, 0.70, 0.78))],
    "windmill5": [(MILL, (0.02, 0.03, 0.80, 0.83))],
    "windmill6": [(["wind turbine"], (0.28, 0.10, 0.80, 0.97))],
    "windmill7": [(MILL, (0.0, 0.0, 1.0, 0.98))],
    "windmill8": [(MILL, (0.30, 0.06, 0.72, 0.90))],
    "windmill9": [(MILL, (0.05, 0.05, 0.95, 0.90))],
}
# Objects on a plain ground: the box is found by the difference to the colour of the border.
PLAIN = {
    "tools/hammer1": ["hammer"],
    "tools/hammer2": ["hammer"],
    "tools/hammer5": ["hammer"],
    "tools/hammer6": ["hammer"],
    "tools/hammer7": ["hammer"],
    "tools/hammer8": ["hammer"],
    "tools/hammer9": ["hammer"],
    "tools/scissors1": ["scissors"],
    "tools/scissors3": ["scissors"],
    "tools/scissors4": ["scissors"],
    "tools/plier1": ["pliers"],
    "tools/plier2": ["pliers"],
    "tools/plier3": ["pliers"],
    "tools/cuttingTool": ["pliers"],
    "tools/screwDriver2": ["screwdriver"],
    "tools/screwDriver1": ["screwdriver"],
    "tools/screwDriver": ["screwdriver"],
    "tools/wrench": ["wrench"],
    "tools/wrench1": ["wrench"],
    "tools/measuringTape1": ["measuring tape"],
    "tools/measuringTape3": ["measuring tape"],
    "tools/measuringTape6": ["measuring tape"],
    "tools/multimeter1": ["multimeter"],
    "tools/multimeter2": ["multimeter"],
    "tools/spray": ["spray bottle", "bottle"],
    "others/baseball": ["baseball"],
    "others/volleyball": ["volleyball"],
    "others/plate": ["plate"],
    "others/pencil": ["pencil"],
    "others/cup": ["cup"],
    "others/buffetset": ["cup"],
    "others/chair": ["chair"],
    "others/bucket": ["bucket"],
    "others/weighingMachine": ["scale"],
    "others/bulb": ["light bulb"],
}
TRAINING_PHOTOS = [
    ("erase.rcc", "erase/resource/", ERASE),
    ("explore_world_animals.rcc", "resource/animals/", WORLD),
    ("categorization.rcc", "images/fishes/", FISHES),
    ("categorization.rcc", "images/renewable/", WINDMILLS),
]
UNSEEN = (
    "Dune.jpg",
    "Storm.jpg",
    "RainDrops.jpg",
    "EveningGlow",
    "picosdeeuropa",
    "greentock",
    "canyondeChelly",
    "fortSumter",
    "navajo",
    "dam3",
    "leuvenA",
    "Cascade",
    "aitzgorri",
    "pontduGard",
    "machuPicchu",
    "bentPyramid",
    "solar8",
    "BytheWater",
    "wood-l",
    "Silk",
)
NOT_BACKGROUND = (
    "friends",
    "Fossa",
    "Kleiber",
    "Dragonfly",
    "Wine",
    "Elephant",
    "LadyBird",
    "Yellow",
    "FreshFlower",
    "Garden",
    "TwoWings",
    "FlyingKonqui",
    "Ubuntu-Mate",
    "screenshot",
)


def shrink(image: np.ndarray, longest: int = LONGEST) -> np.ndarray:
    """RGB picture scaled down so that its longer side is at most `longest`."""
    scale = longest / max(image.shape[:2])
    if scale >= 1:
        return image
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def decode(raw: bytes) -> np.ndarray | None:
    """RGB uint8 of an encoded picture."""
    image = cv2.imdecode(np.frombuffer(raw, np.uint8), cv2.IMREAD_COLOR)
    return None if image is None else cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def plain_box(image: np.ndarray) -> tuple[float, float, float, float]:
    """Box (fractions) of what differs from the colour of the picture's border."""
    small = cv2.GaussianBlur(image, (5, 5), 0).astype(np.float32)
    border = np.concatenate(
        [
            small[:3].reshape(-1, 3),
            small[-3:].reshape(-1, 3),
            small[:, :3].reshape(-1, 3),
            small[:, -3:].reshape(-1, 3),
        ]
    )
    away = np.abs(small - np.median(border, 0)).max(2) > 48
    away = cv2.morphologyEx(away.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    rows, columns = np.flatnonzero(away.any(1)), np.flatnonzero(away.any(0))
    height, width = away.shape
    return columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height


def load_training_photos(table: list) -> list:
    """[(RGB uint8 [h, w, 3], [(phrases, [x0, y0, x1, y1] fractions)])] of the photographs."""
    found = []
    for resource, folder, pictures in table:
        for name, raw in read_rcc(GCOMPRIS / resource):
            stem = Path(name).stem
            if folder in name and name.endswith(".webp") and stem in pictures:
                image = decode(raw)
                if image is not None:
                    found.append(
                        (shrink(image, 640), [(list(p), list(b)) for p, b in pictures[stem]])
                    )
    for name, raw in read_rcc(GCOMPRIS / "categorization.rcc"):
        key = "/".join(Path(name).with_suffix("").parts[-2:])
        image = decode(raw) if key in PLAIN and name.endswith(".webp") else None
        if image is not None:
            found.append((image, [(PLAIN[key], list(plain_box(image)))]))
    return found


def backgrounds() -> tuple[list[np.ndarray], list[np.ndarray]]:
    """RGB pictures to paste on: for training, and the unseen ones of the evaluation."""
    pictures: list[tuple[str, np.ndarray]] = []
    files = sorted((SHARE / "backgrounds").rglob("*.jpg")) + sorted(
        (SHARE / "backgrounds").rglob("*.webp")
    )
    files += sorted((SHARE / "backgrounds").rglob("*.png"))
    for folder in sorted((SHARE / "wallpapers").iterdir()):
        sizes = sorted(
            (folder / "contents/images").glob("*.*"), key=lambda path: path.stat().st_size
        )
        files += sizes[-1:]
    files += [OPENCV / f"{stem}.jpg" for stem in ("aero1", "leuvenA", "home", "building", "board")]
    for path in files:
        if (
            path.is_symlink()
            or any(word in str(path) for word in NOT_BACKGROUND)
            or not path.exists()
        ):
            continue
        image = cv2.imread(
            str(path), cv2.IMREAD_REDUCED_COLOR_2 if path.stat().st_size > 4e5 else cv2.IMREAD_COLOR
        )
        if image is not None and min(image.shape[:2]) > 200:
            pictures.append((str(path), shrink(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))))
    for resource, words in (
        ("explore_monuments.rcc", ("resource/",)),
        ("categorization.rcc", ("renewable/dam", "renewable/solar", "renewable/geothermal")),
        ("details.rcc", ("_background",)),
    ):
        for name, raw in read_rcc(GCOMPRIS / resource):
            if name.endswith(".webp") and any(word in name for word in words):
                image = decode(raw)
                if image is not None and min(image.shape[:2]) > 150:
                    pictures.append((name, shrink(image)))
    unseen = [image for name, image in pictures if any(word in name for word in UNSEEN)]
    seen = [image for name, image in pictures if not any(word in name for word in UNSEEN)]
    return seen, unseen
