"""The widget without a browser: what it answers to what a page sends."""

import asyncio

from hecn_analysis.app import WhatIf
from hecn_analysis.app.widget import PAUSE
from hecn_analysis.prediction import predict

IDEAL = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s"}


def says(app):
    return app.page["headline"]["value"], app.page["error"]


def send(app, **message):
    app._handle_custom_msg(message, [])


def test_a_slider_changes_the_number():
    app = WhatIf()
    assert says(app) == (f"{predict(app.state).throughput_bps / 1e9:.3g}", None)
    app.state = {**app.state, "path.rtt": 0.3}
    value, error = says(app)
    assert error is None
    assert value == f"{predict(app.state).throughput_bps / 1e9:.3g}"
    assert float(value) < 10
    assert app.page["exact"]


def test_an_impossible_change_leaves_the_numbers_and_says_why_and_the_next_one_is_answered():
    app = WhatIf(IDEAL)
    before, _ = says(app)
    app.set("path.mtu", 7)
    assert says(app)[0] == before
    assert "expected at least 68" in app.page["error"]
    app.set("path.mtu", 9000)
    assert says(app) == ("9.90", None)


def test_a_scenario_that_cannot_be_opened_is_said_on_a_page_that_works():
    app = WhatIf("no-such-scenario")
    assert "no-such-scenario" in app.page["error"]
    assert app.page["headline"]["value"]


def test_open_takes_settings_of_a_file_as_they_are_and_reset_goes_back():
    app = WhatIf()
    app.set("sender.cpu.clock", 3.6e9)
    text = "sender: c\nreceiver: b\npath: lan-10ge\ntool: nuttcp\nset: {sender.cpu.clock: 3.6 GHz}\n"
    send(app, kind="open", text=text, name="mine.yaml")
    assert app.state["sender"] == "c"
    assert app.state["sender.cpu.clock"] == 3.6e9
    send(app, kind="open", text="sender: [", name="mine.yaml")
    assert app.page["error"].startswith("mine.yaml:")
    assert app.state["sender"] == "c"
    send(app, kind="reset")
    assert (app.state["sender"], app.page["error"]) == ("dtn-100g-2024", None)


def test_a_captured_host_takes_one_end_and_a_wrong_path_changes_nothing(root):
    app = WhatIf()
    send(app, kind="captured", roles=["receiver"], path=str(root / "data" / "inventory" / "virtual-machine"))
    assert app.page["error"] is None
    assert app.state["sender"] == "dtn-100g-2024"
    assert "receiver" not in app.state
    assert app.state["receiver.cpu.cores"] > 0
    send(app, kind="captured", roles=["sender"], path="/no/such/folder")
    assert "/no/such/folder" in app.page["error"]
    assert app.state["sender"] == "dtn-100g-2024"


def test_every_answer_differs_so_that_the_page_knows_that_it_was_heard():
    app = WhatIf(IDEAL)
    number = app.page["number"]
    app.set("nonsense", 1)
    app.set("nonsense", None)
    assert app.page["number"] > number


def test_a_defect_is_told_and_not_raised(monkeypatch):
    app = WhatIf(IDEAL)

    def broken(_):
        raise ZeroDivisionError("seven")

    monkeypatch.setattr("hecn_analysis.app.model.glance", broken)
    app.set("path.mtu", 9000)
    assert app.page["error"] == "This is a defect of hecn, please report it: ZeroDivisionError: seven"


def test_while_values_change_only_the_last_one_is_worked_out_in_full(monkeypatch):
    full = []
    from hecn_analysis.app import model  # noqa: PLC0415 (patched here)

    work = model.in_full
    monkeypatch.setattr("hecn_analysis.app.model.in_full", lambda look: full.append(look.state) or work(look))

    async def slide():
        app = WhatIf(IDEAL)
        for rtt in (0.002, 0.003, 0.004):
            app.set("path.rtt", rtt)
            assert not app.page["exact"]
        for _ in range(200):
            await asyncio.sleep(PAUSE / 4)
            if app.page["exact"]:
                break
        return app

    app = asyncio.run(slide())
    assert app.page["exact"]
    assert [state["path.rtt"] for state in full] == [0.004]


def test_plotly_is_handed_to_the_page_that_asks(monkeypatch):
    app = WhatIf(IDEAL)
    sent = []
    monkeypatch.setattr(app, "send", lambda message, buffers=None: sent.append((message, buffers)))
    send(app, kind="plotly")
    ((message, (script,)),) = sent
    assert message == {"kind": "plotly"}
    assert b"window.Plotly" in script
