# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Grounding DINO under torch.compile: one compilation, whatever the prompt."""

from __future__ import annotations

import itertools
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from gdino.conversion import find_tokenizer, image_statistics, to_network, to_vocabulary
from gdino.network import GroundingDino
from gdino.padding import PaddedText, is_batch, pad_ids, pad_queries, pad_text
from gdino.pictures import as_pictures, place, recommended_canvas
from gdino.postprocess import NMS, check_fraction, detections
from gdino.prompt import SHORTEST_TEXT, PromptError

PROMPTS_KEPT = 16
# One for each compilation of this process.
NUMBERS = itertools.count()
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


class CompilableGroundingDINO:
    """Brings text to one fixed length, so that torch.compile meets one shape only.

    max_queries: number of text tokens of the compiled graph, 8 to what the model knows (256 for
        all published checkpoints). Shorter is faster.
    tokenizer: what turns text into tokens: a transformers processor or tokenizer, a vocab.txt, or
        a folder with one. Not needed for ids and features, nor where the model knows its folder.
    size: (width, height) in pixels of what the network sees, multiples of 32. Without it the
        first picture decides: scaled as the published image processor would, rounded to 32.
    mode: mode of torch.compile: "default", "reduce-overhead" (CUDA graphs), "max-autotune" or
        "max-autotune-no-cudagraphs".
    backend: backend of torch.compile.

    Raises ValueError for values outside these.
    """

    def __init__(
        self,
        max_queries: int = 256,
        *,
        tokenizer: object = None,
        size: tuple[int, int] | None = None,
        mode: str = "default",
        backend: str | Callable = "inductor",
    ) -> None:
        if not _whole(max_queries, SHORTEST_TEXT):
            raise ValueError(
                f"max_queries is {max_queries!r}, wanted: a whole number from {SHORTEST_TEXT} on"
            )
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}, wanted: {', '.join(MODES)}")
        if size is not None and not (len(size) == 2 and all(_whole(side, 1) for side in size)):
            raise ValueError(f"size is {size!r}, wanted: (width, height) in pixels")
        self.max_queries = max_queries
        self.tokenizer = tokenizer
        self.size = None if size is None else (size[0], size[1])
        self.mode = mode
        self.backend = backend
        self._vocabulary = None if tokenizer is None else to_vocabulary(tokenizer)

    def __repr__(self) -> str:
        size = "x".join(map(str, self.size)) if self.size else "of the first picture"
        return f"CompilableGroundingDINO({self.max_queries} text tokens, size {size})"

    def prepare(
        self,
        text: str | list[str] | list[list[str]] | None = None,
        *,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        queries: Tensor | None = None,
    ) -> PaddedText:
        """Pad or truncate text to `max_queries` = T tokens; see PaddedText for what comes back.

        Either text: "a cat. a dog.", a list of labels, or a list of such lists (B of them).
        Or input_ids int64 [B,n] from [CLS] to [SEP], attention_mask [B,n] of 0 and 1.
        Or queries float [B,n,D], features of tokens, with input_ids, attention_mask, or neither.

        Text that is too long loses whole phrases from its end, queries without ids lose rows: a
        TextCutWarning names what is lost. Raises PromptError for text without a phrase or a first
        phrase that alone is too long; ValueError or TypeError for tensors of other shapes or
        types, for padding at the left, and for features that are not finite.
        """
        if text is not None:
            if not (input_ids is None and attention_mask is None and queries is None):
                raise ValueError("prepare got text and tensors, wanted: one of them")
            if self._vocabulary is None:
                raise ValueError(
                    "text needs a tokenizer: CompilableGroundingDINO(tokenizer=...) takes a "
                    "processor, a tokenizer or a vocab.txt"
                )
            return pad_text(text, self._vocabulary, self.max_queries, stacklevel=3)
        if input_ids is not None:
            return pad_ids(
                input_ids, attention_mask, self.max_queries, self._vocabulary, queries, stacklevel=3
            )
        if queries is not None:
            return pad_queries(queries, attention_mask, self.max_queries, stacklevel=3)
        raise ValueError("prepare got nothing, wanted: text, input_ids or queries")

    def compile_config(self) -> dict[str, Any]:
        """Arguments for torch.compile.

        dynamic=False: every shape is a constant; fullgraph=True: a graph break is an error, not
        a silent slow path; mode and backend as given to the constructor.
        """
        return {
            "dynamic": False,
            "fullgraph": True,
            "mode": self.mode,
            "backend": self.backend,
        }

    def compile(self, model: nn.Module) -> CompiledDetector:
        """Return a callable that takes images and text; the first call compiles, once.

        model: transformers' GroundingDinoForObjectDetection or
        MMGroundingDinoForObjectDetection, or our own GroundingDino. Its weights are copied, in
        float32, into a network without data-dependent places, on the device where they are; the
        model itself is left as it is and may be deleted. Raises TypeError for another model,
        ConfigError for a configuration that is not supported (the message names the field) and
        ValueError for more text tokens than the model knows.
        """
        vocabulary = self._vocabulary
        if vocabulary is None:
            vocabulary = to_vocabulary(find_tokenizer(model))
        size = self.size or (model.canvas if isinstance(model, GroundingDino) else None)
        network = to_network(
            model, size, self.max_queries, len(vocabulary), image_statistics(self.tokenizer)
        )
        helper = CompilableGroundingDINO(
            self.max_queries,
            tokenizer=vocabulary,
            size=size,
            mode=self.mode,
            backend=self.backend,
        )
        return CompiledDetector(helper, network)


