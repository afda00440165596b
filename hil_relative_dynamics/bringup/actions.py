"""Bring-up as launch actions: what the files in launch/ are made of. The only module here that imports launch."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.launch_context import LaunchContext
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch.utilities.type_utils import normalize_typed_substitution, perform_typed_substitution
from launch_ros.actions import LifecycleNode, LifecycleTransition, Node, PushRosNamespace
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue
from lifecycle_msgs.msg import Transition

from hil_relative_dynamics.bringup.arguments import ARGUMENTS, Argument
from hil_relative_dynamics.bringup.devices import Driver, Include
from hil_relative_dynamics.bringup.options import Options, read
from hil_relative_dynamics.bringup.process import Process

SWITCH = ["true", "false"]


def declared() -> list[DeclareLaunchArgument]:
    """Every argument, as `--show-args` lists them."""
    return [_declaration(argument) for argument in ARGUMENTS]


def _declaration(argument: Argument) -> DeclareLaunchArgument:
    switch = argument.kind is bool
    return DeclareLaunchArgument(
        argument.name,
        default_value=str(argument.default).lower() if switch else argument.default,
        description=argument.description,
        choices=SWITCH if switch else list(argument.choices) or None,
    )


def with_options(build: Callable[[Options], Iterable[Action]], condition: Any = None) -> OpaqueFunction:
    """The actions that `build` gives for the arguments as they are when this is reached."""

    def actions(context: LaunchContext) -> list[Action]:
        return list(build(_options(context)))

    return OpaqueFunction(function=actions, condition=condition)


def _options(context: LaunchContext) -> Options:
    def value(argument: Argument) -> Any:
        text = normalize_typed_substitution(LaunchConfiguration(argument.name), argument.kind)
        return perform_typed_substitution(context, text, argument.kind)

    return read({argument.name: value(argument) for argument in ARGUMENTS})


def beside(file: str, condition: Any = None, **arguments: str) -> IncludeLaunchDescription:
    """Includes the launch file of that name from this one's folder, with the arguments given here."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), file])),
        launch_arguments=arguments.items(),
        condition=condition,
    )


def node(process: Process, kind: type[Node] = Node) -> Node:
    """The process as launch starts it."""
    named = {} if process.name is None else {"name": process.name}
    return kind(
        package=process.package,
        executable=process.executable,
        namespace=process.namespace,
        parameters=[*map(ParameterFile, process.parameter_files), _typed(process.parameters)],
        remappings=list(process.remappings),
        arguments=list(process.arguments),
        additional_env=dict(process.environment),
        output="screen",
        on_exit=Shutdown(reason=f"{process.executable} ended") if process.essential else None,
        **named,
    )


def _typed(parameters: Any) -> dict[str, Any]:
    """Texts stay texts: launch would read them as YAML, and 007 or yes become something else."""
    kinds: dict[type, Any] = {str: str, list: list[str]}
    return {
        name: ParameterValue(value, value_type=kinds[type(value)]) if type(value) in kinds else value
        for name, value in parameters.items()
    }


def drive(driver: Driver, activate: bool) -> list[Action]:
    """Controller manager, spawners, the vendor's own; its manager is activated once all controllers are loaded."""
    spawners = [node(process) for process in driver.spawners]
    actions: list[Action] = [node(driver.control_node), *spawners, *map(_include, driver.includes)]
    if driver.manager is not None:
        actions.append(node(driver.manager, LifecycleNode))
        if activate:
            actions.insert(0, _after(spawners, driver.device, _activation(driver.manager)))
    return actions


def _activation(manager: Process) -> LifecycleTransition:
    return LifecycleTransition(
        lifecycle_node_names=[f"/{manager.namespace}/{manager.name}"],
        transition_ids=[Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE],
    )


def _after(spawners: Sequence[Node], device: str, then: Action) -> RegisterEventHandler:
    waiting = set(spawners)

    def ended(event: ProcessExited, _: LaunchContext) -> Action | None:
        if event.returncode:
            return LogInfo(msg=f"{device}: a controller could not be loaded, so its driver is not activated")
        waiting.discard(event.action)
        return None if waiting else then

    return RegisterEventHandler(OnProcessExit(target_action=waiting.__contains__, on_exit=ended))


def _include(included: Include) -> GroupAction:
    source = PythonLaunchDescriptionSource(str(included.path))
    include = IncludeLaunchDescription(source, launch_arguments=dict(included.arguments).items())
    return GroupAction([PushRosNamespace(included.namespace), include])
