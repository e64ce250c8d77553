# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Scenes, names and prompts of the training, with cut-outs made here."""

import numpy as np
import pytest
import torch

pytest.importorskip("cv2", reason="training needs opencv")
pytest.importorskip("scipy", reason="training needs scipy")

from gdino.training import kinds, names, rcc, scenes  # noqa: E402
from gdino.training.assets import Assets, Cutout  # noqa: E402
from gdino.training.batches import Batches, cut, with_article  # noqa: E402
from gdino.training.text import PhraseBank  # noqa: E402
from gdino.training.train import rate_at  # noqa: E402

COLOURS = {"red square": (255, 0, 0), "green square": (0, 255, 0)}


def assets():
    """Two kinds of plain squares over black."""
    cutouts = []
    for name, colour in COLOURS.items():
        pixels = np.zeros((60, 60, 4), np.uint8)
        pixels[:, :] = (*colour, 255)
        cutouts.append(Cutout(pixels, names.phrases(name), "stamp", name))
    black = [np.zeros((300, 500, 3), np.uint8)]
    photo = np.zeros((200, 300, 3), np.uint8)
    photo[50:150, 100:200] = (0, 0, 255)
    known = [(["blue square", "square"], [1 / 3, 0.25, 2 / 3, 0.75])]
    return Assets(cutouts, black, black, [(photo, known)])


def test_same_seed_same_scene():
    composer = scenes.Composer(assets())
    first, second = (composer.scene(np.random.default_rng(5)) for _ in range(2))
    other = composer.scene(np.random.default_rng(6))
    assert np.array_equal(first.image, second.image) and np.array_equal(first.boxes, second.boxes)
    assert not np.array_equal(first.image, other.image)


@pytest.mark.parametrize("seed", range(30))
def test_boxes_lie_on_the_canvas(seed):
    scene = scenes.Composer(assets()).scene(np.random.default_rng(seed))
    assert scene.image.shape == (scenes.HEIGHT, scenes.WIDTH, 3) and scene.image.dtype == np.uint8
    assert len(scene.boxes) == len(scene.objects)
    for x0, y0, x1, y1 in scene.boxes:
        assert 0 <= x0 < x1 <= scenes.WIDTH and 0 <= y0 < y1 <= scenes.HEIGHT


def test_boxes_hold_the_object(monkeypatch):
    monkeypatch.setattr(scenes, "finish", lambda rng, area: None)
    monkeypatch.setattr(scenes, "jitter", lambda rng, image, strength: image)
    monkeypatch.setattr(
        scenes.Composer, "background", lambda self, rng, w, h: np.zeros((h, w, 3), np.uint8)
    )
    composer = scenes.Composer(assets())
    seen = 0
    for seed in range(60):
        scene = composer.scene(np.random.default_rng(seed), photo_share=0.0)
        if len(scene.boxes) != 1:
            continue
        # The one object is all there is beside black and the grey border.
        shown = scene.image.astype(int)
        coloured = (shown.max(2) > 120) & (shown.min(2) < 60)
        rows, columns = np.flatnonzero(coloured.any(1)), np.flatnonzero(coloured.any(0))
        box = [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]
        assert np.abs(scene.boxes[0] - box).max() <= 2
        seen += 1
    assert seen > 5


@pytest.mark.parametrize("seed", range(20))
def test_view_of_a_photograph_keeps_the_box_on_the_object(seed):
    photo, known = assets().photos[0]
    rng = np.random.default_rng(seed)
    view, boxes, phrases = scenes.photo_view(rng, photo, known, 448, 256)
    assert phrases == [["blue square", "square"]]
    x0, y0, x1, y1 = (round(v) for v in boxes[0])
    inside = view[y0 + 3 : y1 - 3, x0 + 3 : x1 - 3].astype(int)
    assert (inside[:, :, 2] - inside[:, :, 0] > 60).mean() > 0.97


def test_prompts_mix_present_and_absent():
    vocabulary = ["red square", "green square", "blue circle", "square", "yellow star", "house"]
    objects = [["red square", "square"]]
    present = absent = 0
    for seed in range(50):
        chosen = scenes.choose_prompt(np.random.default_rng(seed), objects, vocabulary, 4)
        assert 1 <= len(chosen) <= 4 and len(set(chosen)) == len(chosen)
        present += sum(p in objects[0] for p in chosen)
        absent += sum(p not in objects[0] for p in chosen)
    assert present > 30 and absent > 30


def test_no_closer_name_against_a_plain_one():
    vocabulary = ["red apple", "star"]
    for seed in range(40):
        chosen = scenes.choose_prompt(
            np.random.default_rng(seed), [["apple", "fruit"]], vocabulary, 5
        )
        assert "red apple" not in chosen


def test_names():
    assert names.from_description("A pair of cherries.", "Cherry_Stella") == "cherry"
    assert names.from_description("A peacock (a male peafowl).", "peacock") == "peacock"
    assert names.from_description("Remember to flush the toilet!", "toilet") == "toilet"
    assert names.phrases("kitten")[:2] == ["kitten", "cat"]
    assert names.head("glass of water") == "glass"
    assert with_article("owl") == "an owl" and with_article("cat") == "a cat"


