# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Fetches checkpoints from Hugging Face, or takes them from its cache."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from gdino.weights import LAYOUTS, CheckpointError

ID = re.compile(r"([A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95})(?:@([\w./-]{1,200}))?")
SMALL_FILES = (
    "config.json",
    "preprocessor_config.json",
    "processor_config.json",
    "tokenizer_config.json",
    "tokenizer.json",
    "vocab.txt",
    "README.md",
)
# Some repositories hold both layouts: the second is fetched only where the first is missing.
WEIGHTS = (
    ("model.safetensors", "model.safetensors.index.json", "model-*-of-*.safetensors"),
    ("pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-*-of-*.bin"),
)


def is_id(spec: str) -> bool:
    """Whether `spec` has the form ORGANISATION/NAME or ORGANISATION/NAME@REVISION."""
    return ID.fullmatch(spec) is not None


def fetch(
    spec: str, cache: Path | None = None, progress: Callable[[str], None] | None = None
) -> Path:
    """Return the local folder of the repository `spec`, fetching what is not in the cache.

    `cache` is Hugging Face's cache folder (default: theirs, see HF_HOME). `progress` gets lines of
    text; with it and on a terminal, bars are shown too. Raises CheckpointError, with what to do.
    """
    name, revision = ID.fullmatch(spec).groups()
    try:
        import huggingface_hub as hub
        from huggingface_hub import constants
    except ImportError:
        raise CheckpointError(
            f"{spec}: no such folder or file here; to fetch it from Hugging Face, install "
            f"huggingface-hub (pip install huggingface-hub). {_elsewhere(name, 'huggingface.co')}"
        ) from None
    site = re.sub(r"^https?://", "", constants.ENDPOINT)
    if progress:
        progress(f"looking for {spec} on {site}")
    _show_bars(progress is not None and sys.stderr.isatty())
    folder = Path()
    for patterns in WEIGHTS:
        try:
            folder = Path(
                hub.snapshot_download(
                    name,
                    revision=revision,
                    cache_dir=cache,
                    endpoint=constants.ENDPOINT,
                    allow_patterns=[*SMALL_FILES, *patterns],
                )
            )
        # The kinds differ between versions, and OSErrors of network and disk come as they are.
        except Exception as error:
            where = cache or constants.HF_HUB_CACHE
            raise CheckpointError(_explain(spec, site, where, error)) from error
        if any((folder / pattern).is_file() for pattern in patterns[:2]):
            return folder
    raise CheckpointError(
        f"{spec}: neither {' nor '.join(LAYOUTS)} at the top of that repository on {site} (looked "
        f"at {folder}; without a network, the copy in the cache may be incomplete)"
    )


def _show_bars(show: bool) -> None:
    from huggingface_hub.utils import disable_progress_bars, enable_progress_bars

    if show:
        enable_progress_bars()
    else:
        disable_progress_bars()


def _elsewhere(name: str, site: str) -> str:
    return (
        f"Or fetch the repository elsewhere (hf download {name} --local-dir FOLDER, or the files "
        f"of https://{site}/{name}/tree/main) and give that folder"
    )


def _explain(spec: str, site: str, cache: Path | str, error: Exception) -> str:
    """What went wrong with fetching `spec`, and what to do."""
    from huggingface_hub import errors

    name = spec.partition("@")[0]
    here = f"{spec}: no such folder or file here, and"
    login = "log in with 'hf auth login' or set HF_TOKEN"
    if isinstance(error, errors.GatedRepoError):
        return (
            f"{here} on {site} one must agree to its terms first: open https://{site}/{name}, "
            f"agree, then {login}"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{here} {name} on {site} has no revision '{spec.partition('@')[2] or 'main'}'"
    if isinstance(error, errors.RepositoryNotFoundError):
        return (
            f"{here} no such repository on {site} (if it is private, {login}); gdino-compile "
            "--list shows names that exist"
        )
    if isinstance(error, errors.HFValidationError):
        return f"{here} no valid name on {site}: {_first_line(error)}"
    # Any other failure of the network ends in this, once the cache has nothing either.
    if isinstance(error, errors.LocalEntryNotFoundError):
        cause = error.__cause__
        reason = f" ({_first_line(cause)})" if cause is not None else ""
        return (
            f"{here} {site} cannot be reached{reason}, nor is it in the cache {cache} (see "
            f"HF_HOME, HF_HUB_OFFLINE). {_elsewhere(name, site)}"
        )
    return f"{spec}: fetching it from {site} failed: {_first_line(error)}"


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[0][:200]
