"""The section of the contact: none by default, the ring's own numbers, and what a sampled contact cannot be."""
from __future__ import annotations

from pathlib import Path

import pytest

from hil_relative_dynamics.scenario import ScenarioError, load
from hil_relative_dynamics.scenario.contact import Contact
from hil_relative_dynamics.scenario.load import to_yaml

from .files import write

RING = ["contact.kind=ring"]


def refusal(folder: Path, *overrides: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        load(write(folder), [*RING, *overrides])
    return str(caught.value)


def test_without_a_word_nothing_touches(tmp_path):
    assert load(write(tmp_path)).contact == Contact(kind="none")


def test_defaults_are_of_the_published_ranges(tmp_path):
    contact = load(write(tmp_path), RING).contact
    assert 1e4 <= contact.stiffness <= 1e5 and 50.0 <= contact.damping <= 500.0 and 0.2 <= contact.friction <= 0.4
    assert contact.ring_diameter == 2.624
    assert contact.indentation == contact.grip_force / contact.stiffness


def test_writes_what_it_reads(tmp_path):
    first = load(write(tmp_path), [*RING, "contact.damping_depth_m=0", "contact.friction=0.25"])
    assert load(write(tmp_path, to_yaml(first))).contact == first.contact


@pytest.mark.parametrize(
    ("key", "value", "limit"),
    [
        ("stiffness_N_m", 2.6e5, "250000"),
        ("damping_N_s_m", 260, "250"),
        ("grasp_stiffness_N_m", 5.1e5, "500000"),
        ("grasp_damping_N_s_m", 510, "500"),
        ("grasp_stiffness_N_m_rad", 2100, "2000"),
        ("grasp_damping_N_m_s_rad", 2.1, "2,"),
    ],
)
def test_what_would_not_be_stable_at_1_ms_is_refused(tmp_path, key, value, limit):
    sentence = refusal(tmp_path, f"contact.{key}={value}")
    assert f"contact.{key}" in sentence and f"at most {limit}" in sentence and "every 1 ms" in sentence
    load(write(tmp_path), [f"contact.{key}={value}"])  # where nothing touches nothing is sampled


def test_limits_follow_the_period_of_the_arm_and_the_lightest_mass(tmp_path):
    slow = ["rates_ms={arm: 2, dynamics: 2}"]
    assert "at most 62500" in refusal(tmp_path, *slow)
    load(write(tmp_path), [*RING, *slow, "contact.lightest_mass_kg=2", "contact.lightest_inertia_kg_m2=0.01"])


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("contact.kind=plane", "none or ring"),
        ("contact.stiffness_N_m=0", "positive number [N/m]"),
        ("contact.friction=-0.1", "non-negative number"),
        ("contact.stifness_N_m=1e5", "did you mean stiffness_N_m?"),
        ("contact.jaw_opening_m=0.04", "more than contact.ring_thickness_m (0.04 m)"),
        ("contact.grip_force_N=800", "at most 750 N"),
    ],
)
def test_mistakes_are_named(tmp_path, override, words):
    sentence = refusal(tmp_path, override)
    assert override.split("=")[0] in sentence and words in sentence
