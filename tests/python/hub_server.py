# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""A stand-in for Hugging Face's site on this machine: as much as snapshot_download asks for."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Site(ThreadingHTTPServer):
    """Serves `repositories` (name to folder); `gated` names want a login."""

    daemon_threads = True

    def __init__(self, repositories: dict[str, Path], gated: tuple[str, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repositories = repositories
        self.gated = gated
        self.asked: list[str] = []
        """Files that were sent, as NAME/FILE."""
        self.cut = ""
        """Name of the file that is sent by half."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD of the two kinds of address that matter."""

    server: Site
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(False)

    def do_GET(self) -> None:
        self._answer(True)

    def _answer(self, body: bool) -> None:
        path = self.path.partition("?")[0]
        api = re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/(.+))?", path)
        file = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        name, revision = (api or file).groups()[:2] if api or file else ("", None)
        folder = self.server.repositories.get(name)
        if folder is None:
            self._refuse(404, "RepoNotFound")
        elif revision not in (None, "main", COMMIT):
            self._refuse(404, "RevisionNotFound")
        elif api:
            files = [{"rfilename": p.name} for p in sorted(folder.iterdir())]
            content = {"id": name, "sha": COMMIT, "siblings": files, "private": False}
            self._send(json.dumps(content).encode(), body, {"Content-Type": "application/json"})
        elif name in self.server.gated:
            self._refuse(403, "GatedRepo")
        elif not (folder / file.group(3)).is_file():
            self._refuse(404, "EntryNotFound")
        else:
            if body:
                self.server.asked.append(f"{name}/{file.group(3)}")
            content = (folder / file.group(3)).read_bytes()
            mark = hashlib.sha256(content).hexdigest()
            half = file.group(3) == self.server.cut
            self._send(content, body, {"ETag": f'"{mark}"', "X-Repo-Commit": COMMIT}, half)

    def _send(
        self, content: bytes, body: bool, headers: dict[str, str], half: bool = False
    ) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content[: len(content) // 2] if half else content)
            self.close_connection = self.close_connection or half

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("X-Error-Message", code)
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextmanager
def serve(repositories: dict[str, Path], gated: tuple[str, ...] = ()) -> Iterator[Site]:
    """The site, while the block lasts."""
    site = Site(repositories, gated)
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        site.server_close()
        thread.join()
