# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Guards of the static design, each shown to fail where the design is left."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch._dynamo
from torch import Tensor, nn

from gdino.graphs import (
    FrameGraph,
    GraphError,
    GraphSpec,
    TensorSpec,
    TextGraph,
    check_program,
    export_graph,
    graph_specs,
)
from gdino.network import GroundingDino
from gdino.prompt import Prompt, encode_prompt
from gdino.tokenizer import Vocabulary

TOKENS = 128
WORDS = ["cat", "dog", "car", "tree", "horse", "bird", "house", "boat", "cup", "book"]
COUNTS = (1, 5, 8, 12, 50)


def prompts(vocabulary: Vocabulary, length: int | None) -> list[Prompt]:
    made = []
    for count in COUNTS:
        # Fifty phrases of one word each: ten words, then numbers, all of a single token.
        names = (WORDS + [str(number) for number in range(10, 50)])[:count]
        made.append(encode_prompt(". ".join(names), vocabulary, length))
    return made


def run_compiled(
    network: GroundingDino, picture: Tensor, given: list[Prompt], dynamic: bool | None
) -> tuple[int, int]:
    """Compile both graphs, run all prompts; returns how often each was compiled."""
    from torch._dynamo.testing import CompileCounter

    torch._dynamo.reset()
    text_counter, frame_counter = CompileCounter(), CompileCounter()
    text = torch.compile(TextGraph(network), backend=text_counter, fullgraph=True, dynamic=dynamic)
    frame = torch.compile(
        FrameGraph(network), backend=frame_counter, fullgraph=True, dynamic=dynamic
    )
    with torch.no_grad():
        for prompt in given:
            features = text(prompt.ids, prompt.positions, prompt.block_mask)
            frame(picture, *features, prompt.text_mask, prompt.block_mask)
    counts = (text_counter.frame_count, frame_counter.frame_count)
    torch._dynamo.reset()
    return counts


def test_every_prompt_length_compiles_once(
    network: GroundingDino, vocabulary: Vocabulary, picture: Tensor
) -> None:
    given = prompts(vocabulary, TOKENS)
    assert tuple(len(p.phrases) for p in given) == COUNTS
    assert not any(p.dropped for p in given)
    torch._dynamo.utils.counters.clear()
    assert run_compiled(network, picture, given, dynamic=None) == (1, 1)
    assert not torch._dynamo.utils.counters["graph_break"]


def test_without_padding_each_prompt_compiles_anew(
    network: GroundingDino, vocabulary: Vocabulary, picture: Tensor
) -> None:
    given = prompts(vocabulary, None)[:3]
    assert run_compiled(network, picture, given, dynamic=False) == (3, 3)


