"""What `make check-page-types` gives to the type checkers: each line of a page's Python, where it stands on the page."""

from __future__ import annotations

from page_types import modules_of, template

PAGE = """# A page

```python
import program
```

<!-- file: src/my/words.py -->
```python
x = 1
```

<!-- not run -->
```python
y = 2
```

```sh
ls
```

```python
z = 3
```
"""


def test_each_line_of_a_pages_python_is_checked_where_it_stands(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)

    modules = modules_of("docs/my-page.md", page)

    numbered = {path: _numbered(text) for path, text in modules.items()}
    assert numbered == {
        "docs_my_page.py": {4: "import program", 22: "z = 3"},
        "my/words.py": {9: "x = 1"},
        "docs_my_page_14.py": {14: "y = 2"},
    }


def test_the_template_of_an_author_is_checked_as_it_is_imported():
    assert sorted(template()) == [
        "template_python_tools/__init__.py",
        "template_python_tools/count_words_tool.py",
        "template_python_tools/echo_tool.py",
        "test_tools.py",
    ]


def _numbered(text):
    return {number: line for number, line in enumerate(text.split("\n"), 1) if line}
