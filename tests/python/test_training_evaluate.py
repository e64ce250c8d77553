# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Average precision, overlap, suppression and letterbox of the evaluation."""

import numpy as np
import pytest

pytest.importorskip("cv2", reason="training needs opencv")

from gdino.training import evaluate  # noqa: E402


def slow_average_precision(scores, hits, truths):
    """The area under the interpolated curve, from its definition: the best precision at any recall
    at least as large, summed over the recall each hit adds."""
    ranked = [hit for _, hit in sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])]
    points = []
    right = 0
    for count, hit in enumerate(ranked, 1):
        right += hit
        points.append((right / truths, right / count))
    area = 0.0
    for number in range(1, truths + 1):
        level = number / truths
        reached = [precision for recall, precision in points if recall >= level - 1e-12]
        area += max(reached, default=0.0) / truths
    return area


def test_average_precision_by_hand():
    scores = np.array([0.9, 0.8, 0.7, 0.6])
    hits = np.array([True, False, True, False])
    ap, precision, recall = evaluate.average_precision(scores, hits, 3)
    assert ap == pytest.approx((1 + 2 / 3) / 3)
    assert precision.tolist() == pytest.approx([1, 1 / 2, 2 / 3, 1 / 2])
    assert recall.tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3])


@pytest.mark.parametrize("seed", range(6))
def test_average_precision_against_its_definition(seed):
    rng = np.random.default_rng(seed)
    scores = rng.permutation(60) / 60
    hits = rng.random(60) < 0.4
    truths = int(hits.sum()) + 5
    ap = evaluate.average_precision(scores, hits, truths)[0]
    assert ap == pytest.approx(slow_average_precision(scores, hits, truths))
    assert (
        ap < evaluate.average_precision(scores, np.sort(scores)[::-1].argsort() < 0, truths)[0] + 1
    )


def test_average_precision_ends():
    scores = np.array([0.9, 0.8])
    assert evaluate.average_precision(scores, np.array([True, True]), 2)[0] == 1.0
    assert evaluate.average_precision(scores, np.array([False, False]), 2)[0] == 0.0


def test_iou():
    a = np.array([[0.0, 0, 2, 2], [0, 0, 1, 1]])
    b = np.array([[1.0, 1, 3, 3], [0, 0, 2, 2], [5, 5, 6, 6]])
    assert evaluate.iou(a, b) == pytest.approx(np.array([[1 / 7, 1, 0], [0, 1 / 4, 0]]))


def test_suppression_keeps_the_best_of_a_pile():
    boxes = np.array([[0.0, 0, 10, 10], [0, 0, 10, 9], [20, 20, 30, 30]])
    assert evaluate.suppress(boxes, np.array([0.5, 0.9, 0.7]), 0.7) == [1, 2]
    assert evaluate.suppress(boxes, np.array([0.5, 0.9, 0.7]), 0.95) == [1, 2, 0]


def test_letterbox_centres():
    canvas, scale, left, top = evaluate.letterbox(np.full((100, 100, 3), 255, np.uint8))
    assert canvas.shape == (256, 448, 3) and scale == 2.56 and (left, top) == (96, 0)
    assert canvas[:, 100:340].min() == 255
    assert canvas[0, 0].tolist() == [124, 116, 104]


def test_default_thresholds_of_a_checkpoint():
    from types import SimpleNamespace

    from gdino.config import ConfigError
    from gdino.manifest import thresholds

    content = {}
    checkpoint = SimpleNamespace(name="some", preprocessor=lambda: content)
    assert thresholds(checkpoint) == {"box_threshold": 0.35, "text_threshold": 0.25}
    content["box_threshold"] = 0.3
    assert thresholds(checkpoint) == {"box_threshold": 0.3, "text_threshold": 0.25}
    content["text_threshold"] = 1.5
    with pytest.raises(ConfigError, match="some: preprocessor_config.json: 'text_threshold' is 1.5"):
        thresholds(checkpoint)
