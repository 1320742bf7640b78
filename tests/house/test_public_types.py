"""Which symbols `make check-public-types` reports, from what pyright says."""

from __future__ import annotations

from public_types import figures, incomplete


def _symbol(name, *messages, exported=True, known=True, ambiguous=False):
    diagnostics = [{"message": each, "range": {"start": {"line": 6, "character": 0}}} for each in messages]
    return {
        "category": "variable",
        "name": name,
        "isExported": exported,
        "isTypeKnown": known,
        "isTypeAmbiguous": ambiguous,
        "diagnostics": diagnostics,
    }


def _report(*symbols):
    return {"typeCompleteness": {"symbols": list(symbols)}}


def test_a_public_symbol_without_a_type_is_reported_with_its_line():
    report = _report(_symbol("a.b", "Type is missing\n  of b", ambiguous=True), _symbol("a.c"))

    assert incomplete(report) == ["variable a.b: line 7: Type is missing of b"]


def test_a_symbol_that_is_made_of_one_without_a_type_is_left_out_beside_it():
    whole = _symbol("a.A", "Return type is partially unknown", known=False)
    part = _symbol("a.A.b", "Type is missing", ambiguous=True)

    assert incomplete(_report(whole, part)) == ["variable a.A.b: line 7: Type is missing"]
    assert incomplete(_report(whole)) == ["variable a.A: line 7: Return type is partially unknown"]
    assert incomplete(_report(_symbol("a.A", known=False))) == ["variable a.A: a part has no type"]


def test_a_private_symbol_needs_no_type_and_a_missing_docstring_is_no_missing_type():
    private = _symbol("a._b", "Type is missing", exported=False, ambiguous=True)
    undocumented = _symbol("a.c", "No docstring found for function")

    assert incomplete(_report(private, undocumented)) == []


def test_the_figures_count_all_public_symbols():
    counts = {"withKnownType": 1000, "withAmbiguousType": 2, "withUnknownType": 1}

    said = figures({"typeCompleteness": {"exportedSymbolCounts": counts}})

    assert said == "1,000 of 1,003 public symbols have a type"
