"""Python plugins are found by their dotted path, in what is installed or in a directory that says what it offers."""

from __future__ import annotations

import json
import sys

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.sources.python import load_package_entry, load_python_object, read_python_package

TOOL = """
class MyTool:
    name = "my_tool"

    class Inner:
        name = "inner"

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": payload}

instance = MyTool()
"""


@pytest.fixture(autouse=True)
def own_imports(monkeypatch):
    """Forget what a test imports, so that none sees another's modules."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def directory(tmp_path):
    """Write a plugin directory: its manifest, as text or as a value, and modules."""

    def write(manifest, modules, name="my-tools"):
        root = tmp_path / name
        for path, source in modules.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source)
        text = manifest if isinstance(manifest, str) else json.dumps(manifest)
        root.mkdir(exist_ok=True)
        (root / "agent_plugin.json").write_text(text)
        return root

    return write


def loaded(path):
    package = read_python_package(path)
    return [load_package_entry(package, entry) for entry in package.entries]


def entries(*paths, **more):
    return {"entries": list(paths), **more}


LAYOUTS = {
    "src": (entries("cb_a.my_tool.MyTool", subdirectory="."), "src/", "src"),
    "flat": (entries("cb_a.my_tool.MyTool"), "", "."),
    "below": (entries("cb_a.my_tool.MyTool", subdirectory="python"), "python/", "python"),
    "src below": (entries("cb_a.my_tool.MyTool", subdirectory="python"), "python/src/", "python/src"),
}


@pytest.mark.parametrize(("manifest", "where", "root"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_directory_offers_the_plugins_that_its_manifest_lists(directory, manifest, where, root):
    path = directory(manifest, {f"{where}cb_a/__init__.py": "", f"{where}cb_a/my_tool.py": TOOL})

    (plugin,) = loaded(path)

    assert plugin.__name__ == "MyTool"
    assert PluginAdapter(plugin).name == "my_tool"
    assert read_python_package(path).import_root == (path / root).resolve()


def test_plugins_come_in_the_order_of_the_manifest(directory):
    path = directory(entries("cb_b.instance", "cb_b.MyTool", "cb_b.MyTool.Inner"), {"cb_b.py": TOOL})

    names = [getattr(plugin, "__name__", plugin) for plugin in loaded(path)]

    assert names[1:] == ["MyTool", "Inner"]
    assert names[0].name == "my_tool"


def test_a_directorys_code_is_put_at_the_end_of_the_path_once(directory):
    path = directory(entries("cb_c.MyTool"), {"cb_c.py": TOOL, "json.py": "raise RuntimeError('shadow')"})
    before = list(sys.path)

    first = loaded(path)
    second = loaded(path)

    assert sys.path == [*before, str(path)]
    assert first == second


def test_a_package_without_init_can_be_loaded(directory):
    path = directory(entries("cb_d.tools.MyTool"), {"cb_d/tools.py": TOOL})

    assert loaded(path)[0].__name__ == "MyTool"


@pytest.mark.parametrize("module", ["cb_e.py", "cb_e/__init__.py"])
def test_a_module_of_a_name_that_is_taken_is_refused(directory, module):
    loaded(directory(entries("cb_e.MyTool"), {module: TOOL}, name="first"))
    second = directory(entries("cb_e.MyTool"), {"cb_e.py": TOOL}, name="second")

    with pytest.raises(
        PluginLoadError, match=r"another module 'cb_e' is already in use, from .*first.*; rename one"
    ):
        loaded(second)


def test_a_manifest_cannot_name_what_is_not_in_its_directory(directory):
    path = directory(entries("json.JSONDecoder"), {})

    with pytest.raises(PluginLoadError, match="another module 'json' is already in use"):
        loaded(path)


REFUSED = {
    "no JSON": ("{", "agent_plugin.json is not JSON"),
    "no object": ([], "holds a list, not an object"),
    "no entries": ({}, "lists no entries; it needs dotted paths of plugins, such as"),
    "a misspelt key": ({"entrys": ["a.B"]}, "'entrys': did you mean 'entries'?"),
    "an empty list": (entries(), "lists no entries"),
    "entries that are no texts": ({"entries": [1]}, "lists no entries"),
    "a subdirectory that is no text": (
        entries("a.B", subdirectory=1),
        "has 1 as subdirectory; it has to be a text",
    ),
    "a subdirectory that is not there": (
        entries("a.B", subdirectory="x"),
        "names the subdirectory 'x', which does not exist",
    ),
    "a subdirectory outside": (entries("a.B", subdirectory=".."), "which leads out of the package"),
}


@pytest.mark.parametrize(("manifest", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_manifest_that_cannot_be_used_is_refused_in_one_sentence(directory, manifest, problem):
    path = directory(manifest, {})

    with pytest.raises(PluginLoadError) as caught:
        loaded(path)

    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.plugin == str(path)


def test_a_directory_without_a_manifest_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(PluginLoadError, match=r'has no agent_plugin.json; add one, such as {"entries"'):
        loaded(tmp_path)


def test_a_dotted_path_names_anything_in_an_importable_module():
    assert load_python_object("json.JSONDecoder") is json.JSONDecoder
    assert load_python_object("collections.abc.Mapping").__name__ == "Mapping"
    assert load_python_object("json.decoder") is json.decoder


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Make modules importable."""

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)

    return write


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("cb_nowhere.tools.Echo", "there is no module 'cb_nowhere' here; install the package that has it"),
        ("Echo", "there is no module 'Echo' here"),
        ("json.Decoder", "json has no 'Decoder'; did you mean 'decoder'?"),
        ("json.nothing.like.it", "json has no 'nothing'; known are"),
        ("json.JSONDecoder.decod", "JSONDecoder has no 'decod'; did you mean 'decode'?"),
        ("cb_raises.Tool", "importing cb_raises raised ValueError: at import"),
        ("cb_exits.Tool", "importing cb_exits raised SystemExit: 3"),
        ("cb_typo.Tool", "importing cb_typo raised SyntaxError"),
        (
            "cb_needs.Tool",
            "raised ModuleNotFoundError: No module named 'cb_missing'; install what has the module 'cb_missing'",
        ),
    ],
)
def test_a_dotted_path_that_leads_nowhere_is_refused_with_the_reason(modules, path, problem):
    modules(
        cb_raises="raise ValueError('at import')",
        cb_exits="raise SystemExit(3)",
        cb_typo="def",
        cb_needs="import cb_missing",
    )

    with pytest.raises(PluginLoadError) as caught:
        load_python_object(path)

    assert str(caught.value).startswith(f"cannot load plugin {path}: ")
    assert problem in str(caught.value)
    assert caught.value.plugin == path
