"""The way of the data: stages in order, what binds, sources, a stream that joins its stages."""

import json

import pytest

from hecn_analysis.figures import plot_resource_map, resource_map_rows
from hecn_analysis.figures.resource_map import resource_map_spec
from hecn_analysis.prediction import predict


@pytest.fixture(scope="module")
def disks():
    return predict("b-disk-to-disk-wan")


def test_rows_follow_the_data_from_the_sender_s_disks_to_the_receiver_s(disks):
    rows = resource_map_rows(disks)
    assert list(rows["end"].drop_duplicates()) == ["sender", "path", "receiver"]
    stages = {end: list(part["stage"].drop_duplicates()) for end, part in rows.groupby("end")}
    assert stages["sender"][0] == stages["receiver"][-1] == "storage"
    assert stages["sender"] == stages["receiver"][::-1]
    assert stages["path"] == ["link"]


def test_the_bottleneck_is_marked_and_each_row_says_where_its_throughput_would_end(disks):
    rows = resource_map_rows(disks).set_index("resource")
    assert rows.index[rows["binds"]].tolist() == [disks.bottleneck]
    link = rows.loc["path.link"]
    assert link["full_at_gbps"] == pytest.approx(disks.throughput_bps / 1e9 / disks.utilisation["path.link"])
    assert set(rows.index) == set(disks.utilisation)


def test_hover_says_what_a_number_rests_on(disks):
    rows = resource_map_rows(disks).set_index("resource")
    hover = rows.loc["receiver.cpu.core1", "hover"]
    assert "calibrated" in hover
    assert "full at" in hover
    assert "HECN" in rows.loc["path.link", "hover"]


@pytest.mark.parametrize("setting", [{"tool.window": "1 MiB"}, {"path.loss": 1e-3}])
def test_a_limit_of_tcp_is_a_stage_of_the_path(setting):
    found = predict("b-disk-to-disk-wan", setting)
    rows = resource_map_rows(found)
    (bound,) = rows[rows["binds"]].to_dict("records")
    assert (bound["end"], bound["stage"]) == ("path", "transport")
    assert bound["bottleneck_class"] == found.bottleneck_class
    assert "no part is full" in bound["hover"]


def test_drawing_has_a_cell_for_each_row_and_frames_what_binds(disks):
    rows = resource_map_rows(disks)
    figure = plot_resource_map(disks)
    beds, *fills = figure.data
    assert len(beds.x) == len(rows) == sum(len(fill.x) for fill in fills)
    assert sum(shape.type == "rect" for shape in figure.layout.shapes) == 1
    words = " ".join(note.text for note in figure.layout.annotations)
    assert "binds" in words
    assert "Sender" in words


def test_plain_values_are_what_plotly_would_make_of_them(disks):
    spec = resource_map_spec(disks)
    assert json.loads(json.dumps(spec["layout"])) == json.loads(plot_resource_map(disks).to_json())["layout"]


def test_nothing_that_limits_is_said():
    found = predict({"sender": "ideal", "tool": "dd-read"})
    assert resource_map_rows(found).empty
    assert "Nothing limits" in plot_resource_map(found).layout.annotations[0].text
