"""Attacks on Feint from outside, by hand: python tests/attacks.py kills|changes|nonsense|pairs|signals [COUNT [SEED]]

Every attack works on the command line alone, as users do, in a folder of its own, and prints one line of counts. What
must never happen: a run that goes on differently than it would have, a changed file that is believed, a traceback, a
run written by two processes, a signal that is lost. The tests hold one example of each; here are hundreds.
"""

from __future__ import annotations

import gc
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

FEINT = [sys.executable, "-m", "feint"]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 0
SAME = ("config.json", "metrics.jsonl", "strategy.safetensors", "README.md")
RUNS = [
    "cfr kuhn --steps 3000",
    "cfr+ leduc --steps 3000",
    "dcfr leduc --steps 3000",
    "pcfr+ kuhn --steps 3000",
    "xfp kuhn --steps 2000",
    "fictitious-play rock_paper_scissors --steps 4000",
    "nfsp kuhn --steps 400 --set tables=16",
    "nfsp leduc --steps 120 --set tables=16",
    "rnfsp kuhn --steps 60 --set tables=8",
    "dqn kuhn --steps 400 --set tables=16",
    "drqn kuhn --steps 60 --set tables=8",
    "fsp kuhn --steps 400 --set tables=16",
    "elite-play kuhn --steps 60",
    "cfr 'kuhn(players=3)' --steps 2000 --seeds 3",
]


def call(words: list[str], cwd: Path, **more: object) -> subprocess.CompletedProcess[str]:
    """A command to its end, with nobody at the keyboard."""
    return subprocess.run([*FEINT, *words], cwd=cwd, capture_output=True, text=True, input="", check=False, **more)


def result(path: Path) -> dict[str, bytes]:
    """What must be the same whenever a run is repeated."""
    return {name: (path / name).read_bytes() for name in SAME}


def kills(count: int, here: Path) -> Counter[str]:
    """Kill runs at any moment, go on until they are done, and compare with one that was left alone."""
    chance, told = random.Random(SEED), Counter[str]()
    whole, took = {}, {}
    for number, text in enumerate(RUNS):
        for again in range(2):  # the second finds the code compiled
            words, start = ["train", *shlex.split(text), "--out", f"whole{number}-{again}"], time.monotonic()
            done = call([*words, "--save-every", "0"], here)
            assert done.returncode == 0, done.stderr
            whole[text], took[text] = result(here / f"whole{number}-{again}"), time.monotonic() - start
    while told["kills"] < count:
        text = RUNS[told["runs"] % len(RUNS)]
        out, words = here / "run", ["train", *shlex.split(text), "--out", "run", "--save-every", "0"]
        shutil.rmtree(out, ignore_errors=True)
        told["runs"] += 1
        for _ in range(30):
            begun = (out / "checkpoints").is_dir() and any((out / "checkpoints").glob("*.safetensors"))
            if not begun:
                shutil.rmtree(out, ignore_errors=True)
            process = subprocess.Popen(
                [*FEINT, *words, *(["--resume"] if begun else [])],
                cwd=here,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                # Most of the time goes by before the first step; what comes after is what matters.
                _, err = process.communicate(timeout=chance.uniform(0.4, 0.98) * took[text])
                told["failed"] += process.returncode != 0
                if process.returncode:
                    print(err)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                told["kills"] += 1
        else:
            call([*words, "--resume"], here)
        told["same" if result(out) == whole[text] else "DIFFERENT"] += 1
        print(json.dumps(told), flush=True)  # it takes long
    return told


def changes(count: int, here: Path) -> Counter[str]:
    """Change files of a run in every way, and see whether it is still believed: in this process, for speed."""
    import jax

    import feint
    from feint.runs.checkpoint import checkpoints
    from feint.runs.run import config_of, metrics_of

    chance, told = random.Random(SEED), Counter[str]()
    own = here / "own.py"
    own.write_text(
        "from feint.games.matrix import matrix\ndef game():\n    return matrix(payoffs=((1, -1), (-1, 1)))\n"
    )
    made = {
        "finished": feint.train("cfr", f"{own}:game", steps=30, out=here / "finished").path,
        "network": shutil.copytree(Path(feint.__file__).parent / "agents" / "holdem", here / "network"),
        "cut off": feint.train("cfr", "kuhn", steps=30, out=here / "cut").path,
    }
    for name in ("provenance.json", "strategy.safetensors", "README.md"):
        (made["cut off"] / name).unlink()
    expected = result(feint.train("cfr", "kuhn", steps=40, out=here / "expected").path)
    silent = ("README.md", "curve.png")  # rendered for people, and never read

    def believe(kind: str, path: Path) -> None:
        if kind == "cut off":
            config_of(path), metrics_of(path)
            feint.train("cfr", "kuhn", steps=40, out=path, resume=True)
            if result(path) != expected:
                raise AssertionError("it went on differently")
        else:
            _ = feint.load_run(path, trust=True).form

    places = [
        (kind, file.relative_to(path))
        for kind, path in made.items()
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and file.name not in silent
        and not {"tensorboard", "checkpoints" if kind == "finished" else ""} & set(file.parts)  # read by nobody
    ]
    for number in range(count):
        if number % 100 == 0:  # a process can map only so much memory
            jax.clear_caches()
            gc.collect()
        kind, name = places[number % len(places)]
        path = made[kind]
        saved = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} if kind == "cut off" else {}
        file = path / name
        text = file.read_bytes()
        changed = bytearray(text)
        place = chance.randrange(len(changed)) if changed else 0
        how = chance.choice(("bit", "byte", "cut", "gone", "more", "nonsense", "removed", "digit"))
        match how:
            case "bit":
                changed[place] ^= 1 << chance.randrange(8)
            case "byte":
                changed[place] = (changed[place] + chance.randrange(1, 256)) % 256
            case "cut":
                del changed[place:]
            case "gone":
                del changed[place : place + chance.randrange(1, 60)]
            case "more":
                changed[place:place] = chance.randbytes(chance.randrange(1, 20))
            case "nonsense":
                changed[:] = chance.choice((b"", b"{}", b"[]", b"null", b"[" * 99999, b"9" * 9999, b'{"step": 1}\n'))
            case "digit":
                digits = [at for at, code in enumerate(changed) if 48 <= code <= 57]
                if digits:
                    changed[chance.choice(digits)] = chance.randrange(48, 58)
        if how != "removed" and changed == text:
            continue
        told["changes"] += 1
        if how == "removed":
            file.unlink()
        else:
            file.write_bytes(changed)
        try:
            believe(kind, path)
            allowed = how == "removed" and file.name == "bound.json"  # there is simply no bound
            allowed |= kind == "cut off"  # and went on as if nothing had been, from before what was lost
            told["healed" if allowed else "SILENT"] += 1
            if not allowed:
                print("silent:", kind, name, how, place)
        except feint.BadInput as error:
            told["refused"] += 1
            if "\n" in str(error):
                told["MANY LINES"] += 1
        except BaseException as error:  # whatever else comes of it is a fault
            told["TRACEBACKS"] += 1
            print("traceback:", kind, name, how, repr(error)[:200])
        if saved:
            for now in path.rglob("*"):
                if now.is_file() and now not in saved:
                    now.unlink()
            for old, data in saved.items():
                old.write_bytes(data)
        else:
            file.write_bytes(text)
    assert checkpoints(made["cut off"] / "checkpoints")
    return told


