# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Which part may know which, and what the built objects show."""

import ast
import os
import re
import subprocess

import pytest
import tree

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

GLIB = r"glib(/.*)?\.h|glib-object\.h|gmodule\.h|gio/.*\.h"
LIBC = (
    r"(assert|ctype|errno|fcntl|float|inttypes|limits|locale|malloc|math|setjmp|signal|stdarg|stdatomic"
    r"|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd|wchar|dlfcn|elf|link)\.h"
    r"|sys/[a-z]+\.h|asm/hwcap\.h"
)
PUBLIC = r"gdino/[a-z-]+\.h"
JSON = r"json-glib/.*\.h"
GST = r"gst/.*\.h"

# Folder: what may stand in angle brackets, and what in quotes.
RULES = {
    "include/gdino/": (rf"{GLIB}|{LIBC}|{PUBLIC}", None),
    "src/aoti/": (
        rf"{GLIB}|{LIBC}|{PUBLIC}",
        r"config\.h|abi\.h|loader\.h|backend(_aoti)?\.h"
        r"|(\.\./)?(aoti/)?[a-z_-]+\.h",
    ),
    "src/": (rf"{GLIB}|{LIBC}|{PUBLIC}|{JSON}", r"config\.h|[a-z_-]+\.h|aoti/backend_aoti\.h"),
    "gst/": (rf"{GLIB}|{LIBC}|{PUBLIC}|{GST}", r"config\.h|gst[a-z]+\.h|[a-z-]+\.h"),
    "apps/": (rf"{GLIB}|{LIBC}|{PUBLIC}|{GST}|{JSON}|cairo(/.*)?\.h", r"config\.h|[a-z-]+\.h"),
    "examples/": (
        rf"{GLIB}|glib-unix\.h|gdk-pixbuf/.*\.h|{LIBC}|{PUBLIC}|{GST}|{JSON}",
        r"[a-z-]+\.h",
    ),
    "tests/unit/": (rf"{GLIB}|{LIBC}|{PUBLIC}|{JSON}", r".*"),
    "tests/fuzz/": (rf"{GLIB}|{LIBC}|{PUBLIC}", r".*"),
    "tests/fakes/": (rf"{GLIB}|{LIBC}|{PUBLIC}|{JSON}", r".*"),
    "tests/element/": (rf"{GLIB}|{LIBC}|{PUBLIC}|{GST}|{JSON}", r"config\.h|[a-z-]+\.h"),
}

# Sources that are compiled into another part too, in place of a second copy.
SHARED = {
    "apps": ("gstgdinoframe.h", "gstgdinoprompt.h"),
    "examples": ("draw.h",),
    "tests/element": ("gstgdinokernel.h",),
}

# Names that a part must not know, wherever they stand outside comments.
FORBIDDEN = {
    "include/": r"\b(torch|aoti|cuda_?[A-Z]\w*|Gst[A-Z]\w*)\b",
    "src/aoti/": r"\b(gdino_prompt_\w+|GdinoPrompt|GdinoDetections?|Gst[A-Z]\w*)\b",
    "src/": r"\bGst[A-Z]\w*\b|\bgst_\w+\(",
    "gst/": r"\b(aoti_\w+|gdino_(vocab|tokenizer|nms|boxes|backend|engine_run)\w*)\b",
}


def rule_of(name: str, table: dict):
    """The entry of the longest folder that holds the file."""
    folders = [folder for folder in table if name.startswith(folder)]
    return table[max(folders, key=len)] if folders else None


