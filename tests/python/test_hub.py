# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Fetching from Hugging Face, against a server on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hub_server import COMMIT, Site, serve
from safetensors.torch import load_file

from gdino.source import Folder, open_checkpoint
from gdino.weights import CheckpointError

constants = pytest.importorskip("huggingface_hub.constants", reason="needs huggingface-hub")
file_download = pytest.importorskip("huggingface_hub.file_download")

MODEL = Path(__file__).resolve().parents[2] / "model"
# Nothing answers there.
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """An empty cache folder."""
    return tmp_path / "cache"


def point(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Make `url` the site; huggingface-hub reads HF_ENDPOINT only once, at import."""
    form = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    for module in (constants, file_download):
        monkeypatch.setattr(module, "HUGGINGFACE_CO_URL_TEMPLATE", form, raising=False)


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test of this file gets as far as the real site."""
    point(monkeypatch, NOWHERE)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")


@pytest.fixture
def site(tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Serves lab/tiny, lab/pickled (weights as .bin), lab/empty, lab/gated."""
    plain = Path(shutil.copytree(tiny_checkpoint, tmp_path / "plain"))
    (plain / "README.md").write_text("---\nlicense: mit\n---\n")
    (plain / "pytorch_model.bin").write_text("not asked for")
    (plain / "training_args.bin").write_text("not asked for")
    pickled = Path(shutil.copytree(tiny_checkpoint, tmp_path / "pickled"))
    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "config.json").write_text("{}")
    repositories = {"lab/tiny": plain, "lab/pickled": pickled, "lab/empty": empty}
    with serve({**repositories, "lab/gated": plain}, gated=("lab/gated",)) as running:
        point(monkeypatch, running.url)
        yield running


def test_fetch_and_cache(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    found = open_checkpoint("lab/tiny", cache, said.append)
    assert said == [f"looking for lab/tiny on {site.url.removeprefix('http://')}"]
    assert isinstance(found, Folder)
    assert (found.name, found.origin, found.licence()) == ("lab/tiny", f"lab/tiny@{COMMIT}", "mit")
    assert [file.name for file in found.files] == ["model.safetensors"]
    assert cache in found.files[0].parents and len(found.tensors()) > 50
    # Only what is needed, and each once.
    wanted = ["README.md", "config.json", "model.safetensors", "preprocessor_config.json"]
    assert sorted(site.asked) == [f"lab/tiny/{name}" for name in [*wanted, "vocab.txt"]]
    assert open_checkpoint("lab/tiny@main", cache).origin == f"lab/tiny@{COMMIT}"
    assert len(site.asked) == 5
    # Without a network, and with the network forbidden, the cache serves.
    point(monkeypatch, NOWHERE)
    assert open_checkpoint("lab/tiny", cache).origin == f"lab/tiny@{COMMIT}"
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert open_checkpoint("lab/tiny", cache).origin == f"lab/tiny@{COMMIT}"


def test_weights_as_pickles(site: Site, cache: Path) -> None:
    found = open_checkpoint("lab/pickled", cache)
    assert [file.name for file in found.files] == ["pytorch_model.bin"]
    assert len(found.tensors()) > 50


@pytest.mark.parametrize(
    "spec,message",
    [
        ("lab/none", "lab/none: no such folder or file here, and no such repository.*--list"),
        ("lab/tiny@v9", "lab/tiny@v9: no such folder.*has no revision 'v9'"),
        ("lab/gated", "lab/gated: no such folder.*agree to its terms.*hf auth login"),
        ("lab/empty", "lab/empty: neither model.safetensors nor pytorch_model.bin at the top"),
        ("lab/a--b", "lab/a--b: no such folder or file here, and no valid name"),
    ],
)
def test_refused(site: Site, cache: Path, spec: str, message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        open_checkpoint(spec, cache)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("offline", [False, True])
def test_no_network(cache: Path, monkeypatch: pytest.MonkeyPatch, offline: bool) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint("lab/tiny", cache)
    message = str(caught.value)
    assert message.startswith("lab/tiny: no such folder or file here, and 127.0.0.1:9 cannot be re")
    assert f"nor is it in the cache {cache} (see HF_HOME" in message
    assert "hf download lab/tiny --local-dir FOLDER" in message and "\n" not in message


def test_broken_download(site: Site, cache: Path) -> None:
    """A file that ends early is an error, and the next try gets it whole."""
    site.cut = "model.safetensors"
    with pytest.raises(CheckpointError, match="lab/tiny: "):
        open_checkpoint("lab/tiny", cache)
    site.cut = ""
    assert len(open_checkpoint("lab/tiny", cache).tensors()) > 50


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint("lab/tiny")
    message = str(caught.value)
    assert message.startswith("lab/tiny: no such folder or file here; to fetch it from Hugging Face")
    assert "pip install huggingface-hub" in message
    assert "https://huggingface.co/lab/tiny/tree/main" in message


def test_the_usual_cache(site: Site, cache: Path) -> None:
    """HF_HOME says where the cache is, HF_HUB_OFFLINE that nothing but the cache is to be asked."""
    program = (
        "import sys\n"
        "from gdino.hub import fetch\n"
        "try:\n"
        "    print(fetch('lab/tiny'))\n"
        "except ValueError as error:\n"
        "    sys.exit(str(error))\n"
    )
    path = os.pathsep.join([str(MODEL), *sys.path[1:]])
    env = {**os.environ, "PYTHONPATH": path, "HF_HOME": str(cache), "HF_ENDPOINT": site.url}
    command = [sys.executable, "-c", program]
    for more in ({}, {"HF_HUB_OFFLINE": "1"}):
        done = subprocess.run(command, env={**env, **more}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(str(cache))
