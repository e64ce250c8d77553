# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The original code of Grounding DINO, as rf-groundingdino on PyPI carries it.

Its model imports packages for drawing, evaluation, configuration files and ResNets. None of that runs
here, so empty modules stand in for them while it is imported; what stands in for timm's parts of the
Swin backbone is written out below. The rest, and every number, is the package's own.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import reference  # noqa: F401  (transformers, in the version that the package's BERT wrapper fits)
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel, BertTokenizer

STAND_INS = {
    "timm": (),
    "timm.models": (),
    "timm.models.layers": ("DropPath", "to_2tuple", "trunc_normal_"),
    "torchvision": (),
    "torchvision.models": (),
    "torchvision.models._utils": ("IntermediateLayerGetter",),
    "torchvision.ops": (),
    "torchvision.ops.boxes": ("box_area", "nms"),
    "addict": ("Dict",),
    "yapf": (),
    "yapf.yapflib": (),
    "yapf.yapflib.yapf_api": ("FormatCode",),
    "cv2": (),
    "matplotlib": ("transforms",),
    "matplotlib.pyplot": (),
    "matplotlib.collections": ("PatchCollection",),
    "matplotlib.patches": ("Polygon",),
    "pycocotools": ("mask",),
}
SHARED = {
    "hidden_dim": 256,
    "nheads": 8,
    "num_queries": 900,
    "num_feature_levels": 4,
    "enc_layers": 6,
    "dec_layers": 6,
    "dim_feedforward": 2048,
}


class DropPath(nn.Module):
    """timm's stochastic depth, which does nothing outside training."""

    def __init__(self, share: float = 0.0) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        assert not self.training
        return x


@contextlib.contextmanager
def stand_ins() -> Iterator[None]:
    """Puts the stand-ins in the place of packages, whether they are installed or not."""
    made = {}
    for name, members in STAND_INS.items():
        made[name] = types.ModuleType(name)
        for member in members:
            setattr(made[name], member, type(member, (), {}))
    for name, module in made.items():
        if "." in name:
            setattr(made[name.rpartition(".")[0]], name.rpartition(".")[2], module)
    layers = made["timm.models.layers"]
    layers.DropPath = DropPath
    layers.to_2tuple = lambda value: value if isinstance(value, tuple) else (value, value)
    layers.trunc_normal_ = nn.init.trunc_normal_
    made["torchvision"].__version__ = "0.20"
    made["torchvision"]._is_tracing = lambda: False
    with mock.patch.dict(sys.modules, made):
        yield


def load() -> types.SimpleNamespace:
    """Import the package; returns the modules used here. Raises ImportError without it."""
    names = {
        "network": "groundingdino.models.GroundingDINO.groundingdino",
        "backbone": "groundingdino.models.GroundingDINO.backbone.backbone",
        "swin": "groundingdino.models.GroundingDINO.backbone.swin_transformer",
        "swin_t": "groundingdino.config.GroundingDINO_SwinT_OGC",
        "swin_b": "groundingdino.config.GroundingDINO_SwinB_cfg",
    }
    importlib.import_module("groundingdino")
    with stand_ins(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return types.SimpleNamespace(
            **{key: importlib.import_module(name) for key, name in names.items()}
        )


def build(
    vocabulary: Path,
    config: str = "swin_t",
    text: dict[str, Any] | None = None,
    swin: dict[str, Any] | None = None,
    **changes: Any,
) -> nn.Module:
    """Make the original network with random weights, in eval mode.

    `config` is one of the package's own configurations, `changes` replaces entries of it. `text` are
    sizes of BERT (default: bert-base's), `swin` those of the backbone (default: the configuration's).
    """
    code = load()
    module = getattr(code, config)
    values = {k: v for k, v in vars(module).items() if not k.startswith("__")}
    unknown = set(changes) - set(values)
    assert not unknown, unknown
    arguments = types.SimpleNamespace(**{**values, **changes})
    bert = BertModel(BertConfig(**(text or {})))
    tokenizer = BertTokenizer(str(vocabulary))
    patches = contextlib.ExitStack()
    patch = mock.patch.object
    tools = code.network.get_tokenlizer
    with patches, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Both would fetch bert-base-uncased.
        patches.enter_context(patch(tools, "get_tokenlizer", lambda name: tokenizer))
        patches.enter_context(patch(tools, "get_pretrained_language_model", lambda name: bert))
        if swin is not None:
            small = code.swin.SwinTransformer(out_indices=(1, 2, 3), **swin)
            patches.enter_context(
                patch(code.backbone, "build_swin_transformer", lambda *a, **k: small)
            )
        with contextlib.redirect_stdout(io.StringIO()):
            return code.network.build_groundingdino(arguments).eval()


def randomise(model: nn.Module, seed: int) -> nn.Module:
    """Give every weight a value that matters, of a size that keeps numbers in a usual range."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in model.named_parameters():
            noise = torch.randn(value.shape, generator=generator)
            if "norm" in name.lower() and name.endswith("weight"):
                value.copy_(1 + 0.05 * noise)
            elif name.endswith(("gamma_v", "gamma_l")):
                value.copy_(0.3 + 0.05 * noise)
            elif name.endswith("sampling_offsets.bias"):
                value.copy_(2 * noise)
            elif name.endswith("level_embed") or "tgt_embed" in name:
                value.copy_(noise)
            elif value.dim() > 1:
                gain = 1.1 if "bbox_embed" in name else 1.0
                value.copy_(noise * gain / value[0].numel() ** 0.5)
            else:
                value.copy_(0.05 * noise)
    return model


def detect(model: nn.Module, pixels: Tensor, caption: str) -> tuple[Tensor, Tensor]:
    """Run the original: normalised pixels [1,3,H,W] -> logits [Q,256] (-inf at pads), boxes [Q,4]."""
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = model(pixels, captions=[caption])
    return out["pred_logits"][0], out["pred_boxes"][0]
