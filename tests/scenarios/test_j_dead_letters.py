"""J: dead letters, with hosts in memory on a manual clock."""

from __future__ import annotations

from memory_hosts import PATIENCE, memory_board


def test_scenario_J5_calls_to_what_was_stopped_are_dead_letters_and_timers_are_not():
    with memory_board() as memory:
        host = memory.add(grace=1.0)
        endpoint = memory.board.plugin_manager.handle("host").endpoint
        under_way, waiting = memory.call(deadline=5.0), memory.call(deadline=5.0)
        host.generation.request()
        memory.board.remove("host")
        memory.settle()

        late = memory.call(deadline=5.0)  # finds no tool of that name: refused, and given to nobody
        memory.clock.advance(60.0)  # over all deadlines and grace times
        letters = memory.letters()
        event = memory.events.of("dead_letter")[0]

        assert [call.result(PATIENCE)["code"] for call in (under_way, waiting, late)] == [
            "cancelled",
            "cancelled",
            "unknown_tool",
        ]
        assert letters == [("stopped", waiting.id)]
        assert (event.subject, event.facts["tool"]) == (endpoint.name, "tool")


def test_scenario_J6_a_listener_of_dead_letters_that_raises_or_causes_more_makes_no_loop(caplog):
    with memory_board() as memory:
        memory.add(mailbox_size=1)
        memory.call()
        memory.call()
        heard = []

        def raises(event):
            heard.append(event)
            raise ValueError("no letters, please")

        def causes_more(_event):
            assert memory.call().result(PATIENCE)["code"] == "overloaded"

        memory.board.subscribe(raises, ["dead_letter"])
        memory.board.subscribe(causes_more, ["dead_letter"])
        refused = memory.call()
        letters = memory.letters()

        assert letters == [("overflow", refused.id)]
        assert len(heard) == 1
        assert memory.board.status()["dead_letters"] == {"overflow": 2}
        assert "a subscriber failed on event dead_letter" in caplog.text
