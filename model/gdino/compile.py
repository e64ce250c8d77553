# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""gdino-compile: turns a Grounding DINO checkpoint into a model package for this machine."""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

EPILOG = """\
examples:
  # the default model of the source tree
  gdino-compile models/default --output build/packages/default

  # a checkpoint from Hugging Face, smaller picture, shorter prompts: faster
  gdino-compile grounding-dino-tiny --output packages/tiny --size 640x384 --text-tokens 64

CHECKPOINT is a folder in the layout of Hugging Face's GroundingDinoForObjectDetection:
config.json, model.safetensors (or its shards) and vocab.txt. Sizes that can be chosen are fixed
in the package: every frame is scaled to --size, every prompt is padded to --text-tokens. Work
per frame grows with both.

The package holds native code for the processor and the torch version of this machine. Loading a
package runs that code: only use packages you trust.

exit status: 0 done, 1 failed (nothing is left behind), 2 wrong usage, 130 interrupted.
"""
SHORTEST_TEXT = 8
FALLBACK_CANVAS = (960, 544)
STAGES = 8


class CompileError(RuntimeError):
    """A package cannot be made; the message says why."""


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    checkpoint: Path
    output: Path
    size: tuple[int, int] | None
    text_tokens: int | None
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


def parse_arguments(arguments: list[str] | None) -> Options:
    """Read the command line; exits with status 2 where it is wrong."""
    parser = argparse.ArgumentParser(
        prog="gdino-compile",
        description="Compile a Grounding DINO checkpoint ahead of time into a model package, "
        "the folder that the GStreamer element groundingdino loads.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkpoint", metavar="CHECKPOINT", type=Path, help="checkpoint folder")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Path,
        required=True,
        help="package folder to make; must not exist (see --force)",
    )
    parser.add_argument(
        "--size",
        metavar="WxH",
        type=parse_size,
        help="size frames are scaled to, multiples of 32 (default: what the checkpoint "
        "recommends, else 960x544)",
    )
    parser.add_argument(
        "--text-tokens",
        metavar="N",
        type=positive,
        help="tokens a prompt is padded to, 8 or more (default: the checkpoint's maximum)",
    )
    parser.add_argument(
        "--device", default="cpu", metavar="DEVICE", help="where the package runs; cpu (default)"
    )
    parser.add_argument(
        "--threads",
        metavar="N",
        type=positive,
        help="threads used while compiling and checking (default: all cores); the package "
        "itself takes the number given at run time (OMP_NUM_THREADS)",
    )
    parser.add_argument(
        "-f", "--force", action="store_true", help="replace FOLDER if it is a model package"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show torch's messages and tracebacks"
    )
    return Options(**vars(parser.parse_args(arguments)))


class Progress:
    """Stages on standard error: a bar on a terminal, lines elsewhere, nothing when quiet."""

    def __init__(self, quiet: bool) -> None:
        self.bar = None
        self.quiet = quiet
        self.done = 0
        self.stop = threading.Event()
        if not quiet and sys.stderr.isatty():
            from tqdm import tqdm

            form = "{desc:<34} {bar} {n_fmt}/{total_fmt} [{elapsed}]"
            self.bar = tqdm(total=STAGES, bar_format=form)
            # One stage may take minutes: keep the clock moving.
            self.clock = threading.Thread(target=self._tick, daemon=True)
            self.clock.start()

    def _tick(self) -> None:
        while not self.stop.wait(1.0):
            self.bar.refresh()

    @contextmanager
    def stage(self, text: str) -> Iterator[None]:
        """One stage; counted when it ends well."""
        start = time.monotonic()
        if self.bar is not None:
            self.bar.set_description_str(text)
        elif not self.quiet:
            print(f"[{self.done + 1}/{STAGES}] {text}", end="", file=sys.stderr, flush=True)
        try:
            yield
        except BaseException:
            if self.bar is None and not self.quiet:
                print(file=sys.stderr)
            raise
        self.done += 1
        if self.bar is not None:
            self.bar.update()
        elif not self.quiet:
            print(f" ({time.monotonic() - start:.0f} s)", file=sys.stderr, flush=True)

    def close(self) -> None:
        """End the bar."""
        if self.bar is not None:
            self.stop.set()
            self.clock.join()
            self.bar.close()


