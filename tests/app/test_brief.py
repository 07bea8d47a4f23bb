"""The brief of what the app shows: which parameters it gets, and how the page hears of it."""

import pytest

from hecn_analysis.app import WhatIf, model
from hecn_analysis.app.brief import BRIEF, parameters
from hecn_analysis.base.errors import InputError
from hecn_analysis.briefs import briefs
from hecn_analysis.briefs.parameters import check
from hecn_analysis.hardware import load_scenario
from hecn_analysis.planning.change.whatif import keys_of, values_of

B = {"sender": "b", "receiver": "b", "path": "netem-80ms-10ge", "tool": "nuttscp"}
STATES = [
    {**B, "path.rtt": 0.02, "sender.cards": 3},
    {**model.opened("c-two-copies"), "receiver.lro": False},
    {**B, "sender.congestion_control": "reno"},
]


@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_parameters_of_the_brief_are_the_scenario_without_and_with_the_changes(state):
    found = parameters(state)
    check(briefs()[BRIEF].declaration, found)
    roles = {role: found[role] for role in ("sender", "receiver", "path", "tool")}
    before = load_scenario({**roles, **keys_of(found["given"])})
    after = before.with_(keys_of(found["changes"]))
    scenario, base = model.scenario_of(state)
    assert (before.sender, before.path, before.tool) == (base.sender, base.path, base.tool)
    assert (after.sender, after.receiver, after.path) == (scenario.sender, scenario.receiver, scenario.path)
    key, _, values = found["vary"].partition("=")
    assert len(values_of(key, values)) > 1


def test_a_scenario_that_was_not_changed_has_no_brief():
    with pytest.raises(InputError, match="move a slider"):
        parameters(B)


def test_page_hears_of_its_brief_or_why_there_is_none(monkeypatch):
    app = WhatIf({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s"})
    sent = []
    monkeypatch.setattr(app, "send", lambda message, buffers=None: sent.append(message))  # noqa: ARG005
    made = {"name": "what_if.html", "text": "…", "remark": "done"}
    monkeypatch.setattr("hecn_analysis.app.widget.make_brief", lambda state, folder: made)  # noqa: ARG005
    app._handle_custom_msg({"kind": "brief"}, [])

    def fails(*_):
        raise InputError("a", "b")

    monkeypatch.setattr("hecn_analysis.app.widget.make_brief", fails)
    app._handle_custom_msg({"kind": "brief"}, [])
    assert sent == [{"kind": "brief", **made}, {"kind": "brief", "remark": "found a, expected b"}]
