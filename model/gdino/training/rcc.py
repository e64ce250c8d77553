# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Reader of Qt resource files (.rcc), which hold the photographs of GCompris."""

import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

DIRECTORY, COMPRESSED, ZSTD = 2, 1, 4


def read_rcc(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (path inside the resource, contents) of every file in `path`."""
    raw = Path(path).read_bytes()
    if raw[:4] != b"qres":
        raise ValueError(f"{path}: not a Qt resource file, starts with {raw[:4]!r}, wanted b'qres'")
    version, tree, data, names = struct.unpack(">IIII", raw[4:20])
    size = 14 if version < 2 else 22

    def name(offset: int) -> str:
        start = names + offset
        (length,) = struct.unpack(">H", raw[start : start + 2])
        return raw[start + 6 : start + 6 + 2 * length].decode("utf-16-be")

    def walk(node: int, prefix: str) -> Iterator[tuple[str, bytes]]:
        start = tree + node * size
        name_offset, flags = struct.unpack(">IH", raw[start : start + 6])
        path_here = f"{prefix}/{name(name_offset)}" if node else prefix
        if flags & DIRECTORY:
            count, first = struct.unpack(">II", raw[start + 6 : start + 14])
            for child in range(count):
                yield from walk(first + child, path_here)
            return
        (where,) = struct.unpack(">I", raw[start + 10 : start + 14])
        where += data
        (length,) = struct.unpack(">I", raw[where : where + 4])
        body = raw[where + 4 : where + 4 + length]
        if flags & COMPRESSED:
            body = zlib.decompress(body[4:])
        elif flags & ZSTD:
            body = subprocess.run(
                ["zstd", "-dc"], input=body, capture_output=True, check=True
            ).stdout
        yield path_here.lstrip("/"), body

    yield from walk(0, "")
