# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Options of the compiler: packed weights where they pay, and with the same numbers."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gdino import native
from gdino.execute import CompiledGraph


def program(layers: list[nn.Module], example: torch.Tensor) -> torch.export.ExportedProgram:
    return torch.export.export(nn.Sequential(*layers).eval(), (example,), strict=False)


def convolutions(count: int) -> tuple[torch.export.ExportedProgram, torch.Tensor]:
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for _ in range(count):
        layers += [nn.Conv2d(8, 8, 3, padding=1), nn.ReLU6()]
    example = torch.randn(1, 8, 6, 5)
    return program(layers, example), example


def test_only_networks_of_convolutions_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "PACKS_FROM", (2, 0))
    many = convolutions(native.MANY_CONVOLUTIONS + 1)[0]
    few = convolutions(native.MANY_CONVOLUTIONS)[0]
    linear = program([nn.Linear(4, 4) for _ in range(50)], torch.zeros(2, 4))
    assert native.packing_pays(many, "cpu")
    assert not native.packing_pays(few, "cpu")
    assert not native.packing_pays(linear, "cpu")
    assert not native.packing_pays(many, "cuda")
    monkeypatch.setattr(native, "PACKS_FROM", (99, 0))
    assert not native.packing_pays(many, "cpu")


def test_packed_weights_give_the_same_numbers(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, example = convolutions(native.MANY_CONVOLUTIONS + 1)
    if not native.packing_pays(graph, "cpu"):
        pytest.skip(f"torch {torch.__version__} is older than {native.PACKS_FROM}: never packed")
    with torch.no_grad():
        path = native.compile_graph(graph, (example,), "frame", tmp_path / "frame")
        wanted = graph.module()(example)
    code = "".join(p.read_text() for p in (tmp_path / "frame").rglob("*.cpp"))
    assert "mkldnn__convolution_pointwise" in code, "no packed convolution in the code"
    found = CompiledGraph(path)(example)[0]
    assert wanted.std() > 0.01
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