def bank():
    """Two phrases of two and one own tokens."""
    features = torch.arange(2 * 12 * 4, dtype=torch.float32).view(2, 12, 4)
    return PhraseBank(
        ["red square", "square"], features, torch.tensor([3, 2]), torch.full((2, 4), -1.0)
    )


def test_prompt_of_stored_phrases():
    made = bank().prompt(["square", "red square"], 10)
    assert made["spans"] == [("square", 1, 2), ("red square", 3, 5)]
    assert made["positions"].tolist() == [0, 0, 1, 0, 1, 2, 0, 0, 0, 0]
    assert made["text_mask"].tolist() == [True] * 7 + [False] * 3
    assert made["block_mask"][1:3, 1:3].all() and made["block_mask"][3:6, 3:6].all()
    assert not made["block_mask"][1:3, 3:6].any()
    assert torch.equal(made["raw"][3], bank().features[0, 0])
    assert bank().prompt(["square", "red square"], 6)["spans"] == [("square", 1, 2)]


def test_stored_phrases_equal_the_text_encoder(network, vocabulary):
    from gdino.prompt import encode_prompt
    from gdino.training.text import make_bank

    stored = make_bank(network, vocabulary, ["cat", "remote control"])
    prompt = encode_prompt("cat. remote control.", vocabulary, 16)
    with torch.no_grad():
        whole = network.model.text_backbone(prompt.ids, prompt.positions, prompt.block_mask)[0]
    made = stored.prompt(["cat", "remote control"], 16)
    used = int(prompt.text_mask.sum())
    assert torch.allclose(made["raw"][:used], whole[:used], atol=1e-5)
    assert torch.equal(made["positions"], prompt.positions[0])
    assert torch.equal(made["block_mask"], prompt.block_mask[0])
    assert torch.equal(made["text_mask"], prompt.text_mask[0])


def test_batch_targets_name_the_right_tokens():
    composer = scenes.Composer(assets())
    known = PhraseBank(
        sorted(
            {
                *COLOURS,
                "square",
                "blue square",
                "a red square",
                "a green square",
                "a square",
                "a blue square",
            }
        ),
        torch.zeros(8, 12, 4),
        torch.full((8,), 3),
        torch.zeros(2, 4),
    )
    vocabulary = [*COLOURS, "square", "blue square"]
    batch = Batches(composer, known, vocabulary, 1, size=6, distractors=3).batch(
        np.random.default_rng(2)
    )
    assert batch.images.shape == (6, 256, 448, 3)
    for target, own in zip(batch.targets, batch.own, strict=True):
        assert len(target.boxes) == len(own)
        assert bool(target.positive.any(1).all()) if len(target.boxes) else True
        assert bool(own.any(1).all()) if len(own) else True
        assert float(target.boxes.min()) >= 0 if len(target.boxes) else True


def test_crops_show_the_object():
    image = np.zeros((scenes.HEIGHT, scenes.WIDTH, 3), np.uint8)
    image[40:140, 300:420] = 255
    crop = cut(image, np.array([300, 40, 420, 140]))
    assert crop.shape == (112, 112, 3)
    assert crop[30:80, 20:90].min() == 255 and crop[:5].max() == 0


def test_rate_rises_then_falls():
    assert rate_at(0.0, 0) < 0.01
    assert rate_at(0.2, 5000) == pytest.approx(1.0)
    assert rate_at(0.6, 5000) > rate_at(0.8, 5000) > rate_at(1.0, 5000)
    assert rate_at(1.0, 5000) == pytest.approx(0.01)


def test_not_a_resource_file(tmp_path):
    path = tmp_path / "x.rcc"
    path.write_bytes(b"PNG?0123456789abcdefgh")
    with pytest.raises(ValueError, match="x.rcc"):
        list(rcc.read_rcc(path))


def test_kinds_by_name_and_by_range():
    lemmas = [["thing"] for _ in range(1000)]
    lemmas[340] = ["zebra"]
    lemmas[200] = ["some terrier"]
    known = {"zebra": ["zebra", "animal"], "dog": ["dog", "animal"]}
    table = kinds.kind_table(lemmas, known)
    assert table["zebra"] == [340]
    assert table["dog"] == list(range(151, 269))
    assert set(table) == {"zebra", "dog"}


def test_disguise_turns_the_classifier_inside_the_box_only():
    generator = torch.Generator().manual_seed(0)
    features = torch.rand(2, 32, 8, 14, generator=generator) * 3
    weight = torch.randn(10, 32, generator=generator)
    bias = torch.zeros(10)
    item = kinds.Disguise(1, [64.0, 64.0, 192.0, 160.0], 7)
    out = kinds.disguise(features, [item], weight, bias, torch.tensor([1.0]))
    scores = weight @ out[1, :, 2:5, 2:6].mean((1, 2)) + bias
    before = weight @ features[1, :, 2:5, 2:6].mean((1, 2)) + bias
    assert int(scores.argmax()) == 7 != int(before.argmax())
    outside = torch.ones(8, 14, dtype=torch.bool)
    outside[2:5, 2:6] = False
    assert torch.equal(out[0], features[0])
    assert torch.equal(out[1][:, outside], features[1][:, outside])
    assert float(out.min()) >= 0 and float(out.max()) <= 6
