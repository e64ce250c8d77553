# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Measures one model run by PyTorch as it is, compiled from Python, and by the C library.

All do the same work on the same picture and prompt, by turns within each
round, so that what else the machine does falls on all alike: read the ratios.
Writes bench.json and bench.png to build/bench/.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "model"))

from gdino.execute import CompiledGraph  # noqa: E402
from gdino.network import GroundingDino  # noqa: E402
from gdino.prompt import encode_prompt  # noqa: E402
from gdino.tokenizer import Vocabulary  # noqa: E402
from gdino.verify import test_image  # noqa: E402

PROMPT = "a cat. red car. a dog. person."
FRAMES_A_ROUND = 3
TEXTS_A_ROUND = 2
EAGER = "PyTorch, eager"
COMPILED = "compiled, from Python"
LIBRARY = "C library"


class Library:
    """The C library in a process of its own, driven through a pipe."""

    def __init__(self, package: pathlib.Path, image: torch.Tensor, folder: pathlib.Path) -> None:
        canvas = folder / "canvas.rgb"
        canvas.write_bytes(image.numpy().tobytes())
        program = ROOT / "build" / "meson" / "tests" / "bench" / "bench-detector"
        self.process = subprocess.Popen(
            [program, package, canvas, PROMPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, what: str, times: int) -> list[float]:
        """Seconds of each run of "frame" or "text"."""
        self.process.stdin.write(f"{what} {times}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"bench-detector ended with {self.process.wait()}")
        return [int(word) / 1e6 for word in line.split()]

    def close(self) -> None:
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait(timeout=60)


def timed(function, times: int) -> list[float]:
    """Seconds of each call."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return seconds


def machine() -> dict[str, object]:
    """What the numbers were measured on."""
    model = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load_before": round(os.getloadavg()[0], 2),
        "system": system,
        "torch": torch.__version__,
    }


def contenders(package: pathlib.Path, folder: pathlib.Path):
    """Functions that run a graph so many times, by graph and contender; and the library."""
    manifest = json.loads((package / "manifest.json").read_text())
    width, height = manifest["canvas"]["width"], manifest["canvas"]["height"]
    vocabulary = Vocabulary.from_file(package / "vocab.txt")
    prompt = encode_prompt(PROMPT, vocabulary, manifest["text_tokens"])
    image = test_image(width, height)

    network = GroundingDino.from_folder(ROOT / "models" / "default", canvas=(width, height))
    text_inputs = (prompt.ids, prompt.positions, prompt.block_mask)
    features = network.encode_text(*text_inputs)
    frame_inputs = (image, *features, prompt.text_mask, prompt.block_mask)
    text_graph = CompiledGraph(package / "text.so")
    frame_graph = CompiledGraph(package / "frame.so")
    library = Library(package, image, folder)
    return library, {
        "frame": {
            EAGER: lambda n: timed(lambda: network.forward_frame(*frame_inputs), n),
            COMPILED: lambda n: timed(lambda: frame_graph(*frame_inputs), n),
            LIBRARY: lambda n: library.run("frame", n),
        },
        "text": {
            EAGER: lambda n: timed(lambda: network.encode_text(*text_inputs), n),
            COMPILED: lambda n: timed(lambda: text_graph(*text_inputs), n),
            LIBRARY: lambda n: library.run("text", n),
        },
    }


def measure(work: dict, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Median seconds of each round, by graph and contender."""
    times = {graph: {name: [] for name in runs} for graph, runs in work.items()}
    counts = {"frame": FRAMES_A_ROUND, "text": TEXTS_A_ROUND}
    for number in range(rounds + 1):
        for graph, runs in work.items():
            for name, run in runs.items():
                seconds = statistics.median(run(counts[graph]))
                if number > 0:  # the first round warms up
                    times[graph][name].append(seconds)
        print(f"\rround {number} of {rounds}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return times


def summarise(times: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, dict]]:
    """Medians, and how many times faster than eager, with the range over rounds."""
    summary = {}
    for graph, runs in times.items():
        summary[graph] = {}
        for name, seconds in runs.items():
            ratios = [eager / own for eager, own in zip(runs[EAGER], seconds, strict=True)]
            summary[graph][name] = {
                "milliseconds": round(1000 * statistics.median(seconds), 2),
                "times_faster_than_eager": round(statistics.median(ratios), 3),
                "range": [round(min(ratios), 3), round(max(ratios), 3)],
            }
    return summary


def plot(summary: dict, facts: dict, path: pathlib.Path) -> None:
    """Bars of the ratios."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    titles = {"frame": "one frame", "text": "a new prompt"}
    figure, axes = pyplot.subplots(1, len(summary), figsize=(9, 3.6), constrained_layout=True)
    for axis, (graph, rows) in zip(axes, summary.items(), strict=True):
        names = list(rows)[::-1]
        ratios = [rows[name]["times_faster_than_eager"] for name in names]
        low = [ratio - rows[name]["range"][0] for ratio, name in zip(ratios, names, strict=True)]
        high = [rows[name]["range"][1] - ratio for ratio, name in zip(ratios, names, strict=True)]
        bars = axis.barh(names, ratios, xerr=[low, high], color="#4878a8", capsize=3)
        axis.bar_label(
            bars,
            [f"{rows[name]['milliseconds']:.1f} ms" for name in names],
            label_type="center",
            color="white",
        )
        axis.axvline(1.0, color="black", linewidth=0.8)
        axis.set_title(titles[graph])
        axis.set_xlabel("times as fast as eager")
    figure.suptitle(
        f"{facts['processor']}, {facts['threads']} threads, torch {facts['torch']}", fontsize=9
    )
    figure.savefig(path, dpi=120)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("package", type=pathlib.Path, help="compiled default model")
    parser.add_argument("--rounds", type=int, default=7, help="rounds that count (default: 7)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)

    facts = machine()
    with torch.inference_mode():
        library, work = contenders(options.package, folder)
        try:
            times = measure(work, options.rounds)
        finally:
            library.close()
    summary = summarise(times)

    result = {"machine": facts, "prompt": PROMPT, "rounds": options.rounds, "results": summary}
    (folder / "bench.json").write_text(json.dumps(result, indent=2) + "\n")
    plot(summary, facts, folder / "bench.png")
    print(", ".join(f"{key} {value}" for key, value in facts.items()))
    for graph, rows in summary.items():
        for name, row in rows.items():
            low, high = row["range"]
            print(
                f"{graph:6} {name:22} {row['milliseconds']:8.1f} ms   "
                f"{row['times_faster_than_eager']:5.2f} x eager ({low:.2f} to {high:.2f})"
            )
    print(f"{folder / 'bench.json'}\n{folder / 'bench.png'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
