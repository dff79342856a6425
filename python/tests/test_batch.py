# SPDX-License-Identifier: Apache-2.0
"""carom.solve_batch: rows equal single solves to the bit, on any number of threads; wrong shapes are refused."""
import threading

import numpy as np
import pytest

import carom


def scatter(rows):
    random = np.random.default_rng(7)
    twists = np.zeros((rows, 2, 6))
    twists[:, 0, :3] = random.normal(size=(rows, 3))
    twists[:, 0, 2] = -np.abs(twists[:, 0, 2]) - 0.1
    twists[:, 0, 3:] = 10 * random.normal(size=(rows, 3))
    return twists, random.uniform(0.05, 0.5, rows), random.uniform(0, 1, rows)


def test_rows_are_single_solves(bounce):
    bodies, _ = bounce
    twists, friction, restitution = scatter(200)
    contact = carom.Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 0, 1))
    batch = carom.solve_batch(bodies, [contact], twists=twists, friction=friction, restitution=restitution)
    assert batch.solved.all() and len(batch) == 200
    for i in range(200):
        bodies["ball"].velocity, bodies["ball"].angular_velocity = twists[i, 0, :3], twists[i, 0, 3:]
        one = carom.solve(bodies, [carom.Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 0, 1),
                                                 friction=friction[i], restitution=restitution[i])])
        assert np.array_equal(one.twists, batch.twists[i])
        assert np.array_equal(one.impulses, batch.impulses[i])
        assert tuple(batch.energy[i]) == one.energy and tuple(batch.checks[i]) == one.checks


def test_every_value_can_change(bounce):
    # What changes row by row gives what other bodies and contacts give.
    bodies, _ = bounce
    turned = {"ball": carom.Body(2, radius=0.1, position=(0, 0.1, 0), velocity=(0.3, -2, 0)), "floor": bodies["floor"]}
    material = {"restitution": 0.4, "friction": 0.2, "stiffness": 3, "exponent": 1, "stiffness_ratio": 1.2}
    wall = carom.Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 1, 0), **material)
    one = carom.solve(turned, [wall])
    inverse = np.zeros((1, 2, 6, 6))
    inverse[0, 0] = turned["ball"].inverse_inertia
    plain = carom.Contact(("ball", "floor"), point=(9, 9, 9), normal=(1, 0, 0))
    batch = carom.solve_batch(bodies, [plain], rows=3, twists=[[0.3, -2, 0, 0, 0, 0], [0] * 6],
                              positions=[[0, 0.1, 0], [0, 0, 0]], inverse_inertia=inverse, points=[0, 0, 0],
                              normals=[[0, 1, 0]], **material)
    for row in batch.twists:
        assert np.array_equal(row, one.twists)


def test_threads_change_nothing(bounce):
    twists, friction, _ = scatter(5001)
    one = carom.solve_batch(*bounce, twists=twists, friction=friction)
    for threads in (2, 3, 16):
        many = carom.solve_batch(*bounce, twists=twists, friction=friction, threads=threads)
        assert np.array_equal(one.twists, many.twists) and np.array_equal(one.checks, many.checks)


def test_the_lock_is_free_while_c_works(bounce):
    # A second thread of Python counts on while a batch runs in one call.
    twists, friction, _ = scatter(300000)
    counted, running = 0, True

    def count():
        nonlocal counted
        while running:
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    carom.solve_batch(*bounce, twists=twists, friction=friction)
    during = counted - before
    running = False
    thread.join()
    assert during > 1000


def test_several_threads_with_solves_of_their_own(bounce):
    bodies, contacts = bounce
    expected = carom.solve(bodies, contacts).twists
    wrong = []

    def work():
        for _ in range(300):
            if not np.array_equal(carom.solve(bodies, contacts).twists, expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_refused_rows(bounce):
    restitution = np.full(100, 0.5)
    restitution[[17, 80]] = 1.3
    with pytest.raises(carom.CaromError, match=r"rows\[17\]: contacts\[0\].restitution: must be in \[0, 1\], got 1.3"):
        carom.solve_batch(*bounce, restitution=restitution)
    marked = carom.solve_batch(*bounce, restitution=restitution, errors="mark", threads=2)
    assert marked.outcomes[17] == marked.outcomes[80] == -1 and marked.solved.sum() == 98
    assert np.isnan(marked.twists[17]).all() and np.isfinite(marked.twists[18]).all()
    assert "98 converged" in repr(marked) and "2 refused" in repr(marked)


@pytest.mark.parametrize("values, message", [
    ({"twists": np.zeros((5, 3))}, r"twists: must have the shape \(1, 2, 6\)"),
    ({"twists": np.zeros((4, 3, 6))}, r"twists: must have the shape \(4, 2, 6\)"),
    ({"restitution": np.zeros(4), "friction": np.zeros(5)}, "different numbers of rows: 4, 5"),
    ({"friction": np.zeros((4, 2))}, r"friction: must have the shape \(4, 1\)"),
    ({"rows": 3, "friction": np.zeros(4)}, "different numbers of rows: 3, 4"),
    ({"errors": "ignore"}, "errors: must be"),
    ({"rows": -1}, "rows: must not be negative"),
    ({"threads": 0}, "threads: must be at least 1"),
    ({"method": "hull"}, "method: model"),
])
def test_wrong_shapes(bounce, values, message):
    with pytest.raises(carom.CaromError, match=message):
        carom.solve_batch(*bounce, **values)


def test_wrong_types(bounce):
    with pytest.raises(TypeError, match="friction: must be numbers"):
        carom.solve_batch(*bounce, friction=["rough", "smooth"])
    for wrong in ([[1, 2], [3]], np.array([0.1 + 1j]), ["0.1"], [None, "a"]):
        with pytest.raises(TypeError, match="friction: must be numbers"):
            carom.solve_batch(*bounce, friction=wrong)
    with pytest.raises(KeyError, match="no body 'bal'; there are 'ball', 'floor'"):
        carom.solve_batch(*bounce).velocity("bal")
    with pytest.raises(TypeError, match="frictoin"):
        carom.solve_batch(*bounce, frictoin=[0.1])


def test_table(bounce):
    columns = carom.solve_batch(*bounce, friction=[0.1, 0.2]).as_columns()
    assert {"ball.vx", "impulse0.z", "energy.after", "solved"} <= set(columns)
    assert all(len(column) == 2 for column in columns.values())
    assert len(carom.solve_batch(*bounce, rows=0)) == 0
