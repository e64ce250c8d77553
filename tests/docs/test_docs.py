# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What the docs show exists: files, targets, elements, properties, options, snippets."""

import ast
import json
import os
import re
import shlex
import subprocess

import pytest
import tree

PAGES = tuple(name for name in tree.with_suffix(".md") if name.count("/") <= 1)
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
TOP = tuple(sorted({name.split("/")[0] for name in tree.tracked()} - {".gitignore"}))


def blocks(language: str) -> list[tuple[str, str]]:
    """(page, text) of every fenced block in a language."""
    return [
        (page, "\n".join(line.removeprefix(indent) for line in text.splitlines()) + "\n")
        for page in PAGES
        for indent, found, text in FENCE.findall(tree.read(page))
        if found == language
    ]


def commands() -> list[tuple[str, str]]:
    """(page, command) of every line a reader may type, continued lines joined."""
    found = []
    for page, text in blocks("sh"):
        for line in text.replace("\\\n", " ").splitlines():
            line = re.sub(r"\s+#\s.*$", "", line).strip()
            if line:
                found.append((page, line))
    return found


# What not every GStreamer has, and where it is.
OPTIONAL = {
    "objectdetectionoverlay": "1.24 and newer have",
    "ioutracker": "1.28 and newer have",
    "relationmeta2onvifmeta": "gst-plugins-rs",
    "onvifmetadataextractor": "gst-plugins-rs",
    "rtponvifmetadatapay": "gst-plugins-rs",
}

PIPELINES = [entry for entry in commands() if "gst-launch-1.0" in entry[1]]


def test_there_are_docs():
    assert "README.md" in PAGES and len(PAGES) >= 4
    assert PIPELINES and blocks("c") and blocks("python")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    folder = os.path.dirname(page)
    missing = [
        target
        for target in re.findall(r"\]\(([^)#\s]+)", tree.read(page))
        if "://" not in target
        and os.path.normpath(os.path.join(folder, target)) not in tree.tracked()
    ]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page):
    known = set(tree.tracked())
    folders = {name[: name.rindex("/")] for name in known if "/" in name}
    folders |= {folder[: folder.index("/")] for folder in folders if "/" in folder}
    missing = []
    for text in re.findall(r"`([^`\n]+)`", tree.read(page)):
        path = text.split()[0].rstrip("/")
        if re.fullmatch(r"[\w.-]+(/[\w.-]+)+", path) and path.startswith(
            tuple(f"{top}/" for top in TOP)
        ):
            # Names in capitals stand for any name.
            if not re.search(r"[A-Z]{4}", path.rsplit("/", 1)[-1].split(".")[0]) or path in known:
                missing += [path] if path not in known | folders else []
    assert not missing


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z]+):", tree.read("Makefile"), re.MULTILINE))
    named = set()
    for page in PAGES:
        named |= set(re.findall(r"(?:`|^)(?:\w+=\w+ )?make ([a-z]+)", tree.read(page), re.M))
    assert "demo" in named and "check" in named
    assert named <= targets


def test_make_help_names_every_target():
    shown = subprocess.run(
        ["make", "-s", "help"], cwd=tree.ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    targets = set(re.findall(r"^([a-z]+):", tree.read("Makefile"), re.MULTILINE))
    assert targets - {"help", "setup"} == set(re.findall(r"^make ([a-z]+)", shown, re.MULTILINE))


@pytest.mark.parametrize("page, line", PIPELINES)
def test_pipeline(page, line, plugin_env):
    words = shlex.split(line[line.index("gst-launch-1.0") :])[1:]
    elements: list[list[str]] = [[]]
    for word in words:
        if word == "!":
            elements.append([])
        elif not word.startswith("-"):
            elements[-1].append(word)
    for name, *settings in elements:
        if "/" in name or name.endswith("."):
            continue  # caps, or a pad of an element named before
        shown = subprocess.run(
            ["gst-inspect-1.0", name], env=plugin_env, stdout=subprocess.PIPE, text=True
        )
        if shown.returncode != 0 and name in OPTIONAL:
            pytest.skip(f"this GStreamer has no {name} ({OPTIONAL[name]})")
        assert shown.returncode == 0, f"{page}: no element {name}"
        for setting in settings:
            if "=" in setting and "::" not in setting.split("=", 1)[0]:
                key = setting.split("=", 1)[0]
                assert re.search(rf"^\s+{re.escape(key)}\s+:", shown.stdout, re.MULTILINE), (
                    f"{page}: {name} has no property {key}"
                )


@pytest.mark.parametrize(
    "page, line", [entry for entry in commands() if re.search(r"\bgdino-\w+ ", entry[1])]
)
def test_program_options(page, line, plugin_env):
    words = shlex.split(line)
    program = next(word for word in words if "gdino-" in word)
    command = [str(tree.ROOT / program) if "/" in program else program, "--help"]
    shown = subprocess.run(
        command, env=plugin_env, stdout=subprocess.PIPE, text=True, cwd=tree.ROOT
    )
    assert shown.returncode == 0
    for word in words:
        if word.startswith("--"):
            assert word.split("=")[0] in shown.stdout, f"{page}: {program} knows no {word}"


@pytest.mark.parametrize("page, text", blocks("c"))
def test_c_snippet_compiles(page, text, tmp_path):
    if "#include" not in text:
        head = "static inline void snippet (GstElement *detector)"
        names = "GError *error = NULL;\n(void) error;\n"
        text = f"#include <gst/gst.h>\n{head}\n{{\n{names}{text}}}\n"
    source = tmp_path / "snippet.c"
    source.write_text(text)
    flags = subprocess.run(
        ["pkg-config", "--cflags", "gstreamer-1.0", "gstreamer-video-1.0"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    done = subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", f"-I{tree.ROOT}/include"]
        + shlex.split(flags)
        + [source],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        pytest.fail(f"{page}:\n{done.stdout}", pytrace=False)


@pytest.mark.parametrize("page, text", blocks("python"))
def test_python_snippet_parses(page, text):
    ast.parse(text, filename=page)


def test_json_snippets_parse():
    for page, text in blocks("json"):
        try:
            json.loads(text)
        except ValueError:
            # One value a line, as the programs print them.
            for line in text.splitlines():
                assert json.loads(line), page
