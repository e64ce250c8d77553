# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What the bench does to the published code leaves its numbers and operators alone."""

from dataclasses import replace

import pytest
import torch
from benchmark.cases import CASES, ROOT, WHOLE
from benchmark.inputs import frame_inputs, read_inputs, write_inputs

CASE = CASES["quick"]


@pytest.fixture(scope="module")
def module():
    """The module, which changes transformers and torch as it works."""
    pytest.importorskip("transformers")
    from benchmark import published

    return published


@pytest.fixture(scope="module")
def untouched(module):
    """Puts back what the module has changed."""
    attention = module.modeling.GroundingDinoMultiscaleDeformableAttention
    before = (getattr(module.modeling, module.MASKS), attention.forward, torch.special.logit)

    def restore() -> None:
        setattr(module.modeling, module.MASKS, before[0])
        attention.forward = before[1]
        torch.special.logit = before[2]

    yield restore
    restore()


@pytest.fixture
def published(module, untouched, inputs):
    """The module in a process as an engine finds it."""
    untouched()
    yield module
    untouched()


@pytest.fixture(scope="module")
def checkpoint(module, untouched, tmp_path_factory):
    """Folder of the smallest checkpoint."""
    from benchmark.networks import write_checkpoint

    folder = tmp_path_factory.mktemp("smallest")
    write_checkpoint("smallest", folder)
    return folder


@pytest.fixture(scope="module")
def reference(checkpoint):
    """Text features, logits and boxes of transformers' own call, before anything is changed."""
    from benchmark.inputs import picture
    from benchmark.networks import GroundingDinoForObjectDetection
    from gdino.prompt import encode_prompt
    from gdino.tokenizer import Vocabulary

    net = GroundingDinoForObjectDetection.from_pretrained(checkpoint).eval()
    prompt = encode_prompt(CASE.prompt, Vocabulary.from_file(checkpoint / "vocab.txt"), CASE.tokens)
    image = torch.from_numpy(picture(*CASE.canvas)).permute(0, 3, 1, 2).float() / 255
    mean, deviation = torch.tensor((0.485, 0.456, 0.406)), torch.tensor((0.229, 0.224, 0.225))
    pixels = (image - mean.view(3, 1, 1)) / deviation.view(3, 1, 1)
    with torch.no_grad():
        return net(
            pixel_values=pixels, input_ids=prompt.ids, attention_mask=prompt.text_mask.long()
        )


@pytest.fixture(scope="module")
def inputs(reference, checkpoint, tmp_path_factory):
    """Folder of the case's inputs."""
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(CASE, checkpoint, folder)
    return folder


def same(found: tuple, wanted: object) -> None:
    """Logits of tokens and boxes are those of the reference."""
    tokens = torch.isfinite(wanted.logits[0, 0])
    assert tokens.sum() > 10
    torch.testing.assert_close(found[0][..., tokens], wanted.logits[..., tokens], atol=1e-4, rtol=0)
    torch.testing.assert_close(found[1], wanted.pred_boxes, atol=1e-5, rtol=0)


@pytest.mark.parametrize("own_masks", [False, True])
@pytest.mark.parametrize("work", [CASE.work, WHOLE])
def test_numbers_are_those_of_transformers(
    published, reference, checkpoint, inputs, work, own_masks
):
    case = replace(CASE, work=work)
    model = published.Published(checkpoint, case, own_masks=own_masks)
    given = [torch.from_numpy(array) for array in frame_inputs(case, inputs)]
    with torch.no_grad():
        same(model(*given), reference)


def test_exportable_code_keeps_numbers_and_grid_sample(published, reference, checkpoint, inputs):
    given = tuple(torch.from_numpy(array) for array in frame_inputs(CASE, inputs))
    model = published.exportable(published.Published(checkpoint, CASE), given)
    program = torch.export.export(model, given, strict=False)
    with torch.no_grad():
        same(program.module()(*given), reference)
    names = [str(node.target) for node in program.graph.nodes]
    # One call for each level of each layer's deformable attention.
    assert sum("grid_sampler" in name for name in names) == 2 * 3


def test_logit_in_plain_operators(published):
    values = torch.tensor([0.0, 1e-7, 0.2, 0.5, 0.999999, 1.0])
    wanted = torch.special.logit(values, eps=1e-5)
    published.without_logit()
    found = torch.special.logit(values, eps=1e-5)
    assert "special_logit" not in str(torch.jit.trace(torch.special.logit, values).graph)
    torch.testing.assert_close(found, wanted)


def test_default_models_backbone_fits_into_the_published_code(published, tmp_path):
    from gdino.network import GroundingDino

    case = CASES["default"]
    folder = ROOT / case.checkpoint
    write_inputs(replace(case, pictures=""), folder, tmp_path)
    stored = {name: torch.from_numpy(array) for name, array in read_inputs(tmp_path).items()}
    given = [torch.from_numpy(array) for array in frame_inputs(case, tmp_path)]
    ours = GroundingDino.from_folder(folder, case.canvas)
    masks = (stored["text_mask"], stored["block_mask"])
    with torch.no_grad():
        found = published.Published(folder, case)(*given)
        wanted = ours.forward_frame(
            stored["image"], stored["features"], stored["text_position"], *masks
        )
    words = stored["words"][0]
    torch.testing.assert_close(found[0][..., words], wanted[0][..., words], atol=1e-3, rtol=0)
    torch.testing.assert_close(found[1], wanted[1], atol=1e-4, rtol=0)
