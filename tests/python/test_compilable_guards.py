# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""transformers' model under torch.compile: compiled once for all prompts, with eager's numbers.

torch's own counters count. Without the padding they are shown to rise, and without the rewriting
of the data-dependent places the graph is shown to break.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch._dynamo
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounter, CompileCounterWithBackend

from gdino import CompilableGroundingDINO, CompiledDetector
from gdino.prompt import PromptError
from gdino.tokenizer import Vocabulary

models = pytest.importorskip(
    "small_models", reason="needs transformers 4.57 (model/requirements-test.txt)"
)

TOKENS = 128
SIZE = (96, 64)
LOGITS, BOXES = 1e-3, 1e-4
LEAST_GAP = 2e-5
NAMES = (
    "a cat",
    "dog",
    "red car",
    "remote control",
    "tree",
    "zebra crossing",
    "old man",
    "house",
    "boat",
    "the unbelievable umbrella",
    "cup",
    "horse",
)


@pytest.fixture(scope="module", params=["grounding-dino", "mm-grounding-dino"])
def model(request: pytest.FixtureRequest) -> nn.Module:
    return models.small_model(request.param, TOKENS)


@pytest.fixture(scope="module")
def image() -> Tensor:
    """uint8 [1,64,96,3]"""
    pixels = np.random.default_rng(9).integers(0, 256, (1, SIZE[1], SIZE[0], 3), dtype=np.uint8)
    return torch.from_numpy(pixels)


@pytest.fixture(autouse=True)
def fresh_counters() -> Iterator[None]:
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    yield
    torch._dynamo.reset()


def breaks() -> int:
    """Graph breaks since the test began."""
    return sum(torch._dynamo.utils.counters["graph_break"].values())


def random_prompts(vocabulary: Vocabulary, count: int) -> list[list[str]]:
    """Prompts of 1 to 20 phrases of 1 to 3 whole words out of the vocabulary."""
    random = np.random.default_rng(50)
    words = [piece for piece in vocabulary.pieces if piece.isascii() and piece.isalpha()]
    made = []
    while len(made) < count:
        phrases = [
            " ".join(random.choice(words, random.integers(1, 4)))
            for _ in range(random.integers(1, 21))
        ]
        made.append(phrases)
    return made


def detector_of(model: nn.Module, vocabulary: Vocabulary, counter: object) -> CompiledDetector:
    helper = CompilableGroundingDINO(TOKENS, tokenizer=vocabulary, size=SIZE, backend=counter)
    assert helper.compile_config()["dynamic"] is False
    assert helper.compile_config()["fullgraph"] is True
    return helper.compile(model)


def check(
    detector: CompiledDetector, model: nn.Module, image: Tensor, labels: list[str]
) -> tuple[int, bool]:
    """Compiled and padded against eager and unpadded: number of tokens, whether compared.

    Not compared is where two cells score so much alike that rounding ranks them.
    """
    text = detector.prepare(labels)
    assert text.input_ids.shape == (1, TOKENS) and not text.dropped[0]
    used = int(text.text_mask.sum())
    logits, boxes = detector.forward(image, text)
    assert logits.shape[-1] == TOKENS
    assert torch.isneginf(logits[..., used:]).all()
    *wanted, gap = models.eager(model, image, text.input_ids[:, :used])
    if gap < LEAST_GAP:
        return used, False
    assert wanted[0].std() > 0.1 and wanted[1].std() > 0.01
    torch.testing.assert_close(logits[..., :used], wanted[0], atol=LOGITS, rtol=0)
    torch.testing.assert_close(boxes, wanted[1], atol=BOXES, rtol=0)
    return used, True


def test_all_prompts_compile_once_with_eager_s_numbers(
    model: nn.Module, vocabulary: Vocabulary, image: Tensor
) -> None:
    counter = CompileCounter()
    detector = detector_of(model, vocabulary, counter)
    assert counter.frame_count == 0
    # The second family differs in its heads: fewer of the slow comparisons will do.
    count = 50 if type(model).__name__.startswith("Grounding") else 10
    prompts = [list(NAMES[:count]) for count in (5, 8, 12)] + random_prompts(vocabulary, count)
    lengths, compared = [], 0
    for labels in prompts:
        length, sure = check(detector, model, image, labels)
        lengths.append(length)
        compared += sure
        assert counter.frame_count == 1 and breaks() == 0
    assert compared >= 0.8 * len(prompts)
    assert len(set(lengths[:3])) == 3
    assert len(set(lengths)) > count / 3 and max(lengths) - min(lengths) > 30
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1
    # The comparison can fail: without the mask of the padding the numbers are others.
    text = detector.prepare(list(NAMES[:5]))
    careless = replace(text, text_mask=torch.ones_like(text.text_mask))
    used = int(text.text_mask.sum())
    logits, _ = detector.forward(image, careless)
    wanted = models.eager(model, image, text.input_ids[:, :used])[0]
    assert (logits[..., :used] - wanted).abs().max() > LOGITS