def without_comments(text: str) -> str:
    """C text with comments and strings blanked."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


SOURCES = tree.with_suffix(".c", ".h")


@pytest.mark.parametrize("folder", sorted(RULES))
def test_includes(folder):
    findings = []
    for name in SOURCES:
        if rule_of(name, {key: key for key in RULES}) != folder:
            continue
        angle, quoted = RULES[folder]
        for bracket, header in INCLUDE.findall(tree.read(name)):
            allowed = angle if bracket == "<" else quoted
            if allowed is None or not re.fullmatch(allowed, header):
                findings.append(f"{name} includes {header}")
            elif bracket == '"' and header != "config.h" and crosses(name, header):
                findings.append(f"{name} includes {header}, which belongs to another part")
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


def crosses(name: str, header: str) -> bool:
    """Whether a quoted header lies where the including part must not look."""
    folder = os.path.dirname(name)
    beside = os.path.normpath(os.path.join(folder, header))
    if folder.startswith("src") or folder in ("tests/unit", "tests/fuzz"):
        return beside.startswith(("gst/", "apps/"))
    # Elsewhere a quoted header stands beside its user, or among the fakes.
    return not (
        (tree.ROOT / beside).exists()
        or (tree.ROOT / "tests/fakes" / header).exists()
        or header in SHARED.get(folder, ())
    )


@pytest.mark.parametrize("folder", sorted(FORBIDDEN))
def test_names_not_known(folder):
    findings = []
    for name in SOURCES:
        if rule_of(name, {key: key for key in FORBIDDEN}) != folder:
            continue
        for found in re.finditer(FORBIDDEN[folder], without_comments(tree.read(name))):
            findings.append(f"{name} knows {found.group(0)}")
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


def test_backends_are_named_in_one_file():
    pattern = re.compile(r"\bgdino_backend_(aoti|cuda|fake)\b")
    allowed = {"src/backends.c"}
    findings = [
        name
        for name in SOURCES
        if name.startswith(("src/", "gst/", "apps/"))
        and not name.startswith("src/aoti/")
        and name not in allowed
        and pattern.search(without_comments(tree.read(name)))
    ]
    assert not findings


def test_no_config_h_in_public_headers():
    assert not [
        name for name in SOURCES if name.startswith("include/") and "config.h" in tree.read(name)
    ]


def imported(name: str) -> set[str]:
    """Top names of the modules that a Python file imports."""
    found = set()
    for node in ast.walk(ast.parse(tree.read(name))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


def test_transformers_only_in_tests():
    # The generator of a committed table asks the tokenizer that the table must equal, the
    # example is for those who use transformers, and the benchmark measures their code.
    generators = {
        "tools/make-unicode-tables.py",
        "examples/python/compile_transformers.py",
        "tools/benchmark/networks.py",
        "tools/benchmark/published.py",
    }
    users = [
        name
        for name in tree.python()
        if not name.startswith("tests/")
        and name not in generators
        and imported(name) & {"transformers", "tokenizers"}
    ]
    assert not users


def test_model_does_not_know_gstreamer():
    users = [name for name in tree.python() if name.startswith("model/") and "gi" in imported(name)]
    assert not users


def defined(path) -> set[str]:
    """Dynamic symbols that a shared object defines."""
    listing = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=posix", path],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    return {line.split()[0].split("@")[0] for line in listing.splitlines() if line}


def needed(path) -> list[str]:
    """Libraries that a shared object asks the loader for."""
    listing = subprocess.run(
        ["readelf", "--dynamic", "--wide", path], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listing)


def test_library_exports_what_its_headers_declare(build_dir):
    declared = set()
    for name in SOURCES:
        if name.startswith("include/gdino/"):
            for text in without_comments(tree.read(name)).split("GDINO_API")[1:]:
                function = re.search(r"\b(gdino_\w+)\s*\(", text.split(";")[0])
                declared |= {function.group(1)} if function else set()
    assert len(declared) > 20
    exported = defined(build_dir / "src" / "libgdino.so")
    assert exported - declared == set(), "exported but not declared"
    assert declared - exported == set(), "declared but not exported"


def test_plugin_exports_its_entry_alone(build_dir):
    assert defined(build_dir / "gst" / "libgstgdino.so") == {
        "gst_plugin_gdino_get_desc",
        "gst_plugin_gdino_register",
    }


@pytest.mark.parametrize("name", ["src/libgdino.so", "gst/libgstgdino.so"])
def test_no_link_to_torch_or_cuda(build_dir, name):
    unwanted = [
        library
        for library in needed(build_dir / name)
        if re.search(r"torch|c10|cuda|cudart|nv|stdc\+\+|openblas|mkl", library)
    ]
    assert not unwanted


def test_plugin_is_never_unloaded(build_dir):
    flags = subprocess.run(
        ["readelf", "--dynamic", "--wide", build_dir / "gst" / "libgstgdino.so"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert re.search(r"\(FLAGS_1\).*NODELETE", flags)


def test_global_names_have_the_prefix(build_dir):
    listing = subprocess.run(
        [
            "nm",
            "--defined-only",
            "--extern-only",
            "--format=posix",
            build_dir / "src" / "libgdino_core.a",
        ],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    names = {line.split()[0] for line in listing.splitlines() if len(line.split()) >= 2}
    assert names
    assert not {name for name in names if not re.match(r"_?gdino_", name)}