def nonsense(count: int, here: Path) -> Counter[str]:
    """Commands that make no sense: each is one sentence and exit code 2, and nothing is written."""
    chance, told = random.Random(SEED), Counter[str]()
    (here / "empty").mkdir()
    (here / "broken.py").write_text("def game(:\n")
    (here / "raises.py").write_text("def game():\n    raise ValueError('no')\n")
    values = [
        "",
        "-1",
        "0",
        "nan",
        "inf",
        "1e400",
        "x" * 300,
        "\x1b[31m",
        "ü",
        "'",
        "kuhn(",
        "kuhn(players=)",
        "leduc()",
    ]
    values += [
        "leduc()",
        "kuhn(players=99)",
        "9" * 400,
        "broken.py:game",
        "raises.py:game",
        "none.py:game",
        "empty",
        "../..",
    ]
    values += [
        "matrix(payoffs=[[1],[2,3]])",
        "open_spiel:nothing",
        "feint:nobody",
        "always(move=fly)",
        "(((",
        "*",
        "--",
    ]
    shapes = [
        "train {} {} --steps 2",
        "train cfr {} --steps 2",
        "train {} kuhn --steps 2",
        "train cfr kuhn --steps {}",
        "train cfr kuhn --seconds {}",
        "train cfr kuhn --until {}",
        "train nfsp kuhn --steps 2 --set {}",
        "train nfsp kuhn --steps 2 --set network.hidden={}",
        "train nfsp kuhn --steps 2 --set tables={}",
        "train nfsp kuhn --steps 2 --preset {}",
        "train cfr kuhn --steps 2 --seed {}",
        "train cfr kuhn --steps 2 --seeds {}",
        "train cfr kuhn --resume --out {}",
        "evaluate {}",
        "evaluate random --game {}",
        "evaluate feint:kuhn --judge {}",
        "evaluate feint:kuhn --judge winnings(hands={})",
        "match feint:kuhn {}",
        "match feint:kuhn random --hands {}",
        "match {} {} --game {}",
        "league feint:kuhn {}",
        "play {} --hands 1",
        "play feint:kuhn --seat {}",
        "show {}",
        "show feint:holdem --betting {}",
        "games {}",
        "algorithms {}",
        "runs {}",
        "agents {}",
        "check {}",
        "compare {}",
        "compare feint:kuhn --across {}",
        "ask feint:kuhn {}",
        "ask feint:leduc J --board {}",
        "ask feint:holdem {} --betting {}",
        "reproduce {}",
    ]
    files = set(here.rglob("*"))
    for number in range(count):
        shape = shapes[number % len(shapes)]
        words = [word.replace("{}", chance.choice(values)) for word in shape.split()]
        done = call(words, here, timeout=300)
        told["calls"] += 1
        told[f"exit {done.returncode}"] += 1
        written = set(here.rglob("*")) - files
        if "Traceback" in done.stderr or done.returncode not in (0, 2):
            told["TRACEBACKS"] += 1
            print("traceback:", words, done.stderr[-400:])
        if done.returncode == 2:
            if len(done.stderr.strip().splitlines()) != 1:
                told["MANY LINES"] += 1
                print("lines:", words, done.stderr[-300:])
            if written:
                told["WRITTEN"] += 1
                print("written:", words, written)
        for path in sorted(written, reverse=True):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    return told


