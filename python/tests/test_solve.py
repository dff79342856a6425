# SPDX-License-Identifier: Apache-2.0
"""carom.solve: the same numbers as the command has, by name, with the balance; bad input is refused with its place."""
import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import carom


def test_same_bits_as_the_command(bounce, command, tmp_path):
    result = carom.solve(*bounce)
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(result.scene()))
    code, out, err = command("run", scene, "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["bodies"]["ball"]["velocity"] == result.bodies["ball"].velocity.tolist()
    assert told["bodies"]["ball"]["angular_velocity"] == result.bodies["ball"].angular_velocity.tolist()
    assert told["contacts"][0]["impulse"] == result.contacts[0].impulse.tolist()
    assert told["energy"] == {name: getattr(result.energy, name) for name in told["energy"]}
    assert told["checks"] == {name: getattr(result.checks, name) for name in told["checks"]}
    assert (told["method"], told["steps"]) == (result.method, result.steps)


def cradle():
    radius, names = 0.05, "abcde"
    bodies = {name: carom.Body(1, radius=radius, position=(2 * radius * i, 0, 0), velocity=(float(i == 0), 0, 0))
              for i, name in enumerate(names)}
    return bodies, [carom.Contact((a, b)) for a, b in zip(names, names[1:])]


def test_a_cradle_is_placed_by_its_radii(command, tmp_path):
    result = carom.solve(*cradle())
    scene = result.scene()
    for contact in scene["contacts"]:
        del contact["point"], contact["normal"]
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene))
    told = json.loads(command("run", path, "--json")[1])
    for name, body in told["bodies"].items():
        assert np.allclose(body["velocity"], result.bodies[name].velocity, rtol=0, atol=1e-15)
    assert result.twists.shape == (5, 6) and result.impulses.shape == (4, 3)
    assert np.array_equal(result.normal_impulses, np.linalg.norm(result.impulses, axis=1))


def test_many_contacts_find_room():
    # 40 legs of one body: each contact shares it with all others.
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    bodies = [carom.Body(1, inertia=(1, 1, 1), velocity=(0, 0, -1)), carom.Body(fixed=True)]
    contacts = [carom.Contact((0, 1), (np.cos(a), np.sin(a), 0), (0, 0, 1), restitution=0.5) for a in angle]
    result = carom.solve(bodies, contacts)
    assert result.solved and abs(result.bodies[0].velocity[2] - 0.5) < 1e-9  # all legs alike: as one contact


def test_models_and_methods(bounce):
    for model in ("springs", "newton", "poisson", "sequential"):
        result = carom.solve(*bounce, model=model)
        assert result.model == model and abs(result.bodies["ball"].velocity[2] - 0.8) < 1e-9  # tolerance
    assert carom.solve(*bounce, method="integrate").method == "integrate"
    with pytest.raises(carom.CaromError, match='model "springs" has auto, closed, exact, integrate, impulse'):
        carom.solve(*bounce, method="hull")
    with pytest.raises(carom.CaromError, match="model: must be one of springs, reflect"):
        carom.solve(*bounce, model="magic")


def test_path_and_theory(bounce):
    result = carom.solve(*bounce, events=True, theory=True)
    kinds = [event.kind for event in result.events]
    assert kinds[0] == "start" and kinds[-1] == "end" and "compression-ends" in kinds
    last = result.events[-1]
    assert np.array_equal(last.impulses_contact_frame[0], result.impulses[0])  # the world's frame
    assert result.theory.inverse_inertia_contact_frame[2, 2] == pytest.approx(1 / 0.17, rel=1e-15)
    assert carom.solve(*bounce).theory is None and carom.solve(*bounce).events == ()


def test_result_reads_well(bounce):
    result = carom.solve(*bounce)
    text = repr(result)
    assert "converged, springs by closed" in text and "ball" in text and "J" in text
    with pytest.raises(KeyError, match="no body 'bal'"):
        result.bodies["bal"]
    assert result.bodies[0].velocity.tolist() == result.bodies["ball"].velocity.tolist()
    assert len(result.bodies) == 2 and list(result.bodies) == ["ball", "floor"]


