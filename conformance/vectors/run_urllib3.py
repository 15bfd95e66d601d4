#!/usr/bin/env python3
"""Runs the Retry-After and backoff vectors against urllib3, and prints where it differs as a Markdown table."""

import json
from decimal import Decimal
from pathlib import Path
from unittest import mock

try:
    import urllib3
    from urllib3.util.retry import RequestHistory, Retry
    Retry(retry_after_max=60)
except (ImportError, TypeError):
    raise SystemExit("it needs urllib3 with retry_after_max: pip install 'urllib3>=2.6'") from None

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
NOON = {"secs": 1772366400}  # Sun, 01 Mar 2026 12:00:00 GMT, the wall clock of a case without its own


def seconds(span):
    unit = span.lstrip("0123456789.")
    return Decimal(span.removesuffix(unit)) * UNITS[unit] / 10**9


def hint(case):
    lines = {"Retry-After": case["lines"], "Date": case.get("dates", []), "Age": ["1"] if case.get("age") else []}
    headers = urllib3.HTTPHeaderDict([(name, value) for name, values in lines.items() for value in values])
    wall = case.get("wall", NOON)
    with mock.patch("time.time", return_value=wall["secs"] + wall.get("nanos", 0) / 1e9):
        wait = Retry(retry_after_max=2**64).get_retry_after(urllib3.HTTPResponse(status=429, headers=headers))
    return "none" if not wait else Decimal(wait)


def retry_after(case):
    if case.get("wall", NOON) is not None:
        yield case["id"], "none" if case["hint"] is None else seconds(case["hint"]), lambda: hint(case)


def backoff(case):
    policy = case["policy"]
    retry = Retry(backoff_factor=float(seconds(policy["base_delay"])), backoff_max=float(seconds(policy["max_delay"])))
    for number, delay in case["delays"]:
        if policy.get("factor", 2) == 2 and number <= 2000:  # It only doubles, and keeps a list of what it did.
            after = retry.new(history=(RequestHistory("GET", "/", None, 503, None),) * number)
            yield f"{case['id']}, retry {number}", seconds(delay), lambda: Decimal(after.get_backoff_time())


print(f"| case | vectors | urllib3 {urllib3.__version__} |\n|---|---|---|")
counts = []
for kind in (retry_after, backoff):
    cases = json.loads(Path(__file__).with_name(f"{kind.__name__}.json").read_text("utf-8"))["cases"]
    right = wrong = 0
    for name, expected, run in (check for case in cases for check in kind(case)):
        try:
            got = run()
        except Exception as error:  # Whatever it raises: a caller gets it instead of a wait.
            got = type(error).__name__
        same = got == expected or not isinstance(got, str) and expected != "none" and abs(got - expected) < Decimal("1e-6")
        right, wrong = right + same, wrong + (not same)
        if not same:
            got, expected = (x if isinstance(x, str) else f"{float(x):g} s" for x in (got, expected))
            print(f"| {kind.__name__} {name} | {expected} | {got} |")
    counts.append(f"{kind.__name__}: {right} the same, {wrong} different")
print("\n" + "; ".join(counts))
