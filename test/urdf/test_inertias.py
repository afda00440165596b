"""Masses and inertias in every description are those of possible bodies."""
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from .description import parse

DESCRIPTIONS = ("servicer", "facility")  # between them they hold every link


def numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def links_with_mass(name: str) -> list[ElementTree.Element]:
    return [link for link in parse(name).findall("link") if link.find("inertial") is not None]


def inertia_tensor(link: ElementTree.Element) -> np.ndarray:
    moment = {key: float(value) for key, value in link.find("inertial/inertia").attrib.items()}
    return np.array([
        [moment["ixx"], moment["ixy"], moment["ixz"]],
        [moment["ixy"], moment["iyy"], moment["iyz"]],
        [moment["ixz"], moment["iyz"], moment["izz"]],
    ])


def half_extents(shape: ElementTree.Element) -> np.ndarray:
    if shape.tag == "box":
        return numbers(shape.get("size")) / 2
    radius = float(shape.get("radius"))
    return np.array([radius, radius, float(shape.get("length")) / 2 if shape.tag == "cylinder" else radius])


def bounding_box(link: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of the link's collision shapes, in link axes."""
    corners = []
    for collision in link.findall("collision"):
        origin = collision.find("origin")
        rotation = pin.rpy.rpyToMatrix(numbers(origin.get("rpy")))
        extents = np.abs(rotation) @ half_extents(collision.find("geometry")[0])
        corners += [numbers(origin.get("xyz")) - extents, numbers(origin.get("xyz")) + extents]
    return np.min(corners, axis=0), np.max(corners, axis=0)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_principal_moments_obey_the_triangle_inequality(name):
    for link in links_with_mass(name):
        smallest, middle, largest = np.linalg.eigvalsh(inertia_tensor(link))
        assert float(link.find("inertial/mass").get("value")) > 0.0, link.get("name")
        assert 0.0 < smallest and largest <= smallest + middle, link.get("name")


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_centre_of_mass_lies_inside_the_link(name):
    for link in links_with_mass(name):
        lowest, highest = bounding_box(link)
        centre = numbers(link.find("inertial/origin").get("xyz"))
        assert np.all(lowest < centre) and np.all(centre < highest), link.get("name")


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_bodies_are_not_smaller_than_their_inertia(name):
    """Radius of gyration within half the diagonal of the link's collision shapes."""
    for link in links_with_mass(name):
        lowest, highest = bounding_box(link)
        mass = float(link.find("inertial/mass").get("value"))
        gyration = np.sqrt(np.linalg.eigvalsh(inertia_tensor(link))[-1] / mass)
        assert gyration < np.linalg.norm(highest - lowest) / 2, link.get("name")