def test_arrays_belong_to_the_caller(bounce):
    first = carom.solve(*bounce)
    before = first.twists
    bodies, contacts = bounce
    bodies["ball"].velocity = (0, 0, -5)
    second = carom.solve(bodies, contacts)
    assert np.array_equal(before, first.twists) and not np.array_equal(before, second.twists)


def test_results_keep_what_was_solved(bounce):
    # Neither bodies that move on, nor a list of contacts that grows, nor another use of a contact change a result.
    bodies, contacts = bounce
    result = carom.solve(bodies, contacts, method="integrate", tolerance=1e-6)
    scene, impulses = result.scene(), result.impulses
    bodies["ball"].velocity = (7, 7, 7)
    contacts[0].material = carom.Material(0.1)
    contacts += contacts
    assert result.scene() == scene and np.array_equal(result.impulses, impulses) and len(result.contacts) == 1
    assert scene["solver"] == {"model": "springs", "method": "integrate", "tolerance": 1e-6}
    assert carom.run(scene)["bodies"]["ball"]["velocity"] == result.bodies["ball"].velocity.tolist()
    touch = carom.Contact((0, 1))
    first = carom.solve([carom.Body(1, radius=1, velocity=(1, 0, 0)), carom.Body(1, radius=1, position=(2, 0, 0))],
                        [touch])
    carom.solve([carom.Body(1, radius=1, velocity=(0, 1, 0)), carom.Body(1, radius=1, position=(0, 2, 0))], [touch])
    assert first.scene()["contacts"][0]["normal"] == [-1, 0, 0]


def test_a_new_material_counts(bounce):
    bodies, contacts = bounce
    contacts[0].material = carom.Material(restitution=0, friction=0.3)
    assert abs(carom.solve(bodies, contacts).bodies["ball"].velocity[2]) < 1e-12  # rounding
    with pytest.raises(TypeError, match="material: must be a carom.Material"):
        contacts[0].material = 0.5


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_copies_and_pickles(bounce, again):
    bodies, contacts = bounce
    result = carom.solve(bodies, contacts, events=True, theory=True)
    other = again(result)
    assert repr(other) == repr(result) and other.scene() == result.scene() and len(other.events) == len(result.events)
    assert np.array_equal(other.impulses, result.impulses) and other.contacts[0].between == ("ball", "floor")
    copied = {name: again(body) for name, body in bodies.items()}
    solved = carom.solve(copied, [again(contact) for contact in contacts])
    assert np.array_equal(solved.twists, result.twists)
    copied["ball"].velocity = (9, 9, 9)  # the copy's own
    assert bodies["ball"].velocity.tolist() == [1, 0.2, -1]
    assert repr(again(contacts[0].material)) == repr(contacts[0].material)


def test_nothing_to_solve():
    # In a thread of its own, whose solver is not yet made.
    for solve in (carom.solve, carom.solve_batch):
        with ThreadPoolExecutor(1) as pool, pytest.raises(carom.CaromError, match="at least one"):
            pool.submit(solve, [], []).result()


