"""The generations of one host and how one follows another: the present generation, those that retire, the standby.

The supervisor decides when a generation starts and which one is to go; here a standby is made that generation if one
waits, the retiring generation is told when its successor has taken the calls, and it is known when nothing of the
host is left. No call passes through here.

A standby is not what an order by hand asks for: a person who restarts a host wants what is on the disk now, and
not what was loaded an hour ago. So an order that ends a generation dismisses the standby too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ...base.locks import Lock
from ...supervision.messages import Order
from ...supervision.restart.policy import RestartType
from ...supervision.runtime.telling import tell
from ..handshake.messages import LoadPlugin, UnloadPlugin
from ..threads.latch import Latch
from .candidate import ProgramVersion
from .host_actor import HostActor
from .limits import arm
from .messages import BEGIN, Drain, EndGeneration, Retire
from .reload_progress import Reloads
from .standby import Standby, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pykka

    from ...hosts.host import Host
    from ...hosts.limits.limits import Exceeded
    from ...hosts.sharing import Program
    from ...supervision.generation import GenerationReporter
    from ...supervision.restart.policy import RestartPolicy
    from ...supervision.supervisor import SupervisorActor
    from ..handshake.handshake import Handshake, PluginsToLoad
    from ..services import Services
    from .candidate import Candidate
    from .contracts import Armed, CallGate, GenerationContext, LifecycleContext, Reporter
    from .limits import LimitWatch
    from .settings import HostSettings


class SupervisedGeneration:
    """A generation of a host, as its supervisor holds it. It is a `RunningGeneration`.

    Args:
        actor: sees to it.
        gate: the actor's.
        on_stop: told when an order by hand ends it: what waits to take over was not asked for.
    """

    def __init__(self, actor: pykka.ActorRef[Any], gate: CallGate, on_stop: Callable[[str], None]) -> None:
        self._actor = actor
        self._gate = gate
        self._on_stop = on_stop

    def stop(self, reason: str) -> None:
        """Begin to end it; no call is sent to it any more."""
        self._gate.shut()
        self._on_stop(reason)
        tell(self._actor, EndGeneration(reason))

    def retire(self, reason: str) -> None:
        """Its successor has been started: begin to end it, with nothing lost."""
        tell(self._actor, Retire(reason))


class Lifecycle:
    """See the module. It is the `GenerationContext` of each generation. From any thread; nothing here blocks.

    Args:
        program: what each generation is started from, as long as none is reloaded.
        settings: how each generation is run.
        policy: when the host, and its standby, are started again.
        owner: the plugins that run in it.
        services: the board's.
        watch: looks at the processes that have limits.

    Attributes:
        reloads: the versions of the program.
    """

    def __init__(
        self,
        program: Program,
        settings: HostSettings,
        policy: RestartPolicy,
        owner: LifecycleContext,
        *,
        services: Services,
        watch: LimitWatch,
    ) -> None:
        self._name = program.name
        self._settings = settings
        self._owner = owner
        self._services = services
        self._watch = watch
        self._latch = Latch()
        self._lock = Lock()
        self._generations: dict[int, pykka.ActorRef[Any]] = {}
        self._gates: WeakKeyDictionary[pykka.ActorRef[Any], CallGate] = WeakKeyDictionary()
        self._pending: pykka.ActorRef[Any] | None = None
        self._supervisor: pykka.ActorRef[SupervisorActor] | None = None
        self._recycled: int | None = None
        self._recycles: Counter[str] = Counter()
        # One that is never started again has nothing to be taken over; and a standby is a second generation.
        recurs = policy.restart is not RestartType.TEMPORARY
        wanted = settings.standby and settings.limits.overlap and recurs
        self._standby = Standby(program.name, policy, self._start_standby, services) if wanted else None
        self.reloads: Reloads = Reloads(
            program.name,
            ProgramVersion(program),
            owner,
            lambda candidate: self._start(
                candidate, candidate.program_version, candidate, loaded=candidate.loaded
            ),
            self.order,
            services=services,
        )

    def start(self, reporter: GenerationReporter) -> SupervisedGeneration:
        """Start the next generation, or make the standby that generation; in the supervisor's thread."""
        actor = self.reloads.take(reporter)
        if actor is None and self._standby is not None:
            actor = self._standby.take(reporter)
        if actor is None:
            actor = self._start(
                reporter, self.reloads.program_version, self, waits=not self._settings.limits.overlap
            )
        with self._lock:
            self._supervisor = reporter.supervisor
            self._generations[reporter.generation] = actor
            if not self._settings.limits.overlap:
                self._pending = actor
            gate = self._gates[actor]
        self._begin_when_alone()
        self._tell_of_all(actor)
        return SupervisedGeneration(actor, gate, self._on_stop)

    def change(self, kind: str, facts: dict[str, Any]) -> None:
        """The host is in a new state; in the supervisor's thread.

        Args:
            kind: of the event that tells of it.
            facts: of that event.
        """
        program_version = self.reloads.program_version
        self.reloads.change(kind, facts)
        if self.reloads.program_version is not program_version:  # what waits was made of one that has failed
            self.dismiss("the former program is brought back")
        match kind:
            case "host_replaced":
                if facts["generation"] != self._recycled:  # by hand: what is on the disk is wanted
                    self.dismiss(facts["why"])
            case "host_ready":
                self._release(facts["generation"])
                if self._standby is not None:
                    self._standby.want()
            case "host_parked" | "host_stopped":
                self._release(facts["generation"] + 1)
                self.dismiss(facts["why"])
            case "host_retired":
                with self._lock:
                    self._generations.pop(facts["generation"], None)

    def actors(self) -> list[pykka.ActorRef[Any]]:
        """Of its generations, the standby and the candidate; some may have ended."""
        with self._lock:
            return list(self._gates)

    def when_gone(self, then: Callable[[], None]) -> None:
        """Have ``then`` called once nothing of the host is left."""
        self._latch.when_none(then)

    def dismiss(self, reason: str) -> None:
        """Have no standby until the host is ready again."""
        if self._standby is not None:
            self._standby.dismiss(reason)

    def _on_stop(self, reason: str) -> None:
        self.reloads.on_stop()
        self.dismiss(reason)

    def tell_generations(self, message: LoadPlugin | UnloadPlugin) -> None:
        """Have all generations hear of a change of the plugins of the host, the standby too."""
        with self._lock:
            generations = list(self._generations.values())
        standby = None if self._standby is None else self._standby.actor
        generations += [waiting for waiting in (standby, self.reloads.actor) if waiting is not None]
        for actor in generations:
            tell(actor, message)

    def _tell_of_all(self, actor: pykka.ActorRef[Any]) -> None:
        """A plugin that was added before this generation could be told of it, and after it had looked, would not run in it."""
        wanted = self._owner.plugins().wanted
        for loaded_plugin in wanted if len(wanted) > 1 else ():
            tell(actor, LoadPlugin(loaded_plugin))

    def plugins(self) -> PluginsToLoad:
        self._owner.has_process()
        return self._owner.plugins()

    @property
    def been_up(self) -> bool:
        return self._owner.been_up

    def came_up(self) -> None:
        self._owner.came_up()

    def ruined(self, coming: Sequence[str], cause: str, *, alone: bool) -> bool:
        return self._owner.ruined(coming, cause, alone=alone)

    def covered(self) -> bool:
        return self._standby is not None and self._standby.there

    def arm(self, actor: pykka.ActorRef[Any], host: Host) -> Armed:
        limits = self._settings.limits.drawn(self._services.random)
        return arm(actor, host, limits, self._services.clock, self._watch)

    def recycle(self, exceeded: Exceeded, generation: int) -> None:
        with self._lock:
            self._recycled = generation
            self._recycles[exceeded.limit] += 1
        self._services.events.publish(
            "host_recycling",
            self._name,
            generation=generation,
            limit=exceeded.limit,
            bound=exceeded.bound,
            measure=exceeded.measure,
            why=exceeded.cause,
        )
        self.order("replace", exceeded.cause)

    def order(self, verb: str, reason: str) -> None:
        """Have the supervisor carry out an order by hand, when it comes to that."""
        supervisor = self._supervisor
        if supervisor is not None:
            tell(supervisor, Order(verb, self._name, reason))

    @property
    def overlap(self) -> bool:
        """Whether two generations may be alive at a time."""
        return self._settings.limits.overlap

    def load_again(self, program_version: ProgramVersion) -> Candidate:
        """Start a candidate from another version of the program. Raises `ReloadRefused` once the host is to end."""
        if self._settings.limits.memory is not None:
            program_version.program.limit_memory(self._settings.limits.memory)
        return self.reloads.begin(program_version, self)

    def gone(self) -> None:
        self._latch.less()
        self._begin_when_alone()

    def status(self) -> dict[str, Any]:
        """What belongs to the host's status, as JSON."""
        status: dict[str, Any] = {"recycles": dict(self._recycles), "reload": self.reloads.status()}
        if self._standby is not None:
            status["standby"] = self._standby.status()
        return status

    def _begin_when_alone(self) -> None:
        """Of a host whose generations must not overlap, the next one begins when nothing of another is left."""
        with self._lock:
            if self._pending is None or self._latch.count > 1:
                return
            pending, self._pending = self._pending, None
        tell(pending, BEGIN)

    def _release(self, below: int) -> None:
        """Generations older than ``below`` are sent no more calls: those that retire may end."""
        with self._lock:
            older = (generation for generation in sorted(self._generations) if generation < below)
            actors = [self._generations.pop(generation) for generation in older]
        for actor in actors:
            tell(actor, Drain())

    def _start_standby(self, waiting: Waiting) -> pykka.ActorRef[Any]:
        return self._start(waiting, self.reloads.program_version, self, loaded=waiting.loaded)

    def _start(
        self,
        reporter: Reporter,
        program_version: ProgramVersion,
        context: GenerationContext,
        *,
        loaded: Callable[[int, Handshake], None] | None = None,
        waits: bool = False,
    ) -> pykka.ActorRef[Any]:
        self._latch.more()
        try:
            host_actor = HostActor(
                program_version.program,
                self._settings,
                self._services,
                reporter=reporter,
                context=context,
                loaded=loaded,
                waits=waits,
            )
            actor = HostActor.launch(host_actor)
        except BaseException:  # no thread to be had: its caller hears of that
            self._latch.less()
            raise
        with self._lock:
            self._gates[actor] = host_actor.gate
        return actor
