import pytest
from bare_host import BareHost
from programs import EVIL_NODE, NODE

SHAPES = NODE / "shapes.mjs"


@pytest.mark.parametrize(
    ("export", "shape"),
    [
        ("object", "object"),
        ("Class", "class"),
        ("Derived", "class"),
        ("anonymousClass", "anonymousClass"),
        ("TranspiledClass", "TranspiledClass"),
        ("factory", "factory"),
        ("arrowFactory", "arrowFactory"),
        ("asyncFactory", "asyncFactory"),
        ("promise", "promise"),
        ("snakeCase", "snakeCase"),
    ],
)
def test_an_object_a_class_and_a_factory_are_tools(export, shape):
    with BareHost(SHAPES, export) as host:
        assert host.value("init") == {"shape": shape}
        assert host.answer(host.execute())["result"]["value"] == {"success": True, "result": shape}


def test_methods_may_go_by_their_wire_names():
    with BareHost(SHAPES, "snakeCase") as host:
        assert host.value("get_tool_schemas", {"state": {}}) == []
        assert host.value("format_tool_call_preview", {"tool_name": "t"}) == "preview of t"


@pytest.mark.parametrize("export", [None, "shout"])
@pytest.mark.parametrize("module", ["commonjs_tool.cjs", "module_exports_tool.cjs"])
def test_commonjs_modules_are_tools_too(module, export):
    with BareHost(NODE / module, export) as host:
        answer = host.answer(host.execute(arguments={"text": "hey"}))

    assert answer["result"]["value"] == {"success": True, "result": "hey!"}


@pytest.mark.parametrize(
    ("export", "found"),
    [
        ("number", "is a number, without init, getToolSchemas, executeTool"),
        ("nothing", "is null, without init"),
        ("list", "is an array, without init"),
        ("incomplete", "is an object with init, execute, without getToolSchemas, executeTool"),
        ("factoryOfNothing", "is a function that makes undefined, without init"),
    ],
)
def test_what_is_no_tool_is_refused_by_what_it_is_and_what_it_lacks(export, found):
    with BareHost(SHAPES, export) as host:
        error = host.error("init")

    assert (error["type"], error["phase"]) == ("ExportError", "load")
    assert f'the export "{export}" of {SHAPES} {found}' in error["detail"]
    assert "expected an object, a class, or a function that returns an object" in error["detail"]


@pytest.mark.parametrize("export", [None, "Objekt"])
def test_an_export_that_is_not_there_is_answered_with_those_that_are(export):
    with BareHost(SHAPES, export) as host:
        error = host.error("init")

    assert (error["type"], error["phase"]) == ("ExportError", "load")
    assert f'has no export "{export or "default"}"; it exports Class, Derived, ' in error["detail"]


@pytest.mark.parametrize("export", ["throwingFactory", "ThrowingClass"])
def test_a_factory_or_constructor_that_throws_is_a_failure_to_load(export):
    with BareHost(SHAPES, export) as host:
        error = host.error("init")

    assert (error["type"], error["phase"]) == ("RangeError", "load")
    assert "today" in error["detail"]


@pytest.mark.parametrize(
    ("module", "kind", "detail"),
    [
        ("throws_at_import.mjs", "RangeError", "no module today"),
        ("syntax_error.mjs", "SyntaxError", "Unexpected token ','"),
        ("imports_what_is_missing.mjs", "Error", "no-such-package-anywhere"),
        ("there_is_no_such_file.mjs", "Error", "there_is_no_such_file.mjs"),
    ],
)
def test_a_module_that_cannot_be_loaded_answers_every_request_with_the_reason(module, kind, detail):
    with BareHost(EVIL_NODE / module) as host:
        first = host.error("init", {"config": {}})
        second = host.error("get_tool_schemas", {"state": {}})

        assert host.finish() == 0
    assert (first["type"], first["phase"]) == (kind, "load")
    assert detail in first["detail"]
    assert first == second
    assert f"[tool host] cannot load {EVIL_NODE / module}" in host.stderr
    assert detail in host.stderr


def test_a_missing_module_is_told_by_its_code():
    with BareHost(EVIL_NODE / "imports_what_is_missing.mjs") as host:
        assert host.error("init")["code"] == "ERR_MODULE_NOT_FOUND"


def test_a_syntax_error_says_where():
    with BareHost(EVIL_NODE / "syntax_error.mjs") as host:
        stack = host.error("init")["stack"]

    assert f"{EVIL_NODE / 'syntax_error.mjs'}:2\n" in stack
    assert "init() { return },," in stack


def test_a_syntax_error_in_an_imported_module_says_where(tmp_path):
    (tmp_path / "tool.mjs").write_text("import './a.mjs';\nexport { tool } from './a.mjs';\n")
    (tmp_path / "a.mjs").write_text(
        "import './tool.mjs';\nimport nothing from './none.mjs';\nimport './b.mjs';\n"
    )
    (tmp_path / "none.mjs").write_text("export default 1;\n")
    (tmp_path / "b.mjs").write_text("\n\nlet let = 1;\n")
    with BareHost(tmp_path / "tool.mjs") as host:
        error = host.error("init")

    assert error["detail"].endswith(f"({tmp_path / 'b.mjs'}:3)")
    assert error["stack"].startswith(f"{tmp_path / 'b.mjs'}:3\nlet let = 1;\n")


def test_typescript_that_has_no_more_than_types_runs_as_it_is():
    with BareHost(NODE / "typescript.ts") as host:
        assert host.answer(host.execute())["result"]["value"]["result"] == "typed"


def test_an_error_of_the_tools_own_init_is_told_apart_from_loading():
    with BareHost(EVIL_NODE / "init_throws.mjs") as host:
        error = host.error("init")

    assert (error["type"], error["detail"], error["phase"]) == ("Error", "no state today", "init")


@pytest.mark.parametrize(
    ("what", "said"),
    [("number", "7"), ("list", "[]"), ("bigint", "1n"), ("function", "[Function: parseInt]")],
)
def test_an_init_that_returns_no_object_is_refused(what, said):
    with BareHost(EVIL_NODE / "init_returns.mjs") as host:
        error = host.error("init", {"config": {"what": what}})

    assert (error["type"], error["phase"]) == ("InvalidResult", "init")
    assert error["detail"] == f"init returned {said}; state is an object"


def test_an_init_that_returns_nothing_means_an_empty_state():
    with BareHost(EVIL_NODE / "init_returns.mjs") as host:
        assert host.ask("init", {"config": {"what": "nothing"}})["result"] == {"value": {}, "state": {}}
