"""The root of all errors, and those a plugin can cause.

    CallboardError
    ├── PluginError           a plugin cannot be used as it is
    │   ├── PluginLoadError   it cannot be found, read or started
    │   │   └── LoadTimeout   not within the time that its caller gave the load
    │   ├── ContractError     it is there, but breaks the plugin contract
    │   └── HookError         one of its hooks raised
    ├── PluginAway            it is not there at the moment, which is told and seen to elsewhere
    ├── JsonValueError        a value that must be JSON is not
    └── (interop, hosts and actors add their own)

This file imports nothing, so that every room may stand on it. A failing tool *call* is
never an exception: it is a result (see the result codes).
"""


class CallboardError(Exception):
    """Root of every error that Callboard raises on purpose."""


class PluginError(CallboardError):
    """A plugin cannot be used as it is.

    Attributes:
        plugin: the plugin's name, or the source it was to be loaded from.
    """

    def __init__(self, message: str, *, plugin: str) -> None:
        super().__init__(message)
        self.plugin = plugin


class PluginLoadError(PluginError):
    """A plugin cannot be found, read or started; the message says which step failed and what to do."""


class LoadTimeout(PluginLoadError):
    """A load did not end within the timeout that its caller gave it. Nothing of it is on the board.

    Attributes:
        timeout: that timeout, in seconds.
        waited_for: what was not ready.
    """

    def __init__(self, source: str, timeout: float, waited_for: str) -> None:
        super().__init__(
            f"{source} was not loaded within its timeout of {timeout:g} s: {waited_for}", plugin=source
        )
        self.timeout = timeout
        self.waited_for = waited_for


class ContractError(PluginError):
    """A plugin is there but breaks the plugin contract: a hook is missing or answers with the wrong shape."""


class HookError(PluginError):
    """A hook of a plugin raised; the plugin's own exception is the ``__cause__``.

    Never raised for running a tool: what a tool raises reaches the one who runs it as it is.

    Attributes:
        hook: the hook's name, such as ``get_tool_schemas``.
    """

    def __init__(self, message: str, *, plugin: str, hook: str) -> None:
        super().__init__(message, plugin=plugin)
        self.hook = hook


class PluginAway(CallboardError):
    """A plugin is not there to be asked at the moment, such as one whose host is just being started again.

    That it is away is reported by what handles it. Who asks for something that has a default takes that, and has
    nothing to report.
    """


class JsonValueError(CallboardError):
    """A value that has to be JSON is not.

    Attributes:
        path: where in the value, as a JSON path such as ``$.state.files[3]``.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path
