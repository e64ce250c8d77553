# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Pictures and free text in, scores, labels and boxes out; what cannot be used is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from gdino import CompilableGroundingDINO, CompiledDetector, TextCutWarning
from gdino.config import ConfigError
from gdino.network import GroundingDino
from gdino.pictures import PictureError
from gdino.prompt import PromptError
from gdino.tokenizer import Vocabulary, VocabularyError

SIZE = (128, 96)
TEXT = "A cat. remote control. zebra crossing."


@pytest.fixture(scope="module")
def detector(networks: Callable, vocabulary: Vocabulary) -> CompiledDetector:
    """Our own tiny network; the backend runs the captured graph as it is."""
    helper = CompilableGroundingDINO(32, tokenizer=vocabulary, backend="eager")
    return helper.compile(networks("swin"))


@pytest.fixture(scope="module")
def pixels() -> np.ndarray:
    """uint8 [96,128,3]"""
    return np.random.default_rng(5).integers(0, 256, (96, 128, 3), dtype=np.uint8)


def same(one: dict, two: dict) -> bool:
    return (
        one["labels"] == two["labels"]
        and torch.equal(one["boxes"], two["boxes"])
        and torch.equal(one["scores"], two["scores"])
    )


def test_result_of_one_picture(detector: CompiledDetector, pixels: np.ndarray) -> None:
    found = detector(Image.fromarray(pixels), TEXT, threshold=0.1)
    count = len(found["labels"])
    assert count > 3
    assert found["scores"].shape == (count,) and found["scores"].dtype is torch.float32
    assert found["boxes"].shape == (count, 4) and found["boxes"].dtype is torch.float32
    assert set(found["labels"]) <= {"A cat", "remote control", "zebra crossing"}
    assert found["text_labels"] == found["labels"]
    assert (found["scores"] > 0.1).all()
    assert torch.equal(found["scores"].sort(descending=True)[0], found["scores"])
    low, high = found["boxes"][:, :2], found["boxes"][:, 2:]
    assert (low >= 0).all() and (high <= torch.tensor(SIZE)).all() and (low < high).all()
    assert detector.size == SIZE and detector.max_queries == 32


def test_the_same_result_from_logits_and_boxes(
    detector: CompiledDetector, pixels: np.ndarray
) -> None:
    text = detector.prepare(TEXT)
    logits, boxes = detector.forward(torch.from_numpy(pixels)[None], text)
    found = detector(pixels, TEXT, threshold=0, nms=None, max_detections=10**6)
    spans = [(p.text, slice(p.start, p.end)) for p in text.phrases[0]]
    # Rounded as late as there, or scores near 1 would tie.
    scores = [logits[0, :, s].amax(1) for _, s in spans]
    best, phrase = torch.stack(scores, dim=1).max(1)
    best = best.double().sigmoid().float()
    order = best.sort(descending=True, stable=True)[1]
    scale = torch.tensor(SIZE * 2)
    corners = torch.cat(
        [boxes[..., :2] - boxes[..., 2:] / 2, boxes[..., :2] + boxes[..., 2:] / 2], -1
    )
    corners = (corners[0] * scale).clamp(torch.zeros(4), scale.float())
    order = [i for i in order.tolist() if ((corners[i, 2:] - corners[i, :2]) >= 1).all()]
    assert len(order) > 5
    torch.testing.assert_close(found["scores"], best[order], atol=1e-6, rtol=0)
    torch.testing.assert_close(found["boxes"], corners[order], atol=1e-3, rtol=0)
    assert found["labels"] == [spans[phrase[i]][0] for i in order]


def test_lists_and_kinds_of_pictures(detector: CompiledDetector, pixels: np.ndarray) -> None:
    wanted = detector(pixels, TEXT)
    chw = torch.from_numpy(pixels).permute(2, 0, 1)
    several = detector([Image.fromarray(pixels), pixels, chw, chw.float() / 255], TEXT)
    assert len(several) == 4 and all(same(found, wanted) for found in several)
    assert len(detector(torch.stack([chw, chw]), TEXT)) == 2
    assert isinstance(detector([pixels], TEXT), list)
    labels = ["A cat", "remote control", "zebra crossing."]
    assert same(detector(pixels, labels), wanted)
    assert same(detector(pixels, detector.prepare(labels)), wanted)
    assert same(detector(pixels, tuple(labels)), wanted)