def test_a_graph_break_is_noticed() -> None:
    class Breaks(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            torch._dynamo.graph_break()
            return x + 1

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(Breaks(), backend="eager", fullgraph=True)(torch.ones(2))
    torch._dynamo.reset()


@pytest.mark.parametrize("backbone", ["efficientnet-lite", "swin"])
def test_exported_graphs_are_static(
    networks: Callable[[str], GroundingDino], backbone: str
) -> None:
    network = networks(backbone)
    specs = graph_specs(network, 16)
    for part in (TextGraph(network), FrameGraph(network)):
        spec = specs["text" if isinstance(part, TextGraph) else "frame"]
        program = export_graph(part, spec)
        names = {str(node.target) for node in program.graph.nodes if node.op == "call_function"}
        assert not any("grid_sampler" in name for name in names)
        assert any("embedding_bag" in name for name in names) == (spec.name == "frame")


def spec_of(shape: tuple[int, ...]) -> GraphSpec:
    tensor = TensorSpec("x", "float32", shape)
    return GraphSpec("test", (tensor,), (TensorSpec("y", "float32", shape),))


def test_a_symbolic_shape_is_noticed() -> None:
    class Plain(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor]:
            return (x + 1,)

    rows = torch.export.Dim("rows", min=2, max=64)
    program = torch.export.export(
        Plain(), (torch.zeros(4, 3),), dynamic_shapes={"x": {0: rows}}, strict=False
    )
    with pytest.raises(GraphError, match="symbolic"):
        check_program(program, spec_of((4, 3)))


def test_a_grid_sample_is_noticed() -> None:
    class Sampler(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor]:
            grid = torch.zeros(1, 4, 4, 2)
            return (nn.functional.grid_sample(x, grid, align_corners=False),)

    with pytest.raises(GraphError, match="grid_sampler"):
        export_graph(Sampler(), spec_of((1, 2, 4, 4)))


def test_a_wrong_output_shape_is_noticed() -> None:
    class Cuts(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor]:
            return (x[:1],)

    with pytest.raises(GraphError, match="gives shapes"):
        export_graph(Cuts(), spec_of((4, 3)))


PAIR = "a cat. remote control. zebra crossing"


@pytest.mark.parametrize("backbone", ["efficientnet-lite", "swin"])
@pytest.mark.parametrize("length", [16, 32, TOKENS])
def test_padded_equals_unpadded(
    networks: Callable[[str], GroundingDino],
    vocabulary: Vocabulary,
    picture: Tensor,
    detect: Callable,
    backbone: str,
    length: int,
) -> None:
    network = networks(backbone)
    natural = encode_prompt(PAIR, vocabulary)
    wanted = detect(network, picture, natural)
    found = detect(network, picture, encode_prompt(PAIR, vocabulary, length))
    used = natural.tokens
    assert wanted[0].std() > 0.1
    torch.testing.assert_close(found[0][..., :used], wanted[0], atol=1e-4, rtol=0)
    torch.testing.assert_close(found[1], wanted[1], atol=1e-5, rtol=0)
    assert torch.isneginf(found[0][..., used:]).all()


def test_padding_without_its_mask_is_noticed(
    network: GroundingDino, vocabulary: Vocabulary, picture: Tensor, detect: Callable
) -> None:
    natural = encode_prompt(PAIR, vocabulary)
    padded = encode_prompt(PAIR, vocabulary, 32)
    careless = Prompt(
        padded.ids,
        padded.positions,
        padded.block_mask,
        torch.ones_like(padded.text_mask),
        padded.phrases,
    )
    wanted = detect(network, picture, natural)
    found = detect(network, picture, careless)
    assert (found[0][..., : natural.tokens] - wanted[0]).abs().max() > 1e-3


def by_phrase(result: tuple[Tensor, Tensor], prompt: Prompt) -> dict[str, Tensor]:
    """Logits of each phrase's tokens and the boxes."""
    logits, boxes = result
    table = {p.text: logits[0, :, p.start : p.end] for p in prompt.phrases}
    return {**table, "boxes": boxes[0]}


def test_permuting_phrases_permutes_the_result(
    network: GroundingDino, vocabulary: Vocabulary, picture: Tensor, detect: Callable
) -> None:
    names = ["a cat", "remote control", "zebra crossing", "dog", "umbrella", "red car"]
    first = encode_prompt(". ".join(names), vocabulary, 32)
    wanted = by_phrase(detect(network, picture, first), first)
    for order in ([5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 4, 3]):
        prompt = encode_prompt(". ".join(names[i] for i in order), vocabulary, 32)
        found = by_phrase(detect(network, picture, prompt), prompt)
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            torch.testing.assert_close(found[name], value, atol=1e-4, rtol=0)


def test_blocks_for_the_first_phrase_only_are_noticed(
    network: GroundingDino, vocabulary: Vocabulary, picture: Tensor, detect: Callable
) -> None:
    """The fault of a known export: its trace has baked in the loop's trip count."""

    def careless(text: str) -> Prompt:
        prompt = encode_prompt(text, vocabulary, 32)
        end = prompt.phrases[0].end + 1
        block = torch.eye(32, dtype=torch.bool)[None]
        block[:, :end, :end] = prompt.block_mask[:, :end, :end]
        positions = prompt.positions.clone()
        positions[:, end:] = 0
        return Prompt(prompt.ids, positions, block, prompt.text_mask, prompt.phrases)

    first, second = careless("a red cat. remote control"), careless("remote control. a red cat")
    wanted = by_phrase(detect(network, picture, first), first)
    found = by_phrase(detect(network, picture, second), second)
    assert (found["a red cat"] - wanted["a red cat"]).abs().max() > 1e-3
