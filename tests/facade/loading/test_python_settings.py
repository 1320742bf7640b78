"""pip works by its user's settings alone: what a package brings changes neither whom pip asks, nor what is run, nor who sees a secret."""

from __future__ import annotations

import base64
import io
import json
import tarfile

import pytest
from command_line import callboard, lines, write_config
from leaks import no_leaks
from python_index import Index, serving
from python_packages import project, tool_package, wheel

WORDS = "callboard_words"
LOGIN = "Basic " + base64.b64encode(b"me:the-users-own").decode()
ANSWER = f"\ndef answer():\n    import {WORDS}\n    return {WORDS}.WORD\n"

BACKEND = """
import json, os, pathlib, zipfile

pathlib.Path({seen!r}).write_text(json.dumps(dict(os.environ)))

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "callboard_built-1.0-py3-none-any.whl"
    info = "callboard_built-1.0.dist-info"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        archive.writestr("callboard_built.py", "")
        archive.writestr(f"{{info}}/METADATA", "Metadata-Version: 2.1\\nName: callboard_built\\nVersion: 1.0\\n")
        archive.writestr(f"{{info}}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr(f"{{info}}/RECORD", "")
    return name
"""
"""Builds without setuptools, and notes that it ran, and what it saw."""


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def index(tmp_path):
    """The user's: it wants a login."""
    with serving(Index([wheel(tmp_path / "wheels")], LOGIN)) as index:
        yield index


@pytest.fixture
def strangers(tmp_path):
    """A stranger's index, which takes whatever it is shown."""
    with serving(Index([wheel(tmp_path / "wheels")])) as index:
        yield index


@pytest.fixture
def home(tmp_path, index):
    """The user's: an index, and who one is to it."""
    folder = tmp_path / "home"
    (folder / ".config" / "pip").mkdir(parents=True)
    address = index.url.replace("://", "://me:the-users-own@")
    (folder / ".config" / "pip" / "pip.conf").write_text(f"[global]\nindex-url = {address}\n")
    return folder