def test_labels_for_each_picture(detector: CompiledDetector, pixels: np.ndarray) -> None:
    other = np.ascontiguousarray(pixels[::-1])
    found = detector([pixels, other], [["dog"], ["a tree", "old man"]], threshold=0)
    assert same(found[0], detector(pixels, ["dog"], threshold=0))
    assert same(found[1], detector(other, "a tree. old man.", threshold=0))
    with pytest.raises(PromptError, match="text is 2 lists of labels, wanted: 1"):
        detector(pixels, [["dog"], ["cat"]])


def test_other_sizes_are_fitted_in(detector: CompiledDetector, pixels: np.ndarray) -> None:
    # Twice as large, each pixel four times: scaled back it is nearly the same picture.
    large = Image.fromarray(pixels).resize((256, 192), Image.Resampling.BICUBIC)
    found = detector(large, TEXT, threshold=0)
    assert (found["boxes"] <= torch.tensor([256, 192] * 2)).all()
    assert found["boxes"][:, 2].max() > 128
    # Upright: the canvas has bars at the left and right, boxes stay inside the picture.
    upright = detector(np.ascontiguousarray(pixels.transpose(1, 0, 2)), TEXT, threshold=0)
    assert (upright["boxes"] <= torch.tensor([96, 128] * 2)).all()


def test_thresholds_and_nms(detector: CompiledDetector, pixels: np.ndarray) -> None:
    everything = detector(pixels, TEXT, threshold=0, nms=None)
    per_phrase = detector(pixels, TEXT, threshold=0, iou_threshold=0)
    across = detector(pixels, TEXT, threshold=0, nms="all", iou_threshold=0)
    counts = [len(found["labels"]) for found in (everything, per_phrase, across)]
    assert counts[0] >= counts[1] >= counts[2] > 0 and counts[0] > counts[2]
    assert len(detector(pixels, TEXT, threshold=0, max_detections=2)["labels"]) == 2
    nothing = detector(pixels, TEXT, threshold=1)
    assert nothing["boxes"].shape == (0, 4) and nothing["labels"] == []
    assert nothing["scores"].shape == (0,)


def test_a_prompt_is_encoded_once(detector: CompiledDetector, pixels: np.ndarray) -> None:
    network = detector._network
    calls = []
    original = network.encode_text
    network.encode_text = lambda *a: calls.append(a) or original(*a)
    try:
        first = detector(pixels, "a new phrase.")
        assert same(detector(pixels, "a new phrase."), first)
        assert len(calls) == 1
        for number in range(16):
            detector(pixels, f"phrase {number}.")
        detector(pixels, "a new phrase.")
        assert len(calls) == 18
    finally:
        del network.encode_text


def test_cut_text_is_named_at_the_caller(detector: CompiledDetector, pixels: np.ndarray) -> None:
    names = [f"number {i}" for i in range(20)]
    with pytest.warns(TextCutWarning, match="fit 32 tokens; left out: 'number 10'") as seen:
        detector(pixels, names)
    assert seen[0].filename == __file__
    with pytest.warns(TextCutWarning) as seen:
        detector.prepare(names)
    assert seen[0].filename == __file__


