"""The web server of the page, and the pace at which the page is kept up to date."""
from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from time import monotonic, sleep
from typing import Any

#: frames per second; and how often what is read rather than watched is sent [s]
RATE, SLOWLY = 30.0, 0.2


@contextmanager
def served(host: str, port: int) -> Iterator[Any]:
    """A viser server at just this place, until it is left; RuntimeError, in one sentence, where that cannot be."""
    server = _open(host, port)
    try:
        yield server
    finally:
        server.stop()


def _open(host: str, port: int) -> Any:
    try:
        import viser
    except ImportError as error:
        raise RuntimeError(
            f"the page needs viser, which is not here ({error}): 'make setup' installs it, or pip install viser"
        ) from None
    if not 0 <= port <= 65535:
        raise RuntimeError(f"--port {port}: must be from 0 to 65535")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            port = probe.getsockname()[1]
    except OSError as error:
        reason = error.strerror or str(error)
        where = f"{host}:{port} ({reason})"
        raise RuntimeError(f"no page can be served at {where}: choose another --port or --host") from None
    with redirect_stdout(StringIO()):  # its banner; we say where the page is ourselves
        return viser.ViserServer(host=host, port=port, label="hil view", verbose=False)


def open_browser(address: str) -> None:
    """RuntimeError where there is none."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        raise RuntimeError(
            f"there is no browser here: leave --open out and visit {address} with one that reaches this machine"
        ) from None
    browser.open(address)


def address_of(server: Any) -> str:
    host = server.get_host()
    return f"http://{f'[{host}]' if ':' in host else host}:{server.get_port()}"


def keep_pace(step: Callable[[float], bool | None], period: float = 1.0 / RATE) -> None:
    """Calls `step` with the time since the last call [s], at most so often, until it returns False."""
    last = monotonic()
    while True:
        begin = monotonic()
        if step(begin - last) is False:
            return
        last = begin
        sleep(max(0.0, begin + period - monotonic()))