class CompiledDetector:
    """Finds what a text names in pictures; made by CompilableGroundingDINO.compile().

    The text part runs uncompiled, once for each new text; the last 16 are kept. The picture part
    is compiled in the first call, which takes minutes for a full-size model, and never again.
    """

    def __init__(
        self,
        helper: CompilableGroundingDINO,
        network: Callable[[tuple[int, int]], GroundingDino],
    ) -> None:
        self._helper = helper
        self._make_network = network
        self._network: GroundingDino | None = None
        self._frame: Callable[..., tuple[Tensor, Tensor]] | None = None
        self._kept: OrderedDict[Any, tuple[PaddedText, list[Tensor]]] = OrderedDict()
        if helper.size is not None:
            self._build(helper.size)

    @property
    def size(self) -> tuple[int, int] | None:
        """(width, height) in pixels of what the network sees; None before the first picture."""
        return self._network.canvas if self._network else None

    @property
    def max_queries(self) -> int:
        """Number of text tokens of the compiled graph."""
        return self._helper.max_queries

    def prepare(self, text: str | list[str] | list[list[str]]) -> PaddedText:
        """Pad text to the fixed length, as CompilableGroundingDINO.prepare."""
        return pad_text(text, self._helper._vocabulary, self.max_queries, 3)

    def __call__(
        self,
        images: object,
        text: str | list[str] | list[list[str]] | PaddedText,
        *,
        threshold: float = 0.25,
        nms: str | None = "phrase",
        iou_threshold: float = 0.7,
        max_detections: int = 300,
    ) -> dict[str, Any] | list[dict[str, Any]]:
        """Detect.

        images: a PIL image, an array uint8 [H,W,3], a tensor [3,H,W] of uint8 or of floats in
            0..1, an array or tensor of several, or a list. Any size: each is scaled into the
            fixed size with its shape kept, and centred.
        text: "a cat. a dog.", a list of labels, or for several images a list of such lists.
        threshold: least score, 0 to 1. A score is the sigmoid of the best logit among the
            label's own tokens.
        nms: "phrase" (boxes of one label compete), "all" (all compete) or None.
        iou_threshold: overlap above which the weaker box goes. max_detections: at most so many.

        Returns for one image a dict, for several a list: scores float32 tensor [n], best first;
        labels, n strings in the user's own words; boxes float32 tensor [n,4], x0, y0, x1, y1 in
        pixels of the image; text_labels, the same as labels. Raises PictureError, PromptError or
        ValueError for what cannot be used.
        """
        check_fraction("threshold", threshold)
        check_fraction("iou_threshold", iou_threshold)
        if nms not in NMS:
            raise ValueError(f"nms is {nms!r}, wanted: 'phrase', 'all' or None")
        if not _whole(max_detections, 1):
            raise ValueError(f"max_detections is {max_detections!r}, wanted: at least 1")
        pictures, single = as_pictures(images)
        if self._network is None:
            self._build(recommended_canvas(pictures[0].size))
        texts = self._texts(text, len(pictures))
        colour = tuple(round(value * 255) for value in self._network.config.image_mean)
        results = []
        for picture, (padded, features) in zip(pictures, texts, strict=True):
            board, where = place(picture, self._network.canvas, colour)
            logits, boxes = self._run(board, padded, features)
            results.append(
                detections(
                    logits[0],
                    boxes[0],
                    padded.phrases[0],
                    where,
                    threshold,
                    nms,
                    iou_threshold,
                    max_detections,
                )
            )
        return results[0] if single else results

    def forward(self, image: Tensor, text: PaddedText) -> tuple[Tensor, Tensor]:
        """Run the compiled graph alone.

        image uint8 [1,H,W,3], RGB, exactly `size`; text with one row -> logits float32 [1,Q,T],
        -inf at padding, and boxes float32 [1,Q,4] as centre and size in 0..1 of the image.
        """
        if self._network is None:
            if not isinstance(image, Tensor) or image.dim() != 4:
                raise ValueError("image has no size to fix yet, wanted: uint8 [1,H,W,3]")
            self._build((image.shape[2], image.shape[1]))
        wanted = (1, self._network.canvas[1], self._network.canvas[0], 3)
        if not isinstance(image, Tensor) or image.dtype is not torch.uint8:
            kind = image.dtype if isinstance(image, Tensor) else type(image).__name__
            raise ValueError(f"image is {kind}, wanted: a tensor of torch.uint8")
        if tuple(image.shape) != wanted:
            raise ValueError(f"image is {list(image.shape)}, compiled for: {list(wanted)}")
        logits, boxes = self._run(image, *self._encode(text))
        # With CUDA graphs the next run writes over the last one's results.
        return logits.clone(), boxes.clone()

    def _build(self, size: tuple[int, int]) -> None:
        self._network = self._make_network(size)
        self._frame = _compiled(self._network, self._helper.compile_config())
        self._make_network = None

    def _texts(self, text: object, count: int) -> list[tuple[PaddedText, list[Tensor]]]:
        """Padded text and its features for each of `count` pictures."""
        if not is_batch(text):
            return [self._text(text)] * count
        if len(text) != count:
            raise PromptError(f"text is {len(text)} lists of labels, wanted: {count}, as images")
        return [self._text(one) for one in text]

    def _text(self, text: object) -> tuple[PaddedText, list[Tensor]]:
        if isinstance(text, PaddedText):
            return self._encode(text)
        key = tuple(map(str, text)) if isinstance(text, (list, tuple)) else str(text)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = self._encode(pad_text(text, self._helper._vocabulary, self.max_queries, 5))
        self._kept[key] = found
        if len(self._kept) > PROMPTS_KEPT:
            self._kept.popitem(last=False)
        return found

    def _encode(self, text: PaddedText) -> tuple[PaddedText, list[Tensor]]:
        if text.input_ids is None:
            raise ValueError("text holds features without token ids, wanted: text or input_ids")
        if text.input_ids.shape != (1, self.max_queries):
            raise ValueError(
                f"text is {list(text.input_ids.shape)}, wanted: {[1, self.max_queries]}"
            )
        device = self._device()
        with torch.inference_mode(), torch.autocast(device.type, enabled=False):
            ids, positions, block = (
                value.to(device, copy=True)
                for value in (text.input_ids, text.position_ids, text.block_mask)
            )
            features = [*self._network.encode_text(ids, positions, block)]
            return text, [*features, text.text_mask.to(device, copy=True), block]

    def _run(
        self, image: Tensor, text: PaddedText, features: list[Tensor]
    ) -> tuple[Tensor, Tensor]:
        device = self._device()
        # Compiled code is bound to the state of autograd and autocast, and to tensors made in it.
        with torch.inference_mode(), torch.autocast(device.type, enabled=False):
            return self._frame(image.to(device, copy=True).contiguous(), *features)

    def _device(self) -> torch.device:
        return self._network.mean.device


def _compiled(network: GroundingDino, config: dict[str, Any]) -> Callable:
    def frame(image: Tensor, *text: Tensor) -> tuple[Tensor, Tensor]:
        return network.forward_frame(image, *text)

    # torch keeps compiled code, and its limit of recompilations, by code object: each detector
    # has its own, or the ninth in a process would fail. What it has seen change it keeps by the
    # code's name (2.6): a number of one model would be no constant in the next.
    code = frame.__code__.replace(co_name=f"frame_{next(NUMBERS)}")
    own = types.FunctionType(code, frame.__globals__, frame.__name__, None, frame.__closure__)
    return torch.compile(own, **config)
