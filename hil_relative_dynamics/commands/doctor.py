"""`hil doctor`"""
from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict

from hil_relative_dynamics.commands.terminal import output, table
from hil_relative_dynamics.doctor import examine

_COLOURS = {"ok": "green", "optional": "yellow", "missing": "bold red"}


def main(options: Namespace) -> int:
    findings = examine()
    if options.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        rows = table("what", "", "found", "how to get it")
        for finding in findings:
            state = f"[{_COLOURS[finding.state]}]{finding.state}[/]"
            rows.add_row(finding.name, state, finding.found, "" if finding.state == "ok" else finding.remedy)
        output.print(rows)
    return 1 if any(finding.state == "missing" for finding in findings) else 0
