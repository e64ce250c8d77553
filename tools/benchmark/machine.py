# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What the numbers were measured on, and what the kernel says of processes."""

from __future__ import annotations

import os
import platform
from pathlib import Path

# Instruction sets that decide how fast matrix products are.
TELLING = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimd", "sve")
TELLING += ("i8mm", "bf16")
PACKAGES = ("torch", "transformers", "onnxruntime", "openvino")
TICKS = os.sysconf("SC_CLK_TCK")


def cpuinfo(*keys: str) -> str:
    """The first line of /proc/cpuinfo with one of the keys."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(keys):
            return line.split(":", 1)[1].strip()
    return ""


def flags() -> list[str]:
    """Instruction sets of the processor."""
    return sorted(cpuinfo("flags", "Features").split())


def total_memory() -> int:
    """Bytes of memory in the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def free_memory() -> int:
    """Bytes that can be had without swapping."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024
    return total_memory() // 2


def machine(threads: int) -> dict[str, object]:
    """Facts for the report."""
    from benchmark.engines import version

    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        system = platform.system()
    return {
        "processor": cpuinfo("model name", "Model") or platform.machine(),
        "cores": os.cpu_count(),
        "threads": threads,
        "memory_gib": round(total_memory() / 2**30, 1),
        "instructions": [name for name in TELLING if name in flags()],
        "system": system,
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        "versions": {name: version(name) for name in PACKAGES},
    }


def memory(pid: int) -> dict[str, int]:
    """Bytes of a process: `peak` and `resident`, of these `own` not backed by a file."""
    names = {"VmHWM:": "peak", "VmRSS:": "resident", "RssAnon:": "own"}
    found = dict.fromkeys(names.values(), 0)
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return found
    for line in lines:
        words = line.split()
        if words and words[0] in names:
            found[names[words[0]]] = int(words[1]) * 1024
    return found


def busy(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / TICKS
