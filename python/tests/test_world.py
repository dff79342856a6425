# SPDX-License-Identifier: Apache-2.0
"""Worlds: closed forms of flight, bodies that come and go, records, snapshots."""
import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import carom


def floor_world(**options):
    world = carom.World(material=carom.Material(restitution=0.5, friction=0.3), **options)
    return world, world.add_plane((0, 0, 0), (0, 0, 1))


def test_flight_is_a_parabola():
    world = carom.World(gravity=(0, 0, -10))
    box = world.add(carom.Shape.box((1, 2, 3)), velocity=(1, 2, 20), angular_velocity=(0, 0, 2))
    path = world.record(2, rate=50)
    t = path.times
    assert len(t) == 101
    expected = np.stack([t, 2 * t, 20 * t - 5 * t**2], axis=1)
    assert np.allclose(path.positions[:, box], expected, rtol=0, atol=1e-12)  # rounding
    w = np.abs(path.rotations[:, box, 0])  # a quaternion and its negative are the same turn
    assert np.allclose(w, np.abs(np.cos(t)), atol=1e-12)  # about a principal axis, half of 2 rad/s
    assert np.allclose(np.linalg.norm(path.rotations[:, box], axis=1), 1)


def test_events_and_rest():
    world, floor = floor_world()
    ball = world.add(carom.Shape.ball(0.1), mass=1, position=(0, 0, 0.1 + 4.9))
    world.advance(0.5)
    assert world.events() == [] and world.state(ball) == "free"
    world.advance(10)
    events = world.events()
    assert events[0].kind == "impact" and set(events[0].bodies) == {ball, floor}
    assert events[0].time == pytest.approx(1, rel=1e-12) and events[0].approach == pytest.approx(9.8, rel=1e-9)
    assert events[-1].kind == "stops" and world.at_rest and world.state(ball) == "asleep"
    report = world.report
    assert report["impacts"] >= 5 and report["hard_impacts"] == 0 and abs(report["unaccounted"]) < 1e-9 * 48
    assert world.next_time == float("inf") and "at rest" in repr(world)


def test_bodies_come_and_go():
    world, _ = floor_world()
    box = carom.Shape.box((1, 1, 1))
    lower = world.add(box, position=(0, 0, 0.5), name="lower")
    upper = world.add(box, position=(0, 0, 1.5), name="upper")
    world.advance(2)
    assert np.allclose(world.positions[upper], (0, 0, 1.5), atol=1e-6)
    world.remove(lower)
    assert world.numbers == [upper] and np.isnan(world.positions[lower]).all()
    world.step(5)
    assert world.positions[upper][2] == pytest.approx(0.5, abs=1e-4)  # it fell
    other = world.add(box, position=(5, 0, 0.5))
    world.set_motion(other, velocity=(1, 0, 0))
    world.step(0.01)
    assert 0 < world.velocities[other][0] < 1  # friction
    world.push(other, (0, 0, 5000), (5, 0, 1))
    assert world.velocities[other][2] == pytest.approx(5, rel=1e-6)
    with pytest.raises(carom.CaromError, match="no body 17"):
        world.remove(17)


def test_snapshots():
    world, _ = floor_world()
    world.add(carom.Shape.capsule(0.1, 0.5), position=(0, 0, 1), angular_velocity=(1, 2, 3))
    world.advance(0.3)
    kept = world.snapshot()
    world.advance(1.5)
    there = world.positions
    world.restore(kept)
    assert world.time == 0.3
    world.advance(1.5)
    assert np.array_equal(world.positions, there)
    # A body that went since comes back with its shape.
    world.restore(kept)
    world.remove(world.numbers[0])
    gc.collect()
    world.step(1)
    world.restore(kept)
    assert len(world.numbers) == 1 and world.advance(1.5) == 1.5 and np.array_equal(world.positions, there)
    for other in (b"short", carom.World().snapshot()):
        with pytest.raises(carom.CaromError, match="snapshot: is not one of this world"):
            world.restore(other)


def test_threads_take_turns():
    # A world belongs to one thread at a time; others wait.
    world, _ = floor_world()
    box = carom.Shape.box((0.1, 0.1, 0.1))
    for i in range(8):
        world.add(box, position=(0.3 * i, 0, 0.3), angular_velocity=(1, 2, 3))

    def work(k):
        for i in range(40):
            world.step(0.005)
            there = world.add(box, position=(0.3 * i, 1 + k, 5))
            assert np.isfinite(world.positions[there]).all()
            world.remove(there)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    assert world.time == pytest.approx(0.6, rel=1e-12) and len(world.numbers) == 8


def test_shapes():
    points = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
    hull, box = carom.Shape.hull(points), carom.Shape.box((1, 2, 3))
    assert hull.volume == pytest.approx(6) and np.allclose(hull.inertia, box.inertia)
    can = carom.Shape.cylinder(1, 2)
    assert can.volume == pytest.approx(2 * np.pi) and can.kind == "cylinder"


@pytest.mark.parametrize("make, message", [
    (lambda: carom.Shape.ball(-1), "radius"),
    (lambda: carom.Shape.hull(np.zeros((5, 3))), ""),
    (lambda: carom.Shape.hull(np.zeros((5, 2))), r"points: must have the shape \(n, 3\)"),
    (lambda: carom.Shape.box((1, 2)), "edges: must be 3 numbers"),
    (lambda: carom.World().add_plane((0, 0, 0), (0, 0, 0)), "normal"),
    (lambda: carom.World().advance(-1), "time: must be at least 0"),
    (lambda: carom.World().advance(float("inf")), "time: must be finite"),
    (lambda: carom.World().record(1, rate=0), "rate"),
    (lambda: carom.World().record(float("inf")), "until"),
])
def test_errors(make, message):
    with pytest.raises(carom.CaromError, match=message):
        make()
    with pytest.raises(TypeError, match="must be a carom.Shape"):
        carom.World().add("ball")
    with pytest.raises(TypeError, match="must be a carom.Material"):
        carom.World(material=0.5)
    crowded = carom.World(bodies=1)
    crowded.add(carom.Shape.ball(1))
    with pytest.raises(carom.CaromError):
        crowded.add(carom.Shape.ball(1), position=(5, 0, 0))
