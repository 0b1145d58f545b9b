"""Classes and versions of transforms, predicates and converters that validation refuses.

Each answer is that of Kafka Connect (``ConnectorConfig.EnrichablePlugin`` and
``AbstractHerder.validateConverterConfig``).
"""

from __future__ import annotations

import pytest

from connector.worker.herder import Herder
from tests.fixtures.validation import faults, keys, of, validate

NEGATED = (
    "Config 'transforms.t.negate' was provided but there is no config 'transforms.t.predicate' "
    "defining a predicate to be negated."
)
JSON = "org.apache.kafka.connect.json.JsonConverter"
TYPE, VERSION = "transforms.t.type", "transforms.t.plugin.version"


def _transform(herder: Herder, **options: str) -> dict[str, list[str]]:
    below = {f"transforms__t__{key}": text for key, text in options.items()}
    return faults(validate(herder, transforms="t", **below))


def test_the_name_without_its_end_leads_to_the_classes_for_keys_and_values(herder: Herder) -> None:
    assert _transform(herder, type="org.example.Word") == {
        TYPE: [
            (
                "This class is abstract and cannot be created. Did you mean "
                "org.example.Word$Key, org.example.Word$Value?"
            )
        ]
    }


def test_a_class_that_is_not_here_has_no_value(herder: Herder) -> None:
    infos = validate(
        herder,
        transforms="gone,abstract,other",
        transforms__gone__type="no.Such",
        transforms__abstract__type="org.example.Word",
        transforms__other__type=JSON,
        predicates="p",
        predicates__p__type="no.Such",
        key__converter="no.Such",
    )
    shown = {name: of(infos, name).value.value for name in keys(infos) if name.endswith("type")}
    assert shown == {
        "transforms.gone.type": None,
        "transforms.abstract.type": "org.example.Word",
        "transforms.other.type": JSON,
        "predicates.p.type": None,
    }
    assert of(infos, "key.converter").value.value is None
    assert not of(infos, "key.converter.plugin.version").value.visible
    assert of(infos, "value.converter.plugin.version").value.visible


def test_a_short_name_of_several_transforms(herder: Herder) -> None:
    (fault,) = _transform(herder, type="Filter")[TYPE]
    assert fault.startswith("More than one transformation matches alias Filter. ")


@pytest.mark.parametrize(
    ("class_name", "kept"), [("Word$Key", 0), ("org.example.Word", 0), (JSON, 0), ("no.Such", 1)]
)
def test_negate_without_predicate_is_the_first_fault_of_a_class(
    herder: Herder, class_name: str, kept: int
) -> None:
    found = _transform(herder, type=class_name, negate="true")[TYPE]
    assert found[kept:] == [NEGATED]


def test_a_predicate_has_no_key_negate(herder: Herder) -> None:
    settings = {"type": "Word", "word": "x", "negate": "true"}
    below = {f"predicates__p__{key}": text for key, text in settings.items()}
    assert faults(validate(herder, predicates="p", **below)) == {}


@pytest.mark.parametrize(
    ("required", "fault"),
    [
        (
            "[9,)",
            (
                "Plugin org.example.Word$Key not found that matches the version range [9,), "
                "available versions: [2.0]"
            ),
        ),
        ("[1", "Unbounded range: [1"),
    ],
)
def test_a_class_whose_version_is_not_here_has_no_keys(
    herder: Herder, required: str, fault: str
) -> None:
    infos = validate(
        herder,
        transforms="t",
        transforms__t__type="Word$Key",
        transforms__t__plugin__version=required,
    )
    assert faults(infos) == {TYPE: [fault], VERSION: [fault]}
    assert [name for name in keys(infos) if name.startswith("transforms.")] == [TYPE, VERSION]


def test_a_version_that_cannot_be_read_is_a_fault_for_any_class(herder: Herder) -> None:
    found = _transform(herder, type="no.Such", plugin__version="[1")
    assert found[VERSION] == ["Unbounded range: [1"]


@pytest.mark.parametrize(("required", "of_class"), [("[9,)", True), ("[1", False)])
def test_a_converter_whose_version_is_not_here_has_no_keys(
    herder: Herder, required: str, of_class: bool
) -> None:
    infos = validate(
        herder,
        value__converter=JSON,
        value__converter__plugin__version=required,
        value__converter__schemas__enable="maybe",
    )
    found = faults(infos)
    version = found.pop("value.converter.plugin.version")
    assert found == ({"value.converter": version} if of_class else {})
    assert "value.converter.schemas.enable" not in keys(infos)


def test_a_version_without_a_class_concerns_no_converter_of_the_worker(herder: Herder) -> None:
    assert faults(validate(herder, value__converter__plugin__version="[9,)")) == {}
