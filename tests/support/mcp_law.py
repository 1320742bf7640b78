"""The law of a gateway, over recorded sessions: what a client has through Callboard is what it has from the server itself, frame by frame.

`law` has a client ask a board all that was asked of its servers, and says where what comes back is another JSON value than what was recorded: in
a number, of any size, in the order of keys, in what is more or less. What may differ stands in ``recorded_exceptions.toml``, each with its reason.
"""

from __future__ import annotations

import json
import tomllib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from leaks import wait_until
from mcp_plain import PATIENCE
from programs import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_plain import Client, Heard
    from mcp_records import Exchange, Record

Json = dict[str, Any]

EXCEPTIONS: Final = ROOT / "tests" / "facade" / "mcp" / "recorded_exceptions.toml"

LISTS: Final = {
    "tools/list": ("tools", "name"),
    "prompts/list": ("prompts", "name"),
    "resources/list": ("resources", "uri"),
    "resources/templates/list": ("resourceTemplates", "uriTemplate"),
}
"""What each list has, and the key by which an item of it is known."""

INTRODUCTIONS: Final = frozenset({"initialize", "server/discover"})


class Difference(NamedTuple):
    """One place in which what came through Callboard is not what came without.

    Attributes:
        server: whose.
        method: of the request.
        place: in the frame; ``#`` stands for any index.
        kind: ``value``, ``more``, ``less`` or ``order``.
        direct, behind: what stands there.
    """

    server: str
    method: str
    place: str
    kind: str
    direct: Any = None
    behind: Any = None

    def __str__(self) -> str:
        said = f"{self.server}: {self.method}: {self.place}: {self.kind}"
        return f"{said}: {self.direct!r:.400} is {self.behind!r:.400}"


class Exceptions:
    """What may differ, as it is written down.

    Args:
        way: how the client and the servers speak, as an exception names it.
    """

    def __init__(self, way: str) -> None:
        self._rows = tomllib.loads(EXCEPTIONS.read_text())["exception"]
        self._way = way
        self._met: set[int] = set()

    def allow(self, difference: Difference) -> bool:
        """Whether this is one of them."""
        found = [
            number
            for number, row in enumerate(self._rows)
            if row["kind"] in {"*", difference.kind}
            and fnmatchcase(difference.place, row["place"])
            and any(fnmatchcase(difference.method, each) for each in row.get("methods", ["*"]))
        ]
        self._met.update(found)
        return bool(found)

    @property
    def idle(self) -> list[Json]:
        """Those that this way of speaking was said to need, and did not."""
        return [
            row
            for number, row in enumerate(self._rows)
            if row["needed"] == self._way and number not in self._met
        ]


def differences(direct: Any, behind: Any, place: str = "") -> Iterator[tuple[str, str, Any, Any]]:
    """Where two JSON values differ: the place, the kind, and what stands there. Numbers are compared as they are written."""
    if isinstance(direct, dict) and isinstance(behind, dict):
        if "_meta" in {*direct, *behind} and not (
            direct.keys() & behind.keys() >= {"_meta"}
        ):  # as an empty one
            direct, behind = ({**each, "_meta": each.get("_meta", {})} for each in (direct, behind))
        for key, each in direct.items():
            inner = f"{place}.{key}" if place else key
            if key in behind:
                yield from differences(each, behind[key], inner)
            else:
                yield inner, "less", each, None
        for key in behind.keys() - direct.keys():
            yield f"{place}.{key}" if place else key, "more", None, behind[key]
        both = [key for key in direct if key in behind], [key for key in behind if key in direct]
        if both[0] != both[1]:
            yield place, "order", *both
    elif isinstance(direct, list) and isinstance(behind, list) and len(direct) == len(behind):
        for one, other in zip(direct, behind, strict=True):
            yield from differences(one, other, f"{place}.#")
    elif type(direct) is not type(behind) or repr(direct) != repr(behind):
        yield place, "value", direct, behind


