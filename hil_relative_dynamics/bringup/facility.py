"""Our own nodes: which processes hold them."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from hil_relative_dynamics.bringup.arguments import OWN_RECORDER, ROBOTS
from hil_relative_dynamics.bringup.errors import BringupError
from hil_relative_dynamics.bringup.options import Options
from hil_relative_dynamics.bringup.process import Process
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import EXTERNAL, left_out
from hil_relative_dynamics.scenario import load

#: executable that holds all nodes
CONTAINER = "facility"
SUPERVISOR = "safety_supervisor"
GUARD = "command_guard"
#: matrices are small here: further threads would only take processor time from the other nodes
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def processes(options: Options) -> list[Process]:
    """The processes of our own nodes; device drivers are not among them. Raises BringupError or ScenarioError."""
    nodes = node_names(options)
    if not options.composed:
        if options.hardware != "sim":
            raise BringupError(
                f"composed:=false needs hardware:=sim; with hardware:={options.hardware} the operator homes and starts"
                " the nodes together, through the process that holds them."
            )
        return [_alone(options, node) for node in nodes]
    if options.hardware != "real":
        return [_process(options, CONTAINER, nodes=nodes)]
    # A heartbeat on the thread that it watches proves nothing: with robots supervisor and guard are on their own.
    together = tuple(node for node in nodes if node != SUPERVISOR)
    return [_process(options, CONTAINER, nodes=together), _alone(options, SUPERVISOR), _alone(options, GUARD)]


def node_names(options: Options) -> tuple[str, ...]:
    """The blocks of the scenario; without those whose place devices, or a node of the user's own, take."""
    scenario = load(options.scenario, list(options.overrides))
    simulated = options.hardware == "sim"
    if not simulated and scenario.facility.kind == "none":
        raise BringupError(
            f"scenario:={options.scenario} has facility.kind: none, which is without robots;"
            f" hardware:={options.hardware} needs one with robots, such as envisat_unforced_facility."
        )
    table = left_out(assemble(scenario)) if options.onboard == EXTERNAL else assemble(scenario)
    return tuple(stage.name for stage in table if not stage.outside and (simulated or not stage.closes_loop))


def _alone(options: Options, node: str) -> Process:
    return _process(options, node, nodes=(node,), separate=True)


def recorder(options: Options) -> Process:
    """Our own; whether it lives or not, the facility goes on."""
    process = _process(options, "recorder", nodes=("recorder",), separate=True)
    more = {"record_to": options.record_to} if options.record_to else {}
    return replace(process, parameters={**process.parameters, **more}, essential=False)


def _process(options: Options, executable: str, **rest: Any) -> Process:
    """With robots nothing ends with a node that died: the supervisor is there to stop them, and must live on."""
    parameters: dict[str, Any] = {
        "scenario": options.scenario,
        "hardware": options.hardware,
        "lockstep": options.lockstep,
        "onboard": options.onboard,
        "use_sim_time": options.use_sim_time,
        "tf_prefix": options.tf_prefix,
    }
    if options.record and options.recorder == OWN_RECORDER and options.lockstep:
        parameters["await_recorder"] = True
    if options.overrides:  # ROS parameters know no empty list
        parameters["overrides"] = list(options.overrides)
    return Process(
        executable=executable,
        namespace=options.namespace,
        parameters=parameters,
        remappings=_remappings(options),
        environment=ONE_THREAD,
        essential=options.hardware != "real",
        **rest,
    )


def _remappings(options: Options) -> tuple[tuple[str, str], ...]:
    """Wrenches that another driver publishes on a topic of its own."""
    return tuple(
        (f"{robot}/ft_broadcaster/wrench", options.devices[robot].given["ft_topic"])
        for robot in ROBOTS
        if options.devices[robot].ft == "topic"
    )
