"""What a server in a container is started with, so that it can be ended by its name."""

from __future__ import annotations

import pytest
from callboard.hosts.command.container import container_of

ALL = ["--rm", "--init", "--name", "ours"]


@pytest.mark.parametrize(
    ("said", "run"),
    [
        ("docker run -i --rm mcp/git", "docker run --init --name ours -i --rm mcp/git"),
        ("docker run -i image --rm --name x", f"docker run {' '.join(ALL)} -i image --rm --name x"),
        ("docker run -e --rm image", f"docker run {' '.join(ALL)} -e --rm image"),
        ("docker run -ie --rm image", f"docker run {' '.join(ALL)} -ie --rm image"),
        ("docker run -eA=1 --init image", "docker run --rm --name ours -eA=1 --init image"),
        ("docker run -v a:b --mount --init image", f"docker run {' '.join(ALL)} -v a:b --mount --init image"),
        ("docker run --restart always image", "docker run --init --name ours --restart always image"),
        ("podman container run image", f"podman container run {' '.join(ALL)} image"),
        ("/usr/bin/docker run", f"/usr/bin/docker run {' '.join(ALL)}"),
    ],
)
def test_what_is_missing_is_added_and_nothing_else_changes(said: str, run: str) -> None:
    found = container_of(said.split(), "ours")

    assert found is not None
    assert (" ".join(found.argv), found.name) == (run, "ours")


@pytest.mark.parametrize("said", ["--name theirs", "--name=theirs"])
def test_a_name_that_it_has_it_keeps(said: str) -> None:
    argv = ["docker", "run", "--rm", "--init", *said.split(), "-i", "image"]

    assert container_of(argv, "ours") == (tuple(argv), "theirs")


@pytest.mark.parametrize(
    "said",
    ["", "docker", "docker exec -i x server", "docker compose run x", "npx docker run x", "rundocker run x"],
)
def test_what_starts_no_container_is_none(said: str) -> None:
    assert container_of(said.split(), "ours") is None
