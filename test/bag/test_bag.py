"""Recordings: what goes in comes out, with our own reader and with those of others, whole and broken off."""
from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

from hil_relative_dynamics.bag import writer as writing
from hil_relative_dynamics.bag.metadata import qos_text
from hil_relative_dynamics.bag.reader import Bag, BagError, find_bag
from hil_relative_dynamics.bag.repair import repair
from hil_relative_dynamics.bag.writer import BagWriter

from .messages import DEFINITION, TYPE, header

FACTS = {"scenario": "test", "seed": "7", "configuration_hash": "abc"}
QOS = qos_text(10, reliable=True, latched=False)
COUNT = 300


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two topics; the MCAP file."""
    bag = BagWriter(tmp_path / "recording", FACTS, {"scenario.yaml": "name: test\n"})
    fast, slow = (bag.channel(topic, TYPE, DEFINITION, QOS) for topic in ("/fast", "/slow"))
    for number in range(COUNT):
        fast(header(number * 10**6))
        if number % 10 == 0:
            slow(header(number * 10**6, "slow"))
        if number == COUNT // 2:
            written = bag.file.message_count  # so that there are several chunks
            while bag.file.message_count == written:
                time.sleep(0.01)
    bag.close()
    assert not bag.error and not bag.lost
    return bag.file.path


def fast(bag: Bag) -> list[bytes]:
    return [message.data for message in bag.messages(["/fast"])]


SENT = [header(number * 10**6) for number in range(COUNT)]


def test_comes_out_as_it_went_in(recording: Path) -> None:
    bag = Bag(recording)
    assert bag.complete and bag.ours and bag.facts == FACTS and bag.lost == {}
    assert bag.attachments == {"scenario.yaml": b"name: test\n"}
    assert bag.types == {"/fast": TYPE, "/slow": TYPE} and bag.counts() == {"/fast": COUNT, "/slow": COUNT // 10}
    assert fast(bag) == SENT
    assert [message.log_time for message in bag.messages(["/fast"])] == [number * 10**6 for number in range(COUNT)]


def test_mcap_reads_it(recording: Path) -> None:
    with recording.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        statistics = reader.get_summary().statistics
        assert statistics.message_count == COUNT + COUNT // 10 and statistics.chunk_count >= 2
        assert [message.data for _, _, message in reader.iter_messages(topics=["/fast"])] == SENT
        some = list(reader.iter_messages(topics=["/slow"], start_time=100 * 10**6, end_time=150 * 10**6))
        assert [message.log_time for _, _, message in some] == [number * 10**6 for number in range(100, 150, 10)]
        assert [record.data for record in reader.iter_attachments()] == [b"name: test\n"]
        assert next(iter(reader.iter_metadata())).metadata == FACTS


def test_rosbags_reads_it(recording: Path) -> None:
    highlevel = pytest.importorskip("rosbags.highlevel")
    with highlevel.AnyReader([recording.parent]) as reader:
        assert reader.message_count == COUNT + COUNT // 10 and reader.end_time - reader.start_time == 299 * 10**6 + 1
        for connection, log_time, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            assert message.stamp.sec * 10**9 + message.stamp.nanosec == log_time
            assert message.frame_id == ("slow" if connection.topic == "/slow" else "world")
            assert connection.ext.offered_qos_profiles[0].depth == 10


def test_metadata_says_what_is_in_it(recording: Path) -> None:
    told = yaml.safe_load((recording.parent / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    assert told["storage_identifier"] == "mcap" and told["relative_file_paths"] == [recording.name]
    assert told["message_count"] == COUNT + COUNT // 10 and told["custom_data"] == FACTS
    assert told["duration"] == {"nanoseconds": 299 * 10**6}
    counts = {topic["topic_metadata"]["name"]: topic["message_count"] for topic in told["topics_with_message_count"]}
    assert counts == {"/fast": COUNT, "/slow": COUNT // 10}


def test_what_was_handed_over_is_on_disk_while_the_writer_lives(tmp_path: Path) -> None:
    bag = BagWriter(tmp_path / "live", FACTS)
    try:
        assert (tmp_path / "live" / "metadata.yaml").exists()  # from the start
        put = bag.channel("/fast", TYPE, DEFINITION, QOS)
        put(SENT[0])
        end = time.monotonic() + 10.0
        while not fast(Bag(bag.file.path)) and time.monotonic() < end:
            time.sleep(0.02)
        assert fast(Bag(bag.file.path)) == SENT[:1] and not Bag(bag.file.path).complete
    finally:
        bag.close()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_broken_off_anywhere_it_is_read_up_to_there_and_mended(recording: Path, share: float) -> None:
    data = recording.read_bytes()
    recording.write_bytes(data[: 8 + int(share * (len(data) - 9))])
    before = fast(Bag(recording))
    assert not Bag(recording).complete and before == SENT[: len(before)]
    if share > 0.9:
        assert before == SENT  # only the summary was cut
    if share < 0.05:
        assert repair(recording).endswith("it was written by another program")  # not even that can be told
        return
    assert "broke off and was mended" in repair(recording)
    assert Bag(recording).complete and fast(Bag(recording)) == before
    with recording.open("rb") as file:
        assert [message.data for _, _, message in make_reader(file).iter_messages(topics=["/fast"])] == before
    assert repair(recording) == ""


def test_a_damaged_piece_is_left_out(recording: Path) -> None:
    data = bytearray(recording.read_bytes())
    chunk = next(record for record in Bag(recording).records if record.opcode == 6)
    data[(chunk.start + chunk.end) // 2] ^= 0xFF
    recording.write_bytes(data)
    bag = Bag(recording)
    kept = fast(bag)
    assert bag.damaged == {chunk.start} and 0 < len(kept) < COUNT and kept == SENT[-len(kept) :]


def test_missing_metadata_is_written_anew(recording: Path) -> None:
    expected = (recording.parent / "metadata.yaml").read_text()
    (recording.parent / "metadata.yaml").unlink()
    assert repair(recording) == "metadata.yaml of recording_0.mcap was missing and was written anew"
    assert (recording.parent / "metadata.yaml").read_text() == expected


def test_a_message_that_is_sent_again_is_recorded_once(tmp_path: Path) -> None:
    bag = BagWriter(tmp_path / "again", FACTS)
    put = bag.channel("/fast", TYPE, DEFINITION, QOS)
    for raw in (SENT[0], SENT[0], header(0, "other"), SENT[1]):
        put(raw)
    bag.close()
    assert fast(Bag(bag.file.path)) == [SENT[0], header(0, "other"), SENT[1]]


def test_what_has_no_stamp_gets_the_newest(tmp_path: Path) -> None:
    bag = BagWriter(tmp_path / "mixed", FACTS)
    put = bag.channel("/fast", TYPE, DEFINITION, QOS)
    other = bag.channel("/other", TYPE, DEFINITION, QOS, stamped=False)
    put(SENT[5])
    other(header(10**18))
    bag.close()
    assert [message.log_time for message in Bag(bag.file.path).messages()] == [5 * 10**6, 5 * 10**6]


@pytest.mark.parametrize("waits", [True, False])
def test_a_disk_that_is_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: bool) -> None:
    monkeypatch.setattr(writing, "MOST", 40)
    monkeypatch.setattr(writing, "PERIOD", 0.01)
    bag = BagWriter(tmp_path / "slow", FACTS, waits=waits)
    put = bag.channel("/fast", TYPE, DEFINITION, QOS)
    for raw in SENT:
        put(raw)
    bag.close()
    kept = fast(Bag(bag.file.path))
    assert len(kept) + bag.lost.get("/fast", 0) == COUNT and Bag(bag.file.path).lost == bag.lost
    if waits:
        assert kept == SENT
    else:
        assert bag.lost["/fast"] > 0


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bag = BagWriter(tmp_path / "full", FACTS)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bag.file, "add_chunk", full)
    put = bag.channel("/fast", TYPE, DEFINITION, QOS)
    for raw in SENT:
        put(raw)
    bag.close()
    assert bag.error.endswith("full_0.mcap: No space left on device") and bag.lost == {"/fast": COUNT}


def test_recordings_of_others_are_read_but_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "other.mcap"
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.LZ4, chunk_size=2000)
        writer.start(profile="ros2", library="another")
        schema = writer.register_schema(TYPE, "ros2msg", DEFINITION.encode())
        channel = writer.register_channel("/fast", "cdr", schema)
        for number, raw in enumerate(SENT):
            writer.add_message(channel, number * 10**6, raw, number * 10**6)
        writer.finish()
    assert fast(Bag(path)) == SENT and not Bag(path).ours
    cut = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(cut)
    bag = Bag(path)
    assert 0 < len(fast(bag)) < COUNT and bag.types == {"/fast": TYPE}
    assert repair(path) == "other.mcap is not complete, and stays so: it was written by another"
    assert path.read_bytes() == cut


def test_finding_one(recording: Path, tmp_path: Path) -> None:
    assert find_bag(tmp_path) == find_bag(recording.parent) == find_bag(recording) == recording
    (tmp_path / "recording" / "second.mcap").touch()
    (tmp_path / "sqlite").mkdir()
    (tmp_path / "sqlite" / "bag_0.db3").touch()
    (tmp_path / "empty").mkdir()
    for name, sentence in (
        ("nowhere", "there is nothing of that name"),
        ("recording", "holds 2 MCAP files: name one of them"),
        ("sqlite", "turn it into MCAP with 'ros2 bag convert'"),
        ("empty", "holds no recording"),
    ):
        with pytest.raises(BagError, match=sentence):
            find_bag(tmp_path / name)


def test_what_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "text.mcap").write_text("Dear diary,")
    with pytest.raises(BagError, match="is not an MCAP recording"):
        Bag(tmp_path / "text.mcap")
    with pytest.raises(BagError, match="cannot be read: Is a directory"):
        Bag(tmp_path)
