"""How the studio bears a crowd: python benchmarks/studio.py [--tables 50] [--seconds 60] [--idle 500] [--slow]

A studio in a process of its own, asked over loopback by as many people as there are tables, each of whom plays hands
against feint:leduc as fast as the answers come. One line of JSON: how long a move takes (its median and the 99th
percentile, the page shown anew counted in), memory for each table and how it grows, and what idle people,
who keep a connection and do nothing, cost. With --slow one more table thinks for seconds at every move meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2
import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--idle", type=int, default=500)
    parser.add_argument("--think", type=float, default=0.0, help="seconds that a person looks before each move")
    parser.add_argument("--slow", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "feint", "studio", "--port", "0", "--no-browser", "--runs", folder]
        started = time.perf_counter()
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            asyncio.run(_measured(asked, address, server.pid, started))
        finally:
            server.terminate()
            server.wait(30)


async def _measured(asked: argparse.Namespace, address: str, pid: int, started: float) -> None:
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        await _up(client)
        first = await _seated(client, "feint:leduc", "leduc")
        dealt = time.perf_counter() - started
        await _hands(client, first, time.perf_counter() + 3, [], 0.0)
        before = _memory(pid)
        people = [await _seated(client, "feint:leduc", "leduc") for _ in range(asked.tables)]
        seated = _memory(pid)
        slow = asyncio.create_task(_slow(client)) if asked.slow else None
        times: list[float] = []
        end = time.perf_counter() + asked.seconds
        growth = asyncio.create_task(_grown(pid, end))
        hands = await asyncio.gather(*(_hands(client, person, end, times, asked.think) for person in people))
        grown = await growth
        idle = await _idle(address, asked.idle, pid)
        if slow:
            slow.cancel()
    middle, late = np.quantile(times, (0.5, 0.99)) * 1000
    print(
        json.dumps(
            {
                "tables": asked.tables,
                "seconds": asked.seconds,
                "think": asked.think,
                "slow_table": asked.slow,
                "moves": len(times),
                "hands": sum(hands),
                "move_ms_median": round(float(middle), 1),
                "move_ms_p99": round(float(late), 1),
                "moves_a_second": round(len(times) / asked.seconds, 1),
                "start_to_dealt_s": round(dealt, 1),
                "memory_mb": round(before, 1),
                "memory_mb_a_table": round((seated - before) / asked.tables, 3),
                "memory_mb_grown": grown,
                "idle": asked.idle,
                "memory_mb_an_idle_one": idle,
            }
        )
    )


async def _up(client: httpx2.AsyncClient) -> None:
    while True:
        try:
            await client.get("/")
            return
        except httpx2.TransportError:
            await asyncio.sleep(0.1)


async def _seated(client: httpx2.AsyncClient, opponent: str, game: str) -> tuple[str, dict[str, str]]:
    told = (await client.post("/api/tables", json={"opponent": opponent, "game": game})).json()
    return f"/tables/{told['table']}", {"cookie": f"seat={told['token']}"}


async def _hands(
    client: httpx2.AsyncClient, person: tuple[str, dict[str, str]], end: float, times: list[float], think: float
) -> int:
    """Play until the end, and note how long every move takes with the page that shows what came of it."""
    (path, headers), hands, luck = person, 0, random.Random(person[0])
    while time.perf_counter() < end:
        told = (await client.get(f"/api{path}", headers=headers)).json()
        if told["thinking"]:
            await asyncio.sleep(0.02)
            continue
        if think:
            await asyncio.sleep(luck.expovariate(1 / think))
        begun = time.perf_counter()
        if told["over"]:
            hands += 1
            await client.post(f"/api{path}/hands", json={}, headers=headers)
            continue
        made = {"move": luck.choice(told["moves"]), "turn": told["turn"]}
        await client.post(f"/api{path}/moves", json=made, headers=headers)
        await client.get(path, headers=headers)
        times.append(time.perf_counter() - begun)
    return hands


async def _slow(client: httpx2.AsyncClient) -> None:
    """A table at which the opponent searches."""
    await _hands(client, await _seated(client, "resolver", "leduc_no_limit"), time.perf_counter() + 1e6, [], 0.0)


async def _grown(pid: int, end: float) -> list[float]:
    """Memory in megabytes at five moments on the way."""
    found, every = [], (end - time.perf_counter()) / 5
    for _ in range(5):
        await asyncio.sleep(every)
        found.append(round(_memory(pid), 1))
    return found


async def _idle(address: str, people: int, pid: int) -> float:
    """Megabytes for each of some who have opened the page, keep their connection and do nothing."""
    before = _memory(pid)
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    writers = []
    for _ in range(people):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        assert length
        await reader.readexactly(int(length[1]))
        writers.append(writer)
    after = _memory(pid)
    for writer in writers:
        writer.close()
    return round((after - before) / people, 4) if people else 0.0


def _memory(pid: int) -> float:
    """Resident, in megabytes."""
    (kilobytes,) = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(kilobytes) / 1024


if __name__ == "__main__":
    main()