def check_output(output: Path, force: bool) -> None:
    """Raise CompileError where the package cannot be put at `output`."""
    if output.is_symlink() or output.exists():
        if not force:
            raise CompileError(f"{output}: exists already; choose another name or give --force")
        if not (output.is_dir() and (output / "manifest.json").is_file()):
            raise CompileError(f"{output}: is not a model package, so --force leaves it alone")
    parent = output.absolute().parent
    if parent.exists() and not parent.is_dir():
        raise CompileError(f"{parent}: is not a folder")


@contextmanager
def staging(output: Path) -> Iterator[Path]:
    """A hidden folder beside `output`, removed with all it holds when the block ends."""
    parent = output.absolute().parent
    made = [p for p in (parent, *parent.parents) if not p.exists()]
    folder = None
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".partial", dir=parent))
        yield folder
    except OSError as error:
        raise CompileError(f"{error.filename or parent}: {error.strerror or error}") from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        for path in made:
            # Folders made for a package that did not come about; full ones stay.
            try:
                path.rmdir()
            except OSError:
                break


def publish(package: Path, output: Path, scratch: Path) -> None:
    """Move the finished package to `output`; an old one steps aside for it."""
    old = scratch / "replaced"
    if output.exists():
        output.rename(old)
    try:
        package.rename(output)
    except OSError:
        if old.exists():
            old.rename(output)
        raise


def check_tokenizer(folder: Path) -> None:
    """Refuse tokenizers that keep capital letters."""
    from gdino.config import read_json

    path = folder / "tokenizer_config.json"
    if path.is_file() and read_json(path).get("do_lower_case") is False:
        raise CompileError(f"{path}: 'do_lower_case' is false, supported: true")


def recommended_canvas(folder: Path) -> tuple[int, int]:
    """Canvas that the checkpoint's preprocessor_config.json names, or the fallback."""
    from gdino.config import ConfigError, read_json

    path = folder / "preprocessor_config.json"
    if not path.is_file():
        return FALLBACK_CANVAS
    canvas = read_json(path).get("canvas")
    if canvas is None:
        return FALLBACK_CANVAS
    try:
        width, height = canvas["width"], canvas["height"]
        if type(width) is not int or type(height) is not int:
            raise TypeError
    except (KeyError, TypeError):
        raise ConfigError(f"{path}: 'canvas' is {canvas!r}, wanted: width and height") from None
    return width, height


def inductor_options(output: Path) -> dict[str, object]:
    """Options for inductor, those that the running torch knows."""
    from torch._inductor import config

    wanted: dict[str, object] = {
        "aot_inductor.output_path": str(output),
        # Otherwise the loops ask for as many threads as the machine that compiled had.
        "cpp.dynamic_threads": True,
        "compile_threads": 1,
    }
    known = config.get_config_copy() if hasattr(config, "get_config_copy") else {}
    return {name: value for name, value in wanted.items() if not known or name in known}


def compile_graph(program: object, example: tuple, name: str, folder: Path) -> Path:
    """Compile an exported program to `folder`/NAME.so and check that it needs no Python."""
    import torch

    folder.mkdir()
    path = folder / f"{name}.so"
    try:
        torch._inductor.aot_compile(program.module(), example, options=inductor_options(path))
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        wrong = [line for line in lines if "error:" in line or "No such file" in line]
        reason = (wrong or lines or [type(error).__name__])[0]
        raise CompileError(f"compiling the {name} graph failed: {reason.strip()}") from error
    if not path.is_file():
        raise CompileError(f"compiling the {name} graph gave no {path.name}")
    check_native(folder, name)
    return path


def check_native(folder: Path, name: str) -> None:
    """Raise CompileError where compiled code calls back into torch's Python-side operators."""
    extern = sorted(p.name for p in folder.rglob("*extern_node*"))
    callers = [
        p.name
        for p in folder.rglob("*.cpp")
        if "aoti_torch_proxy_executor_call_function(" in p.read_text(errors="replace")
    ]
    if extern or callers:
        raise CompileError(
            f"the {name} graph holds an operator without C interface ({(extern + callers)[0]})"
        )