@pytest.mark.parametrize(
    "arguments, changes, error, message",
    [
        ((3, "cat."), {}, PictureError, "image is a int"),
        ((np.zeros((4, 4, 3), np.float32), "cat."), {}, PictureError, "float32"),
        ((np.zeros((4, 4, 3), np.uint8), ""), {}, PromptError, "holds no phrase"),
        ((np.zeros((4, 4, 3), np.uint8), {}), {}, PromptError, "text is a dict"),
        ((np.zeros((4, 4, 3), np.uint8), "cat."), {"threshold": 2}, ValueError, "threshold is 2"),
        ((np.zeros((4, 4, 3), np.uint8), "cat."), {"threshold": None}, ValueError, "is None"),
        ((np.zeros((4, 4, 3), np.uint8), "cat."), {"nms": "soft"}, ValueError, "nms is 'soft'"),
        ((np.zeros((4, 4, 3), np.uint8), "cat."), {"iou_threshold": -1}, ValueError, "iou_thr"),
        (
            (np.zeros((4, 4, 3), np.uint8), "cat."),
            {"max_detections": 0},
            ValueError,
            "max_detections is 0",
        ),
    ],
)
def test_call_refused(
    detector: CompiledDetector, arguments: tuple, changes: dict, error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        detector(*arguments, **changes)


def test_forward_refused(detector: CompiledDetector, vocabulary: Vocabulary) -> None:
    text = detector.prepare("cat.")
    image = torch.zeros(1, 96, 128, 3, dtype=torch.uint8)
    with pytest.raises(ValueError, match=r"\[1, 90, 128, 3\], compiled for: \[1, 96, 128, 3\]"):
        detector.forward(image[:, :90], text)
    with pytest.raises(ValueError, match="torch.float32, wanted: a tensor of torch.uint8"):
        detector.forward(image.float(), text)
    short = CompilableGroundingDINO(16, tokenizer=vocabulary).prepare("cat.")
    with pytest.raises(ValueError, match=r"text is \[1, 16\], wanted: \[1, 32\]"):
        detector.forward(image, short)
    bare = CompilableGroundingDINO(32).prepare(queries=torch.zeros(1, 4, 8))
    with pytest.raises(ValueError, match="without token ids"):
        detector.forward(image, bare)


def test_models_refused(networks: Callable, vocabulary: Vocabulary) -> None:
    network = networks("swin")
    with pytest.raises(TypeError, match="model is a Linear, wanted: GroundingDinoFor"):
        CompilableGroundingDINO(32, tokenizer=vocabulary).compile(torch.nn.Linear(2, 2))
    with pytest.raises(ValueError, match="max_queries is 256, wanted: at most 128"):
        CompilableGroundingDINO(256, tokenizer=vocabulary).compile(network)
    with pytest.raises(ConfigError, match="made for"):
        CompilableGroundingDINO(32, tokenizer=vocabulary, size=(64, 64)).compile(network)
    with pytest.raises(VocabularyError, match="no vocab.txt; give one"):
        CompilableGroundingDINO(32).compile(network)


def test_the_first_picture_fixes_the_size(
    networks: Callable, vocabulary: Vocabulary, pixels: np.ndarray
) -> None:
    models = pytest.importorskip("small_models", reason="needs transformers 4.57")
    model = models.small_model(tokens=16)
    detector = CompilableGroundingDINO(16, tokenizer=vocabulary, backend="eager").compile(model)
    assert detector.size is None
    with pytest.raises(ValueError, match="no size to fix yet"):
        detector.forward(pixels, detector.prepare("cat."))
    with pytest.raises(ConfigError, match="width is 90, wanted: a multiple of"):
        detector.forward(torch.zeros(1, 64, 90, 3, dtype=torch.uint8), detector.prepare("cat."))
    # 40x1200 would be scaled to 44x1333.
    detector(np.zeros((1200, 40, 3), np.uint8), "cat.")
    assert detector.size == (32, 1344)
    detector(pixels, "cat.")
    assert detector.size == (32, 1344)


def test_tokenizers(tmp_path: Path, vocabulary: Vocabulary, vocabulary_file: Path) -> None:
    shutil.copyfile(vocabulary_file, tmp_path / "vocab.txt")
    wanted = CompilableGroundingDINO(16, tokenizer=vocabulary).prepare("Old man.").input_ids
    for given in (tmp_path, str(tmp_path / "vocab.txt")):
        found = CompilableGroundingDINO(16, tokenizer=given).prepare("Old man.").input_ids
        assert torch.equal(found, wanted)
    transformers = pytest.importorskip("transformers", reason="needs transformers 4.57")
    theirs = transformers.BertTokenizerFast(str(tmp_path / "vocab.txt"))
    found = CompilableGroundingDINO(16, tokenizer=theirs).prepare("Old man.").input_ids
    assert torch.equal(found, wanted)
    assert theirs("old man.")["input_ids"] == wanted[0, :5].tolist()
    cased = transformers.BertTokenizerFast(str(tmp_path / "vocab.txt"), do_lower_case=False)
    with pytest.raises(VocabularyError, match="keeps capitals"):
        CompilableGroundingDINO(16, tokenizer=cased)


def test_nothing_of_the_model_is_changed(networks: Callable, vocabulary: Vocabulary) -> None:
    network = networks("swin")
    assert isinstance(network, GroundingDino)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    helper = CompilableGroundingDINO(16, tokenizer=vocabulary, backend="eager")
    helper.compile(network)(np.zeros((96, 128, 3), np.uint8), "cat.")
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
