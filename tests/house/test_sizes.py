"""No file is longer than one can keep in mind."""

from __future__ import annotations

from house_source import ROOT, project_files

LONGEST = 400


def test_no_source_file_is_over_400_lines() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines())
        for path in project_files(".py", ".mjs", ".js", ".ts", ".sh")
    }

    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}
