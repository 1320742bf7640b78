from __future__ import annotations

import json
import sys
import types

import pytest
from callboard import Callboard
from callboard.base.errors import PluginLoadError
from callboard.hosts.errors import HostStartError
from callboard.hosts.python import tool as python_tool
from callboard.hosts.python.runner.loading import loading
from callboard.hosts.python.runner.origin import PythonOrigin, origin_of
from callboard.hosts.python.tool import PythonToolPlugin, interpreter_options
from moody_python import Moody

MOODY = PythonOrigin("moody_python.Moody")


def program_of(command):
    return json.loads(command.argv[-1])


def test_the_host_is_this_interpreter_and_looks_where_this_one_looks(monkeypatch):
    monkeypatch.setattr(sys, "path", ["", "/somewhere", *sys.path])
    monkeypatch.chdir("/usr")

    command = PythonToolPlugin("moody", MOODY).command()

    assert command.argv[0] == sys.executable
    assert program_of(command)["path"][:2] == ["/usr", "/somewhere"]
    assert command.cwd is None


def test_the_host_sees_what_every_host_sees_and_what_its_interpreter_needs(monkeypatch):
    monkeypatch.setenv("API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/lib/of/python")
    monkeypatch.setenv("PATH", "/bin")

    environment = PythonToolPlugin("moody", MOODY, env={"DECLARED": "yes"}).command().env

    assert environment["LD_LIBRARY_PATH"] == "/lib/of/python"
    assert (environment["PATH"], environment["DECLARED"]) == ("/bin", "yes")
    assert {"API_KEY", "PYTHONPATH"}.isdisjoint(environment)


@pytest.mark.parametrize(
    ("origin", "watched", "kept"),
    [(MOODY, False, True), (MOODY, True, False), (PythonOrigin("a.B", package="/package"), False, False)],
)
def test_no_code_is_kept_that_would_be_run_when_its_text_has_changed(monkeypatch, origin, watched, kept):
    monkeypatch.setattr(python_tool, "interpreter_options", list)

    command = PythonToolPlugin("moody", origin, watched=watched).command()

    assert ("-B" not in command.argv) == kept


@pytest.mark.parametrize(
    ("flags", "warnings", "options"),
    [
        ({}, [], []),
        ({"isolated": 1, "no_user_site": 1}, [], ["-I", "-s"]),
        ({"optimize": 2, "dont_write_bytecode": 1}, [], ["-B", "-OO"]),
        (
            {"dev_mode": True},
            ["error", "ignore::UserWarning"],
            ["-X", "dev", "-W", "error", "-W", "ignore::UserWarning"],
        ),
    ],
)
def test_the_options_of_this_interpreter_are_handed_on(monkeypatch, flags, warnings, options):
    none = dict.fromkeys(
        ("isolated", "no_user_site", "no_site", "dont_write_bytecode", "optimize", "dev_mode"), 0
    )
    stub = types.SimpleNamespace(
        flags=types.SimpleNamespace(**{**none, "utf8_mode": 1, **flags}), warnoptions=warnings
    )
    monkeypatch.setattr(python_tool, "sys", stub)

    utf8 = ["-X", "utf8=1"]
    warned = options[options.index("-W") :] if "-W" in options else []
    assert interpreter_options() == ["-P", "-u", *options[: len(options) - len(warned)], *utf8, *warned]


def test_no_host_is_started_by_a_host_that_still_loads():
    with loading(), pytest.raises(HostStartError, match="belongs behind if __name__") as caught:
        PythonToolPlugin("moody", MOODY).command()

    assert caught.value.permanent


def test_an_embedded_interpreter_says_that_it_cannot_start_another(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")

    with pytest.raises(HostStartError, match="without 'isolate'") as caught:
        PythonToolPlugin("moody", MOODY).command()

    assert caught.value.permanent


def test_the_way_to_a_class_is_its_module_and_its_name():
    origin = origin_of(Moody)

    assert (origin.path, origin.module) == ("moody_python.Moody", "moody_python")
    assert origin.file is not None
    assert origin.load() is Moody


def test_the_way_is_json_and_back():
    origin = origin_of(Moody)

    assert PythonOrigin(**json.loads(json.dumps(origin.as_dict()))) == origin


def test_a_class_of_the_program_is_found_by_its_file(monkeypatch, tmp_path):
    program = types.ModuleType("__main__")
    program.__file__ = str(tmp_path / "program.py")
    (tmp_path / "program.py").touch()
    program.__spec__ = None
    program.Tool = type("Tool", (), {"__module__": "__main__"})
    monkeypatch.setitem(sys.modules, "__main__", program)

    origin = origin_of(program.Tool)

    assert origin == PythonOrigin("__mp_main__.Tool", module="__mp_main__", file=str(tmp_path / "program.py"))


def test_a_class_of_an_interactive_session_says_what_to_do(monkeypatch):
    session = types.ModuleType("__main__")
    session.Tool = type("Tool", (), {"__module__": "__main__"})
    monkeypatch.setitem(sys.modules, "__main__", session)

    with pytest.raises(PluginLoadError, match="put it into a module of its own"):
        origin_of(session.Tool)


def test_a_class_that_another_hides_under_its_name_has_no_way():
    hidden = type("Moody", (), {"__module__": "moody_python"})

    with pytest.raises(PluginLoadError, match=r"is not what moody_python\.Moody names"):
        origin_of(hidden)


def test_a_file_that_raises_says_so(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("raise SystemExit(2)")

    with pytest.raises(PluginLoadError, match=r"runs .*program\.py .* raised SystemExit: 2.*behind if"):
        PythonOrigin("some_program.Tool", module="some_program", file=str(file)).load()
    del sys.modules["some_program"]


def test_a_proxy_alone_runs_a_generation_without_a_board():
    with PythonToolPlugin("moody", origin_of(Moody)) as tool:
        state = tool.init({"count": 1})
        result = tool.execute_tool("moody", {"value": "hi"}, state)

    assert result == {"success": True, "result": "hi", "count": 2}
    assert state == {"count": 2}


def test_a_proxy_is_registered_like_any_other():
    with Callboard() as board:
        board.register(PythonToolPlugin("moody", MOODY))

        assert board.status()["plugins"]["moody"]["kind"] == "python"
