"""Boards, measurements and tables."""

from __future__ import annotations

import json
import pickle
import signal
import threading
import time

import cyclescope
import pandas
import polars
import pyarrow
import pytest
from conftest import IMAGE, SPAN

CHIP = "stm32c031c6"
PRESSES = "presses 3 of PC13 low from 10ms gap 20ms..30ms seed 1"


def test_a_board_gives_the_cycles_of_the_command() -> None:
    firmware = cyclescope.Firmware.bundled(IMAGE)
    assert firmware.name == IMAGE and len(firmware.sha256) == 64 and firmware.elf.startswith(b"\x7fELF")
    assert "main" in firmware.functions()
    records = json.loads(firmware.measure(CHIP, [SPAN], stimulus=[PRESSES], window="200ms").to_json())
    answer = next(record for record in records["records"] if record["metric"] == "answer")
    board = firmware.on(CHIP, stimulus=[PRESSES])
    span = board.watch(SPAN)
    board.run_for("200ms")
    passages = board.spans(span)
    assert (len(passages), max(one.cycles for one in passages)) == (answer["n"], answer["max"])
    assert board.longest(span).cycles == answer["max"]
    assert passages[0].end == passages[0].start + passages[0].cycles and passages[0].ns > 0
    assert board.ns >= 200_000_000 and 0 < board.instructions <= board.cycles
    assert board.pin("PC13") and board.stack_used > 0 and board.gaps() == []
    assert "it stands at cycle" in board.place


def test_memory_and_registers_are_there_to_be_looked_at() -> None:
    board = cyclescope.Firmware.bundled(IMAGE).on(CHIP)
    board.run_to("symbol:main")
    assert board.register("pc") == board.register("r15")
    board.set_register("r0", 7)
    assert board.register("r0") == 7
    board.write(0x2000_0000, b"\x01\x02\x03\x04")
    assert (board.read(0x2000_0000, 4), board.read_u32(0x2000_0000)) == (b"\x01\x02\x03\x04", 0x0403_0201)
    board.drive("PC13", False)
    board.run_for("1ms")
    assert not board.pin("PC13")


def test_the_worst_arrival_is_the_greatest_of_all() -> None:
    board = cyclescope.Firmware.bundled(IMAGE).on(CHIP)
    board.stimulate("at 1ms pin PC13 high")
    worst = board.worst("latency=pin:PC13:fall..exception:EXTI4_15:entered", "at 4807700cy..4807900cy pin PC13 low")
    assert len(worst.each) == 200 and worst.longest.cycles == max(worst.each)
    assert worst.each[worst.arrival - 4807700] == worst.longest.cycles
    assert "the maximum over these 200 arrivals" in str(worst)


def test_records_are_tables_for_all_who_read_arrow() -> None:
    records = cyclescope.Firmware.bundled(IMAGE).measure(CHIP, [SPAN], stimulus=[PRESSES], window="100ms")
    table = polars.DataFrame(records)
    assert (table.height, pyarrow.table(records).num_rows) == (len(records), len(records))
    assert len(pandas.DataFrame.from_arrow(records)) == len(records)
    row = table.filter(polars.col("metric") == "answer").row(0, named=True)
    again = json.loads(cyclescope.Records.from_json(records.to_json()).to_json())
    assert row["mean"] == next(one["mean"] for one in again["records"] if one["metric"] == "answer")
    assert (row["unit"], row["chip"], row["source"]) == ("cycles", CHIP, "simulated")
    assert json.loads(row["params"])["for"] == "100ms"
    board = cyclescope.Firmware.bundled(IMAGE).on(CHIP, stimulus=[PRESSES])
    span = board.watch(SPAN)
    board.run_for("100ms")
    frame = board.frame(span)
    assert frame.columns == ["start", "end", "cycles", "instructions", "ns"]
    # A frame can be read as often as wanted.
    for _ in range(2):
        assert polars.DataFrame(frame)["cycles"].to_list() == [one.cycles for one in board.spans(span)]


def test_errors_are_exceptions_with_the_words_and_the_code_of_the_command() -> None:
    firmware = cyclescope.Firmware.bundled(IMAGE)
    with pytest.raises(cyclescope.Error, match="there is no image `nothing`") as caught:
        cyclescope.Firmware.bundled("nothing")
    assert caught.value.exit_code == 2
    with pytest.raises(cyclescope.Error, match="no.elf cannot be read") as caught:
        cyclescope.Firmware.read("no.elf")
    assert caught.value.exit_code == 66
    with pytest.raises(cyclescope.Error, match="a: ") as caught:
        cyclescope.Firmware.from_elf("a", b"text")
    assert caught.value.exit_code == 65
    with pytest.raises(cyclescope.Error, match="stm32c031c7"):
        firmware.on("stm32c031c7")
    with pytest.raises(cyclescope.Error, match="there is no memory setting `slow`"):
        firmware.on(CHIP, memory="slow")
    with pytest.raises(cyclescope.Error, match="`x:y` is not an event"):
        firmware.on(CHIP).run_to("x:y")
    with pytest.raises(cyclescope.Error, match="did not happen within 1s, the limit of this board") as caught:
        firmware.on(CHIP).run_to("pin:PC13:fall")
    assert caught.value.exit_code == 82
    with pytest.raises(cyclescope.Error, match="did not happen within 5ms") as caught:
        firmware.measure(CHIP, window="5ms", until="pin:PC13:fall")
    with pytest.raises(cyclescope.Error, match="span `answer`") as caught:
        firmware.measure(CHIP, [SPAN], window="5ms")
    assert caught.value.exit_code == 84
    # What a worker raises comes back as it was.
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, cyclescope.Error) and (str(copy), copy.exit_code) == (str(caught.value), 84)


def test_a_board_that_runs_is_not_there_for_other_threads() -> None:
    board = cyclescope.Firmware.bundled("primes-c-plain-two-s-stm32c031c6").on(CHIP, limit="100s")
    ended = threading.Event()

    def run() -> None:
        with pytest.raises(cyclescope.Error):
            board.run_to("pin:PC13:fall")
        ended.set()

    thread = threading.Thread(target=run)
    thread.start()
    refused = False
    while not ended.is_set() and not refused:
        try:
            _ = board.cycles
        except cyclescope.Error as error:
            refused = "running on another thread" in str(error)
    thread.join()
    assert refused and board.cycles > 0


def test_other_threads_go_on_meanwhile_and_ctrl_c_ends_a_run() -> None:
    board = cyclescope.Firmware.bundled(IMAGE).on(CHIP, limit="100s", stimulus=["every 10us from 1ms pin PC13 low"])
    before = time.process_time()

    def press() -> None:
        # When the guest has run for a while, during which this thread has Python's lock.
        while time.process_time() - before < 0.3:
            pass
        signal.raise_signal(signal.SIGINT)

    # A shell starts what it runs in the background with this signal ignored.
    before_this = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        board.run_to("pin:PC13:rise")
    thread.join()
    signal.signal(signal.SIGINT, before_this)
    at = board.cycles
    board.run_for("1us")
    assert board.cycles > at
