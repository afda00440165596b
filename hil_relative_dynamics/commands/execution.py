"""How a scenario is executed: offline or as nodes, recorded or not."""
from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from typing import Any

from hil_relative_dynamics.bag import RECORDING
from hil_relative_dynamics.commands.terminal import messages
from hil_relative_dynamics.engine.external import recorded
from hil_relative_dynamics.engine.offline import Progress, run
from hil_relative_dynamics.engine.recording import Recorder, Recording
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.evidence.run import SCENARIO
from hil_relative_dynamics.scenario import Scenario, to_yaml

ALL, NONE = "all", "none"


class Execution:
    """One run of a table; afterwards its signals are in `recorder`, and what is to be known of the loop in `facts`.

    Args:
        topics: which to record: all, none, or names separated by commas.
    """

    def __init__(self, scenario: Scenario, table: TickTable, folder: Path, mode: str, topics: str) -> None:
        self._scenario, self._table, self._mode = scenario, table, mode
        self._run_folder, self._folder, self._topics = folder, folder / RECORDING, topics
        self.recorder = Recorder(table, scenario.duration_ns, recorded(table))
        self.facts: dict[str, Any] = {}
        self.timing: Recording | None = None
        self._bag: Any = None
        if mode == "offline":
            self._record_offline()
        else:
            _need_ros()

    def _record_offline(self) -> None:
        """As messages where ROS 2 is; without it signals.npz has to do."""
        bag = self._open()
        if bag is None:
            return
        from hil_relative_dynamics.ros.bring_up import joint_names
        from hil_relative_dynamics.ros.recorder import OfflineRecorder
        from hil_relative_dynamics.ros.signal_wires import SignalWires

        wires = SignalWires(self._table, joint_names(self._scenario))
        names = recorded(self._table)
        self.recorder = OfflineRecorder(self._table, self._scenario.duration_ns, names, bag, wires)

    def _open(self) -> Any:
        """The recording; None where none is wanted, or what it needs is missing."""
        if self._topics == NONE:
            return None
        names = None if self._topics == ALL else [name.strip() for name in self._topics.split(",")]
        try:
            from hil_relative_dynamics.ros.recorder import RosBag

            self._bag = RosBag(self._folder, self._scenario, self._mode, names)
        except ImportError as error:
            messages.print(f"no MCAP recording ({error}): signals.npz holds the run")
        return self._bag

    def run(self, progress: Progress) -> None:
        scenario = self._run_folder / SCENARIO
        scenario.write_text(to_yaml(self._scenario), encoding="utf-8")  # now: a run may be ended in the middle
        try:
            if self._mode == "offline":
                run(self._table, self._scenario.duration_ns, self.recorder, progress)
            else:
                self._over_ros(progress)
        finally:
            self._close()
            if not self.recorder.until:  # nothing happened
                rmtree(self._folder, ignore_errors=True)
                scenario.unlink()

    def _over_ros(self, progress: Progress) -> None:
        """The same run as nodes in this process; imported here because most commands do without ROS."""
        from hil_relative_dynamics.ros.container import Container
        from hil_relative_dynamics.ros.loop_facts import loop_facts, tick_times

        lockstep = self._mode == "lockstep"
        container = Container(self._scenario, lockstep, self.recorder, self._table, bag=self._open())
        try:
            container.run(progress)
        finally:
            if container.plant.ticks:
                self.facts |= loop_facts(container)
                self.timing = tick_times(container)
            container.close()

    def _close(self) -> None:
        """Ends the recording and says what is missing in it."""
        if self._bag is None:
            return
        self._bag.close()
        writer = self._bag.writer
        self.facts["recording"] = {
            "messages": writer.file.message_count,
            "topics": len(writer.file.channels),
            "lost": writer.lost,
            "error": writer.error,
        }
        if writer.error:
            messages.print(f"the recording is not complete: {writer.error}")
        if lost := sum(writer.lost.values()):
            messages.print(f"{lost} messages could not be recorded, on {', '.join(writer.lost)}")


def _need_ros() -> None:
    try:
        import hil_relative_dynamics.ros.container  # noqa: F401
    except ImportError as error:
        raise RuntimeError(f"ROS 2 is not here ({error}): run 'hil doctor', or use --mode offline") from None
