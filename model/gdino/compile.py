# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""gdino-compile: turns a Grounding DINO checkpoint into a model package for this machine."""

from __future__ import annotations

import logging
import shutil
import sys
import warnings
from typing import TYPE_CHECKING

from gdino.failure import CompileError
from gdino.interrupt import interrupts
from gdino.options import Options, parse_arguments
from gdino.progress import Progress
from gdino.staging import check_output, publish, staging

if TYPE_CHECKING:
    from gdino.source import Checkpoint

SHORTEST_TEXT = 8
FALLBACK_CANVAS = (960, 544)
STAGES = 8


def recommended_canvas(checkpoint: Checkpoint) -> tuple[int, int]:
    """Canvas that the checkpoint's preprocessor_config.json names, or the fallback."""
    from gdino.config import ConfigError

    canvas = checkpoint.preprocessor().get("canvas")
    if canvas is None:
        return FALLBACK_CANVAS
    try:
        width, height = canvas["width"], canvas["height"]
        if type(width) is not int or type(height) is not int:
            raise TypeError
    except (KeyError, TypeError):
        raise ConfigError(
            f"{checkpoint.name}: preprocessor_config.json: 'canvas' is {canvas!r}, wanted: width "
            "and height"
        ) from None
    return width, height


def compile_package(options: Options, progress: Progress) -> str:
    """Make the package; returns a summary. Raises the errors that `main` reports."""
    with progress.stage("checking"):
        check_output(options.output, options.force)
        import torch

        from gdino import graphs, manifest, native, precision, probe, verify
        from gdino.checkpoint import build_network
        from gdino.device import find_device
        from gdino.network import GroundingDino, check_canvas
        from gdino.source import open_checkpoint

        quiet_torch(options.verbose)
        if options.threads:
            torch.set_num_threads(options.threads)
        checkpoint = open_checkpoint(
            options.checkpoint, progress=progress.note, vocabulary=options.vocabulary
        )
        config = checkpoint.config()
        vocabulary = checkpoint.check_vocabulary()
        canvas = options.size or recommended_canvas(checkpoint)
        check_canvas(config, canvas)
        tokens = options.text_tokens or config.max_text_len
        longest = config.text_config.max_position_embeddings
        if not SHORTEST_TEXT <= tokens <= longest:
            raise CompileError(
                f"text tokens are {tokens}, wanted: {SHORTEST_TEXT} to {longest} (the "
                "checkpoint's position table)"
            )
        thresholds = manifest.thresholds(checkpoint)
        device = find_device(options.device, options.precision)
    with staging(options.output, lambda: progress.doing) as scratch, torch.no_grad():
        with progress.stage("reading weights"):
            network = build_network(
                GroundingDino, config, canvas, checkpoint.tensors(), options.checkpoint
            )
            network.fold()
            specs = graphs.graph_specs(network, tokens, options.batch)
        package = scratch / "package"
        package.mkdir()
        parts = {
            "text": graphs.TextGraph(network),
            "frame": graphs.FrameGraph(precision.apply(network, options.precision)),
        }
        for name in list(parts):
            with progress.stage(f"exporting {name} graph"):
                part = graphs.on_device(parts.pop(name), device.name)
                program = graphs.export_graph(part.eval(), specs[name], device.name)
            with progress.stage(f"compiling {name} graph"):
                example = specs[name].examples(device.name)
                path = native.compile_graph(program, example, name, scratch / name, device.kind)
                path.rename(package / path.name)
                shutil.rmtree(scratch / name)
                del program, part
        with progress.stage("comparing with the network"):
            judge = verify.Judge(
                options.precision, device.name, thresholds["box_threshold"], options.threads
            )
            found = verify.compare_package(
                network, vocabulary, tokens, options.batch, package, scratch, judge
            )
        with progress.stage("writing manifest"):
            probe.write(found.probe, package)
            shutil.copyfile(checkpoint.vocabulary, package / "vocab.txt")
            origin = {
                "name": checkpoint.origin,
                "sha256": manifest.file_digest(*checkpoint.files),
            }
            terms = checkpoint.licence()
            if terms:
                origin["license"] = terms
            content = manifest.build_manifest(
                network, vocabulary, specs, origin, device, options.precision, package
            )
            content["defaults"] = thresholds
            manifest.write_manifest(content, package)
        publish(package, options.output, scratch)
    frames = "one frame" if options.batch == 1 else f"{options.batch} frames"
    return (
        f"{options.output}: {canvas[0]}x{canvas[1]}, {tokens} text tokens, "
        f"{config.num_queries} queries, {options.precision}\n"
        f"compiled against network: {found.summary}\n"
        f"one prompt takes {1e3 * found.text_seconds:.1f} ms, {frames} "
        f"{1e3 * found.frame_seconds:.1f} ms on this machine"
    )


def quiet_torch(verbose: bool) -> None:
    """Keep torch's warnings away from people who cannot act on them."""
    if not verbose:
        warnings.simplefilter("ignore")
        logging.getLogger("torch").setLevel(logging.CRITICAL)


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    options = parse_arguments(arguments)
    progress = Progress(options.quiet, STAGES)
    failure: BaseException | None = None
    summary = ""
    try:
        with interrupts():
            summary = compile_package(options, progress)
    except KeyboardInterrupt:
        progress.close()
        print("gdino-compile: interrupted, nothing was left behind", file=sys.stderr)
        return 130
    except (CompileError, ValueError, RuntimeError, OSError, MemoryError, ImportError) as error:
        failure = error
    finally:
        progress.close()
    if failure is not None:
        if options.verbose:
            import traceback

            traceback.print_exception(failure)
        reason = str(failure) or ("out of memory" if isinstance(failure, MemoryError) else "failed")
        print(f"gdino-compile: error: {reason}", file=sys.stderr)
        return 1
    if not options.quiet:
        print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
