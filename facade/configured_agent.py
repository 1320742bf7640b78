"""`Agent`: a board's tools and the model of its configuration, ready for a conversation."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from .agent.core.core import AgentCore
from .agent.errors import ProviderError
from .agent.requests.provider_adapter import ProviderAdapter
from .base.errors import PluginError
from .base.validation import require
from .config.configuration import Configuration
from .config.errors import ConfigurationError
from .config.provider_section import choose
from .loading.in_process import import_here
from .plugins.contract.context import application_context, core_context

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Mapping

    from .agent.core.core import HoldsBoard
    from .agent.loop.cancellation import Cancellation
    from .agent.sessions.session import Session
    from .config.agent_section import AgentSettings
    from .loading.loaded import LoadedProvider

Json = dict[str, Any]


class Agent:
    """Made by `Callboard.agent`. A context manager; it has to be closed before its board is stopped.

    Attributes:
        core: what it is made of; further tools, providers and extensions can be registered there.
        config: of each request; tools and providers see it.
        settings: what the configuration says of it.
        base_config: the whole configuration as it was written; tools and providers find it in their context.
    """

    def __init__(self, board: HoldsBoard, configuration: Configuration) -> None:
        require(
            isinstance(configuration, Configuration),
            "the configuration of an agent",
            configuration,
            "a Configuration",
        )
        self.settings: AgentSettings = configuration.agent_settings
        self.base_config: Mapping[str, Any] = configuration.written
        self.core: AgentCore = AgentCore(board, session_dir=self.settings.session_dir)
        try:
            name, model = self._settle_provider(configuration, getattr(board, "providers", ()))
        except BaseException:  # an interrupt too may leave no thread running
            self.core.close()
            raise
        self.config: Json = {
            **configuration.agent,
            **({} if model is None else {"model": model}),
            "provider": name,
            **({"tags": list(self.settings.tags)} if self.settings.tags else {}),
        }

    def _settle_provider(
        self, configuration: Configuration, there: Iterable[LoadedProvider]
    ) -> tuple[str, str | None]:
        """Register the provider of the section ``agent``; return the name of the one that is to be asked, and its model."""
        asked, model = configuration.agent.get("provider"), configuration.agent.get("model")
        choice = choose(configuration, [each.name for each in there if not each.extension])
        request = {} if model is None else {"model": model}
        if choice.path is None:
            adapter = next(each.adapter for each in there if each.name == choice.name)
            with _told("$.provider", configuration):
                adapter.init({**request, "provider": asked or choice.name})
            return adapter.name, model
        kind, options = import_here(choice.path, configuration), dict(choice.options)
        with _told(choice.where, configuration):
            adapter = ProviderAdapter(kind, name=choice.name, config=options)
            adapter.init({**request, **options})
            self.core.register_provider(kind, options, name=adapter.name)
        return adapter.name, options.get("model", model)

    def session(self, **metadata: Any) -> Session:
        """Return a session that begins with what the configuration has as ``system``."""
        session = self.core.create_session(**metadata)
        system = self.settings.system
        return session if system is None else self.core.add_message(session, "system", system)

    def run(
        self,
        session: Session,
        text: str | None = None,
        *,
        context: Mapping[str, Any] | None = None,
        cancel: Cancellation | None = None,
    ) -> Generator[Json, None, None]:
        """Have the model answer, with as many calls as it takes; yields events, see `AgentCore.run`.

        Args:
            session: the conversation.
            text: what the user says; ``None`` if the session ends with that already.
            context: added to the context of tools and providers, in which this agent is the application. A
                ``session_asset_store`` in it is theirs; there is none otherwise.
            cancel: ends the turn when it is cancelled.
        """
        asked, around = self._asked(session, text), self._around(context)
        return self.core.run(asked, self.config, context=around, cancel=cancel, **self._limits)

    def arun(
        self,
        session: Session,
        text: str | None = None,
        *,
        context: Mapping[str, Any] | None = None,
        cancel: Cancellation | None = None,
    ) -> AsyncGenerator[Json, None]:
        """Do as `run`, awaiting."""
        asked, around = self._asked(session, text), self._around(context)
        return self.core.arun(asked, self.config, context=around, cancel=cancel, **self._limits)

    def close(self) -> None:
        """Close the connections to the provider; the board goes on."""
        self.core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _asked(self, session: Session, text: str | None) -> Session:
        return session if text is None else self.core.add_message(session, "user", text)

    def _around(self, context: Mapping[str, Any] | None) -> Json:
        given = dict(context or {})
        return application_context(
            core_context(self.core, self.config),
            app=self,
            base_config=self.base_config,
            session_asset_store=given.pop("session_asset_store", None),
            tool_runtime=self.core.board.tool_runtime,
            extra=given,
        )

    @property
    def _limits(self) -> Json:
        limits = {"max_rounds": self.settings.max_rounds, "deadline": self.settings.deadline}
        return {key: value for key, value in limits.items() if value is not None}


@contextmanager
def _told(path: str, configuration: Configuration) -> Iterator[None]:
    """An error of a provider about its options names this place. Raises `ConfigurationError`."""
    file = str(configuration.file) if configuration.file else None
    try:
        yield
    except (ProviderError, PluginError) as error:
        raise ConfigurationError(f"{path}: {error}", path=path, file=file) from error