@pytest.mark.parametrize("make, message", [
    (lambda: carom.Body(), "mass: is missing"),
    (lambda: carom.Body(1, inertia=1, radius=-1), "radius: must be > 0"),
    (lambda: carom.Body(fixed=True, radius=float("nan")), "radius: must be > 0"),
    (lambda: carom.Body(1, inertia=float("nan")), "inertia: must be symmetric and finite"),
    (lambda: carom.Body(1, inertia=[[1, 0.9, 0], [0, 1, 0], [0, 0, 1]]), "inertia: must be symmetric and finite"),
    (lambda: carom.Contact(5), "between: must be two bodies"),
    (lambda: carom.Body(-1), "mass: must be > 0"),
    (lambda: carom.Body(float("nan")), "mass: must be > 0"),
    (lambda: carom.Body(1, radius=0), "radius: must be > 0"),
    (lambda: carom.Body(1, inertia=(1, 2)), "inertia: must be"),
    (lambda: carom.Body(1, inertia=(1, -2, 1)), "positive definite"),
    (lambda: carom.Body(1, velocity=(1, 2)), "velocity: must be 3 numbers, got 2"),
    (lambda: carom.Body(1, inertia=1, rotation=(2, 0, 0, 0)), "rotation: must have length 1"),
    (lambda: carom.Body(inverse_inertia=np.eye(3)), "inverse_inertia: must be 6 x 6"),
    (lambda: carom.Body(inverse_inertia=-np.eye(6)), "inverse_inertia"),
    (lambda: carom.Body(1, velocity=(0, float("inf"), 0)), "velocity"),
    (lambda: carom.Body(fixed=True, slides_along=(1, 0, 0)), "either fixed"),
    (lambda: carom.Material(poisson=0.7), "poisson: must be in"),
    (lambda: carom.Material(poisson=0.2, stiffness_ratio=1), "not both"),
    (lambda: carom.Material(unloading="none"), "unloading: must be one of"),
    (lambda: carom.Contact(("a",)), "between: must be two bodies"),
    (lambda: carom.Contact(("a", "b"), material=carom.Material(), friction=1), "not both"),
])
def test_bad_parts(make, message):
    with pytest.raises(carom.CaromError, match=message):
        make()


def test_bad_problems(bounce):
    bodies, contacts = bounce
    with pytest.raises(carom.CaromError, match="no body 'wall'; there are 'ball', 'floor'"):
        carom.solve(bodies, [carom.Contact(("ball", "wall"), (0, 0, 0), (0, 0, 1))])
    with pytest.raises(carom.CaromError, match=r"contacts\[0\].normal: is missing"):
        carom.solve(bodies, [carom.Contact(("ball", "floor"), (0, 0, 0))])
    with pytest.raises(carom.CaromError, match=r"contacts\[0\].restitution: must be in \[0, 1\], got 1.3") as error:
        carom.solve(bodies, [carom.Contact(("ball", "floor"), (0, 0, 0), (0, 0, 1), restitution=1.3)])
    assert error.value.status == "bad data"
    with pytest.raises(carom.CaromError, match="must have length 1"):
        carom.solve(bodies, [carom.Contact(("ball", "floor"), (0, 0, 0), (0, 0, 2))])
    with pytest.raises(carom.CaromError, match="at least one"):
        carom.solve(bodies, [])
    assert carom.solve(bodies, contacts).solved  # a refusal leaves the solver as it was


def test_wrong_types(bounce):
    bodies, contacts = bounce
    with pytest.raises(TypeError, match="bodies: must be carom.Body, got str"):
        carom.solve({"ball": "round"}, contacts)
    with pytest.raises(TypeError, match=r"contacts\[0\]: must be a carom.Contact, got dict"):
        carom.solve(bodies, [{"between": ("ball", "floor")}])
    with pytest.raises(TypeError, match="mass: must be a number, got 'heavy'"):
        carom.Body("heavy")
    with pytest.raises(carom.CaromError, match="mass: must be a number that a double can hold"):
        carom.Body(10**400)
    for wrong in (3, "123", (1, "a", 2), (0, 0, 10**400), np.zeros((3, 3))):
        with pytest.raises(TypeError, match="velocity: must be 3 numbers"):
            carom.Body(1, velocity=wrong)
    with pytest.raises(TypeError, match="inertia: must be numbers"):
        carom.Body(1, inertia="round")
    with pytest.raises(carom.CaromError, match="memory: must not be negative"):
        carom.solve(bodies, contacts, memory=-1)
    with pytest.raises(TypeError, match="material: must be a carom.Material"):
        carom.Contact((0, 1), material=0.5)
    with pytest.raises(TypeError):
        carom.Contact((0, 1), frictoin=0.5)