class Board:
    """A board, by what a client sees of it.

    Args:
        client: of the board.
        servers: the sessions that were recorded with its servers.
    """

    def __init__(self, client: Client, servers: Sequence[Record]) -> None:
        self._client = client
        self._lists: dict[str, Json] = {}
        client.begin()
        wanted = [(each, name) for each in servers for name in _offered(each, "tools/list")]

        def are_there() -> bool:
            self._lists.clear()
            return all(self._name_of("tools/list", *each) is not None for each in wanted)

        wait_until(are_there, PATIENCE)
        self._lists.clear()
        *_, self._introduction = client.begin()  # now that all servers have said theirs

    def compare(self, record: Record, exchange: Exchange) -> Iterator[tuple[str, str, Any, Any]]:
        """Ask the board what was asked of the server; where what is heard differs."""
        method, params, direct = exchange
        if method in INTRODUCTIONS:
            yield from self._introduced(record, direct)
        elif method in LISTS:
            yield from self._listed(record, method)
        elif not _is_listed(record, method, params):
            behind = json.loads(self._client.ask(method, params).answer)
            yield "unlisted", "value" if "error" in behind else "less", direct.answer, behind
        else:
            asked = params
            if method == "tools/call":
                name = self._name_of("tools/list", record, params["name"])
                asked = {**params, "name": name}
            yield from _frames(direct, self._client.ask(method, asked))

    def _introduced(self, record: Record, direct: Heard) -> Iterator[tuple[str, str, Any, Any]]:
        answer = json.loads(self._introduction.answer)
        before, heading, rest = f"\n\n{answer['result'].pop('instructions', '')}".partition(
            f"\n\n## {record.server}\n\n"
        )
        own = json.loads(direct.answer)
        said = own["result"].pop("instructions", "")
        if heading or before or said:
            kind = "more" if rest == said or rest.startswith(f"{said}\n\n## ") else "value"
            yield "result.instructions", kind, said, rest
        yield from differences(own, answer)

    def _listed(self, record: Record, method: str) -> Iterator[tuple[str, str, Any, Any]]:
        key, by = LISTS[method]
        own, answer = _pages(record, method), self._list(method)
        if "error" in own:
            yield "not offered", "value", own, answer
            return
        names = {self._name_of(method, record, name): name for name in _offered(record, method)}
        items = [each for each in answer["result"][key] if each[by] in names]
        if len(items) < len(answer["result"][key]):
            yield f"result.{key}", "more", None, None
        if len(names) < len(own["result"][key]):
            yield f"result.{key}", "less", None, None
        offered = [each for each in own["result"][key] if each[by] in names.values()]
        for pages, some in ((own, offered), (answer, items)):
            pages["result"] = {**pages["result"], key: some}
        yield from differences(own, {**answer, "result": {**answer["result"], key: items}})

    def _list(self, method: str) -> Json:
        if method not in self._lists:
            self._lists[method] = joined(method, lambda page: self._client.ask(method, page).answer)
        return json.loads(json.dumps(self._lists[method]))  # type: ignore[no-any-return]

    def _name_of(self, method: str, record: Record, name: str) -> str | None:
        """What the board calls what a server calls so; ``None`` if it does not list it."""
        key, by = LISTS[method]
        listed = {each[by] for each in self._list(method)["result"][key]}
        return next((each for each in (f"{record.server}__{name}", name) if each in listed), None)


def _frames(direct: Heard, behind: Heard) -> Iterator[tuple[str, str, Any, Any]]:
    """Compare what came of one request. Notifications of a method are compared in their order; of several methods, apart."""
    answer, own = json.loads(behind.answer), json.loads(direct.answer)
    meta = answer.get("result", {}).get("_meta", {})
    if meta.get("callboard/code") == "invalid_call" and meta["callboard/outcome"] == "not_sent":
        yield "arguments", "value", own, answer
        return
    told = [[json.loads(each) for each in heard.before] for heard in (direct, behind)]
    methods = [[each["method"] for each in of_one] for of_one in told]
    if methods[0] != methods[1]:
        yield "before", "order" if sorted(methods[0]) == sorted(methods[1]) else "value", *methods
    for of_one in told:
        of_one.sort(key=lambda each: str(each["method"]))
    for one, other in zip(*told, strict=False):
        yield from differences(one, other)
    yield from differences(own, answer)


def joined(method: str, ask: Callable[[Json], str]) -> Json:
    """All pages of a list as one."""
    key = LISTS[method][0]
    answer: Json = json.loads(ask({}))
    page = answer
    while "nextCursor" in page.get("result", {}):
        page = json.loads(ask({"cursor": page["result"]["nextCursor"]}))
        answer["result"][key] += page["result"][key]
    answer.get("result", {}).pop("nextCursor", None)
    return answer


def _pages(record: Record, method: str) -> Json:
    found = {json.dumps(params): heard.answer for asked, params, heard in record.exchanges if asked == method}
    return joined(method, lambda page: found[json.dumps(page)])


def _offered(record: Record, method: str) -> list[str]:
    """What a server lists."""
    key, by = LISTS[method]
    return [each[by] for each in _pages(record, method).get("result", {}).get(key, [])]


def _is_listed(record: Record, method: str, params: Json) -> bool:
    """Whether a server lists what it is asked for; a board cannot know otherwise whose it is."""
    if method not in {"tools/call", "prompts/get", "resources/read", "completion/complete"}:
        return True
    asked = params.get("ref", params)
    if "name" in asked:
        return asked["name"] in _offered(record, "tools/list" if method == "tools/call" else "prompts/list")
    templates = _offered(record, "resources/templates/list")
    begins = any(asked["uri"].startswith(each.partition("{")[0]) for each in templates)
    return begins or asked["uri"] in _offered(record, "resources/list")


def law(client: Client, servers: Sequence[Record], way: str) -> list[str]:
    """What is against the law: differences that no exception allows, and exceptions that were not needed."""
    exceptions = Exceptions(way)
    board = Board(client, servers)
    found = []
    for record in servers:
        for exchange in record.exchanges:
            if "cursor" in exchange.params:
                continue  # one of the pages that are compared as one list
            for each in board.compare(record, exchange):
                difference = Difference(record.server, exchange.method, *each)
                if not exceptions.allow(difference):
                    found.append(f"{difference} ({exchange.params!s:.80})")
    return [*found, *(f"not needed: {row}" for row in exceptions.idle)]
