"""The studio's JSON addresses given what nobody means: no crash, no answer that is not in the schema."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from feint.studio.app import make_app
from feint.studio.refusals import REFUSALS
from studio_hands import HOST, client_of

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
MANY = int(os.environ.get("FUZZ", "8"))
"""Calls of each address; `FUZZ=1000 pytest tests/test_studio_fuzz.py` asks for more."""


HERE = Path(tempfile.mkdtemp(prefix="feint-studio-"))
APP = make_app(HERE / "runs", HERE / "hands.sqlite", (HOST,))


@asynccontextmanager
async def kept_open(_):  # every call would open the studio and close it again
    yield


APP.router.lifespan_context = kept_open
schema = schemathesis.openapi.from_asgi("/openapi.json", APP, headers={"host": HOST})
schema.config.checks.negative_data_rejection.expected_statuses = [*map(str, REFUSALS)]  # too much of it is refused, too


@schema.parametrize()
@settings(max_examples=MANY, deadline=None, suppress_health_check=list(HealthCheck))
def test_nonsense_is_refused(case):
    case.call_and_validate(headers={"host": HOST}, checks=CHECKS)


def test_strange_bodies_and_frames_are_refused(tmp_path):
    with client_of(tmp_path) as client:
        name = "x" * 12
        for body in (
            b"",
            b"\xff\xfe",
            b"[]",
            b"null",
            b"1e999",
            b'{"a":' * 500,
            json.dumps({"move": "a\x00"}).encode(),
        ):
            for path in ("/api/tables", f"/api/tables/{name}/moves", f"/api/tables/{name}/hands"):
                answer = client.post(path, content=body, headers={"content-type": "application/json"})
                assert answer.status_code in (404, 422), (path, body)
                assert answer.json()["error"].endswith(".")
        for path in ("/tables/x", "/", "/nowhere"):
            assert client.request("BREW", path).status_code in (404, 405)