def archive(folder, seen):
    """A source distribution whose build notes that it runs."""
    file = folder / "callboard_built-1.0.tar.gz"
    table = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    table += '[project]\nname = "callboard_built"\nversion = "1.0"\n'
    files = {
        "pyproject.toml": table,
        "backend.py": BACKEND.format(seen=str(seen)),
        "PKG-INFO": "Metadata-Version: 2.1\nName: callboard_built\nVersion: 1.0\n",
    }
    with tarfile.open(file, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"callboard_built-1.0/{name}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return file


def tools(tmp_path, home, *packages, policy=None, **more):
    """What `callboard tools` says of packages, or of the one in ``package``."""
    sources = [f"path:./{name}" for name in packages or ["package"]]
    config = write_config(tmp_path, *sources, plugin_cache_dir="cache", plugin_policy=policy or {})
    env = {"HOME": str(home), "PIP_CACHE_DIR": str(tmp_path / "pip-cache"), "MY_TOKEN": "the-users-own"}
    env |= {"XDG_CONFIG_HOME": str(home / ".config"), "PIP_CONFIG_FILE": "", "PIP_INDEX_URL": ""} | more
    ended = callboard("tools", "--trust", config, "--json", env={k: v for k, v in env.items() if v})
    return ended, lines(ended.stdout)


HOSTILE = {
    "--index-url {stranger}/${{MY_TOKEN}}/\n" + WORDS: "'--index-url'",
    "-i {stranger}\n" + WORDS: "'--index-url'",
    "--extra-index-url={stranger}\n" + WORDS: "'--extra-index-url'",
    "--find-links {stranger}\n" + WORDS: "'--find-links'",
    "--no-bin :all:\n" + WORDS: "'--no-bin'",
    "--pre --no-binary :all:\n" + WORDS: "'--pre'",
    "-r more.txt --no-binary :all:": "'--no-binary'",
    WORDS + " --no-binary :all:": "'--no-binary'",
    WORDS + " -i {stranger}": "'-i'",
    WORDS + " --config-settings=a=b": "'--config-settings'",
    "./words.whl -i {stranger}": "'-i'",
    WORDS + " @ {stranger}/${{MY_TOKEN}}/words-1-py3-none-any.whl": "'${{MY_TOKEN}}'",
    "{stranger}/${{MY_TOKEN}}/words-1-py3-none-any.whl": "'${{MY_TOKEN}}'",
    "-r ${{HOME}}/more.txt": "'${{HOME}}'",
    "-r ../outside.txt": "'../outside.txt'",
    "-c ../outside.txt\n" + WORDS: "'../outside.txt'",
    "-r link.txt": "'link.txt'",
    "-r {stranger}/more.txt": "more.txt'",
    "-c bounds.txt\n" + WORDS: "'--index-url'",
}


PROJECTS = {
    WORDS + "\n--index-url {stranger}": r"\n",
    WORDS + " --no-binary :all:": "'--no-binary'",
    WORDS + " @ {stranger}/\n--no-binary=:all:": r"\n",
    WORDS + " @ {stranger}/${{MY_TOKEN}}/words-1-py3-none-any.whl": "'${{MY_TOKEN}}'",
}
"""Dependencies in a pyproject.toml, and what is said of them."""


def test_an_option_of_a_package_is_refused_by_its_name_and_nobody_is_asked(tmp_path, home, index, strangers):
    (tmp_path / "outside.txt").write_text(WORDS)
    cases = [("requirements_txt", *case) for case in HOSTILE.items()]
    cases += [("pyproject_toml", *case) for case in PROJECTS.items()]
    for number, (file, template, _) in enumerate(cases):
        said = template.format(stranger=strangers.url)
        content = {file: said if file == "requirements_txt" else project(said)}
        package = tool_package(tmp_path / f"p{number}", f"cb_hostile_{number}", answer=ANSWER, **content)
        (package / "more.txt").write_text(WORDS)
        (package / "bounds.txt").write_text(f"--index-url {strangers.url}\n")
        (package / "link.txt").symlink_to(tmp_path / "outside.txt")

    _, told = tools(tmp_path, home, *(f"p{number}" for number in range(len(cases))))

    assert [
        said for (_, said, named), one in zip(cases, told, strict=True) if named.format() not in one["error"]
    ] == []
    assert (index.asked, strangers.asked) == ([], [])
    assert not (tmp_path / "cache").exists()


def test_the_index_and_the_login_of_the_user_hold_and_settings_of_a_package_do_not(
    tmp_path, home, index, strangers
):
    said = f"[global]\nindex-url = {strangers.url}\n[install]\nno-binary = :all:\n"
    uv = f'index-url = "{strangers.url}"\n'
    package = tool_package(
        tmp_path / "package",
        "cb_with_settings",
        answer=ANSWER,
        requirements_txt=f"{WORDS}==1.0\n",
        pyproject_toml=f"[tool.pip]\n{uv}[tool.uv]\n{uv}",
        pip_conf=said,
        uv_toml=uv,
        setup_cfg=f"[easy_install]\nindex_url = {strangers.url}\n",
    )
    for folder in (package / ".config" / "pip", package / "src"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pip.conf").write_text(said)

    ended, (tool,) = tools(tmp_path, home)

    assert (ended.returncode, tool["tool"]) == (0, "where")
    assert LOGIN in {asked.authorization for asked in index.asked}
    assert strangers.asked == []


def test_what_a_wheel_requires_is_not_built_either_unless_that_is_allowed(tmp_path, home, index):
    seen = tmp_path / "seen.json"
    source = archive(tmp_path, seen)
    outer = wheel(tmp_path, "callboard_outer", requires=(f"callboard_built @ {source.as_uri()}",))
    tool_package(
        tmp_path / "package",
        "cb_built_behind",
        answer="\ndef answer():\n    return 1\n",
        requirements_txt=f"callboard_outer @ {outer.as_uri()}\n",
    )

    refused, (told,) = tools(tmp_path, home)
    ran = seen.exists()
    built, (tool,) = tools(tmp_path, home, policy={"python_allow_builds": True})

    assert refused.returncode != 0
    assert "'python_allow_builds'" in told["error"]
    assert not ran
    assert (built.returncode, tool["tool"]) == (0, "where")
    assert seen.exists()


def test_a_build_sees_no_secret_of_the_program(tmp_path, home, index):
    seen = tmp_path / "seen.json"
    source = archive(tmp_path, seen)
    tool_package(
        tmp_path / "package",
        "cb_building",
        answer=ANSWER,
        requirements_txt=f"callboard_built @ {source.as_uri()}\n{WORDS}\n",
    )
    address = index.url.replace("://", "://me:the-users-own@")

    ended, (tool,) = tools(
        tmp_path, home, policy={"python_allow_builds": True}, PIP_INDEX_URL=address, NPM_TOKEN="the-users-own"
    )

    assert (ended.returncode, tool["tool"]) == (0, "where")
    assert LOGIN in {asked.authorization for asked in index.asked}
    assert "the-users-own" not in json.dumps(json.loads(seen.read_text()))


def test_a_build_gets_no_password_of_a_proxy(tmp_path, home, index):
    seen = tmp_path / "seen.json"
    source = archive(tmp_path, seen)
    tool_package(
        tmp_path / "package",
        "cb_building_behind_a_proxy",
        answer="\ndef answer():\n    return 1\n",
        requirements_txt=f"callboard_built @ {source.as_uri()}\n",
    )
    proxy = "http://me:the-users-own@proxy.example:8080"

    ended, _ = tools(tmp_path, home, policy={"python_allow_builds": True}, HTTPS_PROXY=proxy)

    assert ended.returncode == 0
    assert "the-users-own" not in seen.read_text()
    assert json.loads(seen.read_text())["HTTPS_PROXY"] == "http://proxy.example:8080"
