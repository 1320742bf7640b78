"""`make fuzz`: a fuzzer that sees which lines its inputs reach looks for bytes that break a reader of ours.

Each target runs for some seconds in a process of its own (the fuzzer ends its process). What was worth keeping lies in
``build/fuzz/<target>`` for the next run; what breaks a target is left there too, to be copied to ``tests/fuzz/found/<target>/``, where
the tests give it to the target again.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))


def main() -> int:
    """Run from the command line; 1 if a target was broken."""
    parser = argparse.ArgumentParser(description="Look for bytes that break what reads bytes from outside.")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument("--only", help="one target")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return _explore(options.only, options.seconds)
    from fuzz_targets import TARGETS  # noqa: PLC0415 - inside, it has to be imported under the fuzzer's eyes

    if options.only and options.only not in TARGETS:
        parser.error(f"there is no target {options.only!r}; there are: {', '.join(TARGETS)}")
    print("| target | executions | lines and branches reached | broken by |")
    print("|---|---:|---:|---|")
    broken = [_run(name, options.seconds) for name in ([options.only] if options.only else TARGETS)]
    return 1 if any(broken) else 0


def _run(name: str, seconds: int) -> bool:
    command = [sys.executable, __file__, "--inside", "--only", name, "--seconds", str(seconds)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    executions = re.findall(r"stat::number_of_executed_units: *(\d+)|#(\d+)\s+DONE", told.stderr)
    reached = re.findall(r"cov: (\d+) ft: (\d+)", told.stderr)
    found = re.findall(r"Test unit written to (\S+)", told.stderr)
    if not executions or not reached:
        print(told.stderr[-2000:], file=sys.stderr)
    count = next((one or other for one, other in reversed(executions)), "?")
    coverage = f"{reached[-1][0]} ({reached[-1][1]} features)" if reached else "?"
    print(f"| {name} | {count} | {coverage} | {', '.join(found) or '-'} |", flush=True)
    return bool(found) or told.returncode != 0


def _explore(name: str, seconds: int) -> int:
    import atheris  # noqa: PLC0415 - heavy, and only needed inside

    # Only what is imported here is watched, so that nothing of it may have been imported before.
    with atheris.instrument_imports(include=["callboard", "fuzz_targets"], enable_loader_override=False):
        from fuzz_targets import BEGINNINGS, TARGETS  # noqa: PLC0415 - see above

    folder = ROOT / "build" / "fuzz" / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(BEGINNINGS[name]):
        (folder / f"beginning-{number}").write_bytes(data)
    options = [
        f"-max_total_time={seconds}",
        "-max_len=4096",
        "-rss_limit_mb=2048",
        "-timeout=20",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={folder}/broken-", str(folder)], TARGETS[name])
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
