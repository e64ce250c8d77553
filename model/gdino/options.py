# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The command line of gdino-compile. Loads no torch, so that --help is quick."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

PRECISIONS = ("fp32", "bf16")
LARGEST_BATCH = 64

EPILOG = """\
examples:
  # the default model of the source tree
  gdino-compile models/default --output build/packages/default

  # a checkpoint from Hugging Face, smaller picture, shorter prompts: faster
  gdino-compile IDEA-Research/grounding-dino-tiny --output packages/tiny --size 640x384 \\
    --text-tokens 64

  # a file of the original code; matrix products in bfloat16, four frames a run
  gdino-compile groundingdino_swint_ogc.pth --output packages/four --precision bf16 --batch 4

CHECKPOINT is one of: a folder in the layout of Hugging Face's GroundingDinoForObjectDetection
(config.json, model.safetensors or its shards, vocab.txt); the id of such a repository on Hugging
Face, which is fetched into its cache (HF_HOME), or taken from there; a .pth file of the original
code. A folder of that name comes first. --list shows checkpoints that are known.

Sizes that can be chosen are fixed in the package: every frame is scaled to --size, every prompt is
padded to --text-tokens. Work per frame grows with both.

--precision bf16 is quicker on processors with bfloat16 units (avx512_bf16, amx_bf16, bf16 in
/proc/cpuinfo), slower on others; scores move by a hundredth or two.

The package holds native code for the processor and the torch version of this machine. Loading a
package runs that code: only use packages you trust.

exit status: 0 done, 1 failed (nothing is left behind), 2 wrong usage, 130 interrupted.
"""


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    checkpoint: str
    output: Path
    vocabulary: Path | None
    size: tuple[int, int] | None
    text_tokens: int | None
    batch: int
    precision: str
    device: str
    threads: int | None
    force: bool
    quiet: bool
    verbose: bool


def parse_size(text: str) -> tuple[int, int]:
    """Read WxH."""
    found = re.fullmatch(r"(\d{1,5})[xX](\d{1,5})", text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' is no size; wanted WIDTHxHEIGHT as 448x256")
    return int(found.group(1)), int(found.group(2))


def positive(text: str) -> int:
    """Read a number above zero."""
    if not re.fullmatch(r"\d{1,6}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number above 0")
    return int(text)


def parse_batch(text: str) -> int:
    """Read a number of frames."""
    number = positive(text)
    if number > LARGEST_BATCH:
        raise argparse.ArgumentTypeError(f"'{text}' is above {LARGEST_BATCH}")
    return number


def parse_device(text: str) -> str:
    """Read cpu, cuda or cuda:N."""
    if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no device; wanted cpu, cuda or cuda:N")
    return text


class ListAction(argparse.Action):
    """Prints the known checkpoints and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *unused: object) -> None:
        from gdino import zoo

        sys.stdout.write(zoo.table())
        parser.exit()


def parse_arguments(arguments: list[str] | None) -> Options:
    """Read the command line; exits with status 2 where it is wrong."""
    parser = argparse.ArgumentParser(
        prog="gdino-compile",
        description="Compile a Grounding DINO checkpoint ahead of time into a model package, "
        "the folder that the GStreamer element groundingdino loads.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "checkpoint",
        metavar="CHECKPOINT",
        help="checkpoint folder, Hugging Face id (ORGANISATION/NAME, also @REVISION), or .pth "
        "file of the original code",
    )
    add(
        "--list",
        action=ListAction,
        nargs=0,
        default=argparse.SUPPRESS,
        help="show known checkpoints with licence and published accuracy, and exit",
    )
    add(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Path,
        required=True,
        help="package folder to make; must not exist (see --force)",
    )
    add(
        "--vocabulary",
        metavar="FILE",
        type=Path,
        help="vocab.txt to use (default: the checkpoint's; for a .pth file the one beside it, "
        "else that of bert-base-uncased)",
    )
    add(
        "--size",
        metavar="WxH",
        type=parse_size,
        help="size frames are scaled to, multiples of 32 (default: what the checkpoint "
        "recommends, else 960x544)",
    )
    add(
        "--text-tokens",
        metavar="N",
        type=positive,
        help="tokens a prompt is padded to, 8 or more; 32 holds about ten short phrases, 256 "
        "is what most checkpoints were trained with (default: the checkpoint's maximum)",
    )
    add(
        "--batch",
        metavar="N",
        type=parse_batch,
        default=1,
        help=f"frames a run takes at once, up to {LARGEST_BATCH} (default: 1); the element "
        "takes one frame at a time",
    )
    add(
        "--precision",
        choices=PRECISIONS,
        default="fp32",
        help="fp32 (default), or bf16: large matrix products in bfloat16",
    )
    add(
        "--device",
        default="cpu",
        metavar="DEVICE",
        type=parse_device,
        help="where the package runs: cpu (default), cuda or cuda:N; the GPU must be in this "
        "machine, the package runs on its kind only",
    )
    add(
        "--threads",
        metavar="N",
        type=positive,
        help="threads used while compiling and checking (default: all cores); the package "
        "itself takes the number given at run time (OMP_NUM_THREADS)",
    )
    add("-f", "--force", action="store_true", help="replace FOLDER if it is a model package")
    add("-q", "--quiet", action="store_true", help="print errors only")
    add("-v", "--verbose", action="store_true", help="show torch's messages and tracebacks")
    return Options(**vars(parser.parse_args(arguments)))