def compile_package(options: Options, progress: Progress) -> str:
    """Make the package; returns a summary. Raises the errors that `main` reports."""
    with progress.stage("checking"):
        if options.device != "cpu":
            raise CompileError(f"device is '{options.device}', supported: cpu")
        check_output(options.output, options.force)
        import torch

        from gdino import graphs, isa, manifest, verify
        from gdino.checkpoint import find_vocabulary, weight_files
        from gdino.config import GroundingDinoConfig
        from gdino.network import GroundingDino, check_canvas
        from gdino.tokenizer import Vocabulary

        quiet_torch(options.verbose)
        if options.threads:
            torch.set_num_threads(options.threads)
        source = options.checkpoint
        files = weight_files(source)
        config = GroundingDinoConfig.from_folder(source)
        check_tokenizer(source)
        vocabulary = Vocabulary.from_file(find_vocabulary(source))
        if len(vocabulary) > config.text_config.vocab_size:
            raise CompileError(
                f"{source / 'vocab.txt'}: {len(vocabulary)} lines, the text encoder knows "
                f"{config.text_config.vocab_size} tokens"
            )
        canvas = options.size or recommended_canvas(source)
        check_canvas(config, canvas)
        tokens = options.text_tokens or config.max_text_len
        longest = config.text_config.max_position_embeddings
        if not SHORTEST_TEXT <= tokens <= longest:
            raise CompileError(
                f"text tokens are {tokens}, wanted: {SHORTEST_TEXT} to {longest} (the "
                "checkpoint's position table)"
            )
        target = isa.target(isa.compiler())
    with staging(options.output) as scratch, torch.no_grad():
        with progress.stage("reading weights"):
            network = GroundingDino.from_folder(source, canvas)
            network.fold()
            specs = graphs.graph_specs(network, tokens)
        package = scratch / "package"
        package.mkdir()
        parts = {"text": graphs.TextGraph(network), "frame": graphs.FrameGraph(network)}
        for name, part in parts.items():
            with progress.stage(f"exporting {name} graph"):
                program = graphs.export_graph(part.eval(), specs[name])
            with progress.stage(f"compiling {name} graph"):
                example = tuple(item.example() for item in specs[name].inputs)
                path = compile_graph(program, example, name, scratch / name)
                path.rename(package / path.name)
                shutil.rmtree(scratch / name)
                del program
        with progress.stage("writing manifest"):
            shutil.copyfile(find_vocabulary(source), package / "vocab.txt")
            origin = {
                "name": source.resolve().name,
                "sha256": manifest.file_digest(*files),
            }
            terms = manifest.licence(source)
            if terms:
                origin["license"] = terms
            content = manifest.build_manifest(network, vocabulary, specs, origin, target, package)
            content["defaults"] = manifest.thresholds(source)
            manifest.write_manifest(content, package)
        with progress.stage("comparing with the network"):
            found = verify.compare_package(
                network, vocabulary, tokens, package, scratch, options.threads
            )
        publish(package, options.output, scratch)
    return (
        f"{options.output}: {canvas[0]}x{canvas[1]}, {tokens} text tokens, "
        f"{config.num_queries} queries\n"
        f"compiled against network: scores differ by {found.scores:.1e}, boxes by "
        f"{found.boxes:.1e}\n"
        f"one prompt takes {1e3 * found.text_seconds:.1f} ms, one frame "
        f"{1e3 * found.frame_seconds:.1f} ms on this machine"
    )


def quiet_torch(verbose: bool) -> None:
    """Keep torch's warnings away from people who cannot act on them."""
    if not verbose:
        warnings.simplefilter("ignore")
        logging.getLogger("torch").setLevel(logging.CRITICAL)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    options = parse_arguments(arguments)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name)
        # nohup and its like have these ignored: so be it.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    progress = Progress(options.quiet)
    failure: BaseException | None = None
    summary = ""
    try:
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
        print(f"gdino-compile: error: {failure}", file=sys.stderr)
        return 1
    if not options.quiet:
        print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
