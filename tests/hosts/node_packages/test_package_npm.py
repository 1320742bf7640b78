"""npm is given the words that the policy allows, sees no more than it has to, and its failures come with a remedy."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from callboard.hosts.node_packages.npm import install_words, npm_environment, npm_places, npm_program
from callboard.hosts.node_packages.npm_errors import build_remedy, install_remedy
from callboard.plugins.sources.node_plan import Install
from node_path import node_program


def test_npm_is_found_beside_node():
    program = npm_program(node_program())

    assert program is not None
    assert program[0] == node_program()
    assert program[1].endswith("npm-cli.js")


def test_npm_is_looked_for_as_javascript_so_that_no_batch_file_is_run():
    posix = npm_places(PurePosixPath("/opt/bin/node"), PurePosixPath("/usr/share/npm/bin/npm-cli.js"))
    windows = npm_places(PureWindowsPath(r"C:\a\node.exe"), PureWindowsPath(r"D:\nodejs\npm.cmd"))

    assert list(map(str, posix)) == [
        "/opt/lib/node_modules/npm/bin/npm-cli.js",
        "/opt/bin/node_modules/npm/bin/npm-cli.js",
        "/usr/share/npm/bin/npm-cli.js",
    ]
    assert list(map(str, windows))[1:] == [
        r"C:\a\node_modules\npm\bin\npm-cli.js",
        r"D:\nodejs\node_modules\npm\bin\npm-cli.js",
    ]


@pytest.mark.parametrize(
    ("install", "for_build", "scripts", "has", "lacks"),
    [
        (
            Install.CI,
            False,
            False,
            {"ci", "--omit=dev", "--ignore-scripts", "--prefer-offline"},
            {"--include=dev"},
        ),
        (Install.CI, True, True, {"ci", "--include=dev"}, {"--ignore-scripts", "--omit=dev"}),
        (Install.INSTALL, False, False, {"install", "--omit=dev", "--ignore-scripts"}, {"--prefer-offline"}),
    ],
)
def test_npm_installs_what_is_needed_and_runs_scripts_only_where_it_may(
    install, for_build, scripts, has, lacks
):
    words = set(install_words(install, for_build=for_build, scripts=scripts))

    assert has <= words
    assert not lacks & words


def test_npm_never_works_on_what_is_installed_for_all():
    words = install_words(Install.INSTALL, for_build=False, scripts=False)

    assert {"--no-global", "--location=project"} <= set(words)


PARENT = {
    "HOME": "/home/user",
    "PATH": "/bin",
    "NPM_TOKEN": "secret",
    "npm_config_registry": "https://registry.example.com",
    "NPM_CONFIG__AUTH": "secret",
    "AWS_SECRET": "secret",
    "NODE_OPTIONS": "--require=evil",
}


def test_an_installation_sees_who_one_is_to_the_registry_and_a_build_does_not():
    installing = npm_environment(PARENT, "/opt/node/bin/node", secrets=True)
    building = npm_environment(PARENT, "/opt/node/bin/node", secrets=False)

    assert installing.keys() - building.keys() == {"NPM_TOKEN", "NPM_CONFIG__AUTH"}
    assert "evil" not in installing["NODE_OPTIONS"] + building.pop("NODE_OPTIONS")
    assert building == {
        "HOME": "/home/user",
        "PATH": "/opt/node/bin:/bin",
        "npm_config_registry": "https://registry.example.com",
        "NO_COLOR": "1",
    }


INSTALLING = {
    "npm error code E404\nnpm error 404 Not Found": "correct the name of the package",
    "npm error code ETARGET\nnpm error notarget No matching version": "correct the version",
    "npm error code ENOTFOUND": "try again when the registry can be reached",
    "npm error code ECONNREFUSED": "try again when the registry can be reached",
    "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.": "run npm install",
    "npm error code ERESOLVE": "make the versions of its dependencies agree",
    "npm error code ENEEDAUTH": "log in to the registry",
    "something else": "run the same in the package",
}


@pytest.mark.parametrize(("said", "remedy"), INSTALLING.items())
def test_a_failed_installation_comes_with_what_to_do(said, remedy):
    assert install_remedy(said).startswith(remedy)


BUILDING = {
    "sh: 1: esbuild: not found": "add the package that has the program 'esbuild' to its devDependencies",
    "sh: line 1: tsc: command not found": "add the package that has the program 'tsc'",
    "'tsc' is not recognized as an internal or external command": "add the package that has the program 'tsc'",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left'": "add what it cannot find to its dependencies",
    "src/a.ts(1,2): error TS1005": "correct what it complains of",
}


@pytest.mark.parametrize(("said", "remedy"), BUILDING.items())
def test_a_failed_build_comes_with_what_to_do(said, remedy):
    assert build_remedy(said).startswith(remedy)
