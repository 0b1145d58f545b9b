import xml.etree.ElementTree as ET

import pytest

from bench.jvm_peers import HERE, Peer
from bench.other_peers import parser
from bench.other_sides import COLUMNS

PEERS = {c.kind for c in COLUMNS.values() if isinstance(c.kind, type)}
POM = {"m": "http://maven.apache.org/POM/4.0.0"}


def test_peers_are_chosen_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert parser().parse_args([]).peers == list(COLUMNS)
    assert parser().parse_args(["--peers", "flink,maxwell-tuned"]).peers == [
        "flink",
        "maxwell-tuned",
    ]
    with pytest.raises(SystemExit):
        parser().parse_args(["--peers", "no-such"])
    assert "maxwell-tuned" in capsys.readouterr().err


def test_tuned_peers_have_the_producer_settings_of_tuned_debezium() -> None:
    tuned = COLUMNS["maxwell-tuned"].settings
    assert tuned["kafka.compression.type"] == "lz4"
    assert COLUMNS["flink-schemas-tuned"].settings == {"schemas": "true", **tuned}
    assert not [name for name in tuned if not name.startswith("kafka.")]


@pytest.mark.parametrize("kind", PEERS)
def test_every_peer_has_its_files_and_pinned_versions(kind: type[Peer]) -> None:
    assert (HERE / kind.source).is_file()
    tree = ET.parse(HERE / kind.pom)
    versions = [item.text or "" for item in tree.iterfind(".//m:dependency/m:version", POM)]
    assert len(versions) == len(tree.findall(".//m:dependency", POM))
    assert tree.find(".//m:plugin/m:version", POM) is not None
    assert not [version for version in versions if "SNAPSHOT" in version or "[" in version]