def pairs(count: int, here: Path) -> Counter[str]:
    """Two processes in one folder, or in the default one, at once."""
    told = Counter[str]()
    whole = call(["train", "cfr", "leduc", "--steps", "30000", "--out", "whole"], here)
    assert whole.returncode == 0, whole.stderr
    expected = result(here / "whole")
    for number in range(count):
        told["pairs"] += 1
        if number % 4 == 3:  # the default folder
            words = ["train", "cfr", "kuhn", "--steps", "50"]
            both = [subprocess.Popen([*FEINT, *words], cwd=here, stdout=-3, stderr=-3) for _ in range(2)]
            codes = [process.wait() for process in both]
            told["both done" if codes == [0, 0] else "FAILED"] += 1
            continue
        shutil.rmtree(here / "run", ignore_errors=True)
        words = ["train", "cfr", "leduc", "--steps", "30000", "--out", "run", "--save-every", "0"]
        resumes = [["--resume"]] * 2 if number % 4 else [[], []]
        if number % 4:  # something to go on from
            first = subprocess.Popen([*FEINT, *words], cwd=here, stdout=-3, stderr=-3)
            while first.poll() is None and not list((here / "run").glob("checkpoints/*.safetensors")):
                time.sleep(0.05)
            if number % 4 == 1:  # the first goes on as well
                resumes = resumes[:1]
            else:
                first.kill()
        both = [
            subprocess.Popen([*FEINT, *words, *more], cwd=here, stdout=-3, stderr=-1, text=True) for more in resumes
        ]
        ends = [(process.communicate()[1], process.returncode) for process in both]
        if number % 4:
            first.wait()
        told["refused"] += sum(code == 2 for _, code in ends)
        told["OTHERWISE"] += sum(code not in (0, 2) for _, code in ends)
        now = result(here / "run")
        told["same" if now == expected else "DIFFERENT"] += 1
        if now != expected:
            print("different:", number, [name for name in SAME if now[name] != expected[name]], ends)
    return told


def signals(count: int, here: Path) -> Counter[str]:
    """Every signal at many moments of a command's life: none is lost, and what is said is true."""
    chance, told = random.Random(SEED), Counter[str]()
    words = ["train", "cfr", "leduc", "--seconds", "4", "--out", "run"]
    start = time.monotonic()
    assert call(words, here).returncode == 0
    long = time.monotonic() - start
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for moment in range(count):
            shutil.rmtree(here / "run", ignore_errors=True)
            begun = time.monotonic()
            process = subprocess.Popen([*FEINT, *words], cwd=here, stdout=-3, stderr=-1, text=True)
            time.sleep(0.15 + (long - 0.15) * (moment + chance.random()) / count)
            process.send_signal(number)
            sent = time.monotonic()
            _, err = process.communicate()
            late, code = time.monotonic() - sent, process.returncode
            told["signals"] += 1
            finished = (here / "run" / "provenance.json").is_file()
            told["finished" if finished else "stopped"] += 1
            begun_to_read = "Traceback" in err and "feint/__main__" not in err and sent - begun < 0.5
            if "Traceback" in err and not begun_to_read:
                told["TRACEBACKS"] += 1
                print("traceback:", number, moment, err[-300:])
            if late > long:
                told["LOST"] += 1
            if "nothing new is kept" in err and (here / "run").exists():
                told["UNTRUE"] += 1
            if finished:
                told["UNSOUND"] += call(["show", "run"], here).returncode != 0
            elif code not in (128 + number, -number, 130) and not begun_to_read:
                told[f"CODE {code}"] += 1
            elif (here / "run").exists():
                more = ["train", "cfr", "leduc", "--seconds", "1", "--out", "run", "--resume"]
                told["gone on with"] += (gone := call(more, here)).returncode == 0
                told["NOT GONE ON WITH"] += gone.returncode != 0
            print(json.dumps(told), flush=True)
    return told


ATTACKS = {"kills": (kills, 200), "changes": (changes, 10_000), "nonsense": (nonsense, 200)}
ATTACKS |= {"pairs": (pairs, 20), "signals": (signals, 40)}

if __name__ == "__main__":
    attack, usual = ATTACKS[sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        os.environ.setdefault("FEINT_CACHE", cache)
        counts = attack(int(sys.argv[2]) if len(sys.argv) > 2 else usual, Path(folder))
    print(sys.argv[1], json.dumps(counts))
