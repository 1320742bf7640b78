"""What our own packages are made of and by: the workflows that audit, build and publish them."""

from __future__ import annotations

import re
from configparser import ConfigParser

import pytest
from house_source import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OF_DEVELOPERS = frozenset({"check", "docs", "frameworks", "fuzz", "sdk", "test", "typed"})
"""Extras that no user of ours installs: what they bring runs beside the library, in our own checkouts."""


def extras():
    """Each extra, and the other extras that it names."""
    setup = ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg")
    return {
        name: set(re.findall(r"%\((.+?)\)s", said)) for name, said in setup["options.extras_require"].items()
    }


def jobs(workflow):
    """The text of each job of a workflow, by its name."""
    _, *parts = re.split(r"(?m)^  ([\w-]+):$", workflow.split("\njobs:\n")[1])
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_audit_installs_each_extra_that_users_install_at_each_change_and_each_week():
    text = (ROOT / ".github" / "workflows" / "security.yml").read_text()
    begun_by = text.split("\non:\n")[1].split("\n\n")[0]
    steps = jobs(text)["audit"]
    (installed,) = re.findall(r"pip install '\.\[([\w,-]+)\]'.* pip-audit", steps)
    known = extras()
    audited = set(installed.split(","))

    audited |= {inner for name in audited for inner in known[name]}

    assert set(re.findall(r"^  (\w+):", begun_by, re.MULTILINE)) >= {"push", "pull_request", "schedule"}
    assert re.search(r'cron: "\d+ \d+ \* \* \d"', begun_by)
    assert "if:" not in steps.partition("steps:")[0]
    assert "pip-audit" in steps.partition("pip install")[2].partition("\n")[2]
    assert known.keys() - OF_DEVELOPERS - audited - {"cli"} == set()


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_each_action_is_pinned_by_its_commit_with_its_version_beside(file):
    used = re.findall(r"uses: *(.+)", file.read_text())

    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


def test_what_is_pinned_is_kept_from_growing_old():
    text = (ROOT / ".github" / "dependabot.yml").read_text()

    assert set(re.findall(r"package-ecosystem: (\S+)", text)) >= {"github-actions", "pip"}
    assert text.count("    directory: /\n") == text.count("package-ecosystem")


def test_a_release_comes_with_a_list_of_what_it_is_made_of_which_is_made_of_what_was_built():
    made = jobs((ROOT / ".github" / "workflows" / "release.yml").read_text())
    (file,) = re.findall(r"cyclonedx_py environment .*--output-file (\S+)", made["sbom"])

    assert "needs: build" in made["sbom"]
    assert re.search(r"pip install .*dist/\*\.whl.*\[all\]", made["sbom"])
    assert f"path: {file}" in made["sbom"]
    assert "sbom" in re.findall(r"needs: \[(.+)\]", made["announce"])[0].split(", ")
    assert re.search(rf"gh release create .*{re.escape(file)}", made["announce"])


def test_only_the_job_that_announces_a_release_may_write_to_the_repository():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()

    assert [name for name, steps in jobs(text).items() if "contents: write" in steps] == ["announce"]
    assert "permissions:\n  contents: read\n" in text.split("\njobs:\n")[0]