def test_what_surrounds_a_call_compiles_nothing(vocabulary: Vocabulary, image: Tensor) -> None:
    counter = CompileCounter()
    detector = detector_of(models.small_model(tokens=TOKENS), vocabulary, counter)
    picture = image[0].numpy()
    wanted = detector(picture, "cat.", threshold=0)["scores"]
    with torch.no_grad():
        detector(picture, "dog.")
    with torch.inference_mode():
        detector(picture, "horse.")
        detector.forward(image.clone(), detector.prepare("tree."))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(detector(picture, "cat.", threshold=0)["scores"], wanted)
    detector(torch.from_numpy(picture).permute(2, 0, 1).float() / 255, "cat.")
    # Pictures of another size are fitted in, not compiled for.
    detector([picture[:50], picture[:, :33]], [["cat"], ["dog", "tree"]])
    with pytest.raises(PromptError):
        detector(picture, "")
    assert counter.frame_count == 1 and breaks() == 0


def test_each_detector_has_its_own_compilation(vocabulary: Vocabulary, image: Tensor) -> None:
    # torch counts by code object: shared code would meet the limit (8, here 1) at the next.
    network = models.small_model(tokens=16)
    counter = CompileCounter()
    # The setting's older name is that of torch 2.5.
    limit = (
        "recompile_limit"
        if hasattr(torch._dynamo.config, "recompile_limit")
        else "cache_size_limit"
    )
    with torch._dynamo.config.patch({limit: 1}):
        for count in (1, 2):
            helper = CompilableGroundingDINO(16, tokenizer=vocabulary, size=SIZE, backend=counter)
            helper.compile(network).forward(image, helper.prepare("cat."))
            assert counter.frame_count == count


def test_inductor_compiles_once_and_right(vocabulary: Vocabulary, image: Tensor) -> None:
    model = models.small_model(tokens=TOKENS)
    counter = CompileCounterWithBackend("inductor")
    detector = detector_of(model, vocabulary, counter)
    prompts = [list(NAMES[:count]) for count in (5, 8, 12)] + random_prompts(vocabulary, 5)
    assert sum(check(detector, model, image, labels)[1] for labels in prompts) > 5
    assert counter.frame_count == 1 and breaks() == 0


def unpadded(vocabulary: Vocabulary, count: int) -> dict[str, Tensor]:
    text = CompilableGroundingDINO(TOKENS, tokenizer=vocabulary).prepare(list(NAMES[:count]))
    used = int(text.text_mask.sum())
    return {"input_ids": text.input_ids[:, :used], "attention_mask": text.attention_mask[:, :used]}


def test_bare_compile_recompiles_and_breaks(vocabulary: Vocabulary) -> None:
    model = models.small_model(tokens=TOKENS)
    counter = CompileCounter()
    bare = torch.compile(model, backend=counter)
    pixels = torch.randn(1, 3, SIZE[1], SIZE[0])
    seen = []
    with torch.no_grad():
        for count in (5, 8):
            bare(pixel_values=pixels, **unpadded(vocabulary, count))
            seen.append(counter.frame_count)
    assert seen[0] > 1, "the forward of transformers 4.57 is no longer broken into pieces"
    assert seen[1] > seen[0], "another length of prompt no longer recompiles"
    assert breaks() > 0


def test_bare_full_graph_fails(vocabulary: Vocabulary) -> None:
    model = models.small_model(tokens=TOKENS)
    bare = torch.compile(model, backend="eager", fullgraph=True)
    with (
        torch.no_grad(),
        pytest.raises((torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError)),
    ):
        bare(pixel_values=torch.randn(1, 3, SIZE[1], SIZE[0]), **unpadded(vocabulary, 5))


def test_without_padding_the_static_network_recompiles(
    vocabulary: Vocabulary, image: Tensor
) -> None:
    """The other half alone: no graph break, but one compilation for each length."""
    counter = CompileCounter()
    detector = detector_of(models.small_model(tokens=TOKENS), vocabulary, counter)
    for count, tokens in enumerate((16, 24), 1):
        detector._helper.max_queries = tokens
        detector.forward(image, detector.prepare("cat."))
        assert counter.frame_count == count and breaks() == 0
