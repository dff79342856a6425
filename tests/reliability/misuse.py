#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the C calls of the misuse test: every public function with every bad argument.

    misuse.py CALLS.c HEADER...

Each call has good arguments but one: a NULL pointer, a NaN, an infinity, a negative count, a value outside its enum;
also in every field of the structs that go in. Functions that return a status must refuse; nothing may crash or hang.
Good arguments come from misuse.c; the tables below say which, and which odd values are allowed.
"""
import re
import sys

# ---- Good arguments ------------------------------------------------------------------------------

# By the type of a parameter, or by function and parameter where that differs. `good_...` are functions of misuse.c
# that set up the value anew.
GOOD = {
    'CaromVec3': '(CaromVec3){0.1, 0.2, 1}',
    'CaromQuat': '(CaromQuat){1, 0, 0, 0}',
    'double': '0.5',
    'int': '0',
    'int64_t': '0',
    'long': '10',
    'size_t': '8',
    'uint64_t': '1',
    'bool': 'false',
    'void *': 'NULL',
    'char *': 'good_text()',
    'bool *': 'good_marks()',
    'int *': 'good_ints()',
    'double *': 'good_numbers()',
    'CaromVec3 *': 'good_vectors()',
    'int *[3]': 'good_triples()',
    'int *[4]': 'good_quadruples()',
    'CaromMat3 *': 'good_matrix()',
    'FILE *': 'good_file()',
    'CaromStatus': 'CAROM_OK',
    # objects
    'CaromImpact *': 'good_impact()',
    'CaromRecord *': 'good_record()',
    'CaromJudge *': 'good_judge()',
    'CaromContactSolver *': 'good_contact_solver()',
    'CaromWorld *': 'good_world()',
    'CaromPile *': 'good_pile()',
    'CaromShape *': 'good_shape()',
    'CaromMesh *': 'good_mesh()',
    'CaromRod *': 'good_rod()',
    'CaromBat *': 'good_bat()',
    'CaromBilliards *': 'good_billiards()',
    'CaromSoftMesh *': 'good_soft_mesh()',
    'CaromSoft *': 'good_soft()',
    'CaromPickup *': 'good_pickup()',
    'CaromScene *': 'good_scene()',
    'CaromSolution *': 'good_solution()',
    'CaromJob *': 'good_job()',
    'CaromEnsembleRun *': 'NULL',
    'CaromEnsembleWorker *': 'good_ensemble_worker()',
    'CaromEnsembleScene *': 'good_ensemble_scene()',
    'CaromBilliardsSolution *': 'good_billiards_solution()',
    'CaromTimeline *': '&good_run()->timeline',
    'CaromWorldRun *': 'good_run()',
    'CaromTimelineEvent *': '&good_run()->timeline.events[0]',
    'CaromTwist *': 'good_twists()',
    'CaromRackBall *': 'good_rack_balls()',
    'CaromTablePart *': 'good_parts()',
    # what goes in; every field of these is spoilt in turn
    'CaromHost *': 'good_host()',
    'CaromImpactProblem *': 'good_impact_problem()',
    'CaromImpactOptions *': 'good_impact_options()',
    'CaromImpactLimits *': 'good_impact_limits()',
    'CaromContactProblem *': 'good_contact_problem()',
    'CaromContactOptions *': 'good_contact_options()',
    'CaromContactLimits *': 'good_contact_limits()',
    'CaromBody *': 'good_body()',
    'CaromMaterial *': 'good_material()',
    'CaromWorldDef *': 'good_world_def()',
    'CaromBallDef *': 'good_ball_def()',
    'CaromWorldColumn *': 'good_world_column()',
    'CaromBilliardsColumn *': 'good_billiards_column()',
    'CaromPileDef *': 'good_pile_def()',
    'CaromPileBodyDef *': 'good_pile_body_def()',
    'CaromPlaneDef *': 'good_plane_def()',
    'CaromEdgeDef *': 'good_edge_def()',
    'CaromHoleDef *': 'good_hole_def()',
    'CaromTableDef *': 'good_table_def()',
    'CaromBallKind *': 'good_ball_kind()',
    'CaromCueDef *': 'good_cue_def()',
    'CaromShot *': 'good_shot()',
    'CaromBilliardsDef *': 'good_billiards_def()',
    'CaromRodProblem *': 'good_rod_problem()',
    'CaromRodOptions *': 'good_rod_options()',
    'CaromRodLimits *': 'good_rod_limits()',
    'CaromBatProblem *': 'good_bat_problem()',
    'CaromBatOptions *': 'good_bat_options()',
    'CaromBatStrike *': 'good_bat_strike()',
    'CaromBatSwing *': 'good_bat_swing()',
    'CaromBatCurve *': 'good_bat_curve()',
    'CaromSoftProblem *': 'good_soft_problem()',
    'CaromSoftLoads *': 'good_soft_loads()',
    'CaromSoftOptions *': 'good_soft_options()',
    'CaromSoftField *': 'good_soft_field()',
    'CaromPickupProblem *': 'good_pickup_problem()',
    'CaromPickupLimits *': 'good_pickup_limits()',
    'CaromPickupOptions *': 'good_pickup_options()',
    'CaromFinger *': 'good_fingers()',
    'CaromSoftSpot *': 'good_spots()',
    'CaromPickupResult *': 'good_pickup_result()',
    'CaromPlotOptions *': 'good_plot_options()',
    'CaromMovieOptions *': 'good_movie_options()',
    'CaromJobOptions *': 'good_job_options()',
    'CaromCell *': 'good_cells()',
    'CaromJobRow *': 'good_rows()',
    'CaromEnsembleOptions *': 'good_ensemble_options()',
    'CaromMoment *': 'good_moment()',
    'CaromPrincipal *': 'good_principal()',
    'CaromTrajectory *': 'good_trajectory()',
    'CaromPose *': 'good_pose()',
    'CaromEnsembleRowFn *': 'see_row',
    'CaromSceneFindFn *': 'NULL',
    'CaromSceneWriteFn *': 'put_piece',
    'CaromWorldListenFn *': 'NULL',
    'CaromPileListenFn *': 'NULL',
    # by function and parameter
    'carom_scene_parse.length': 'strlen(text)',
    'carom_scene_parse.text': 'good_scene_text()',
    'carom_scene_set.path': '"contacts.0.restitution"',
    'carom_scene_set.value': '"0.5"',
    'carom_scene_set_folder.folder': '"."',
    'carom_scene_compare.scene': 'good_impact_scene()',
    'carom_ensemble_set_options.scene': 'good_ensemble()',
    'carom_ensemble_worker_create.scene': 'good_ensemble()',
    'carom_ensemble_scan.solution': 'good_ensemble_solution()',
    'carom_scene_ensemble.scene': 'good_ensemble()',
    'carom_solution_ensemble.solution': 'good_ensemble_solution()',
    'carom_ensemble_worker_run.bytes': 'good_bytes_out()',
    'carom_ensemble_worker_run.size': 'good_size_out()',
    'carom_ensemble_commit.bytes': 'good_text()',
    'carom_animate_solution.solution': 'good_flight_solution()',
    'carom_mesh_parse.data': 'good_obj()',
    'carom_mesh_parse.length': 'strlen(data)',
    'carom_mesh_load.path': '"missing.stl"',
    'carom_soft_mesh_load.path': '"missing.msh"',
    'carom_soft_mesh_create.node_count': '4',
    'carom_soft_mesh_create.tetrahedron_count': '1',
    'carom_soft_mesh_parse_gmsh.text': 'good_gmsh()',
    'carom_soft_mesh_parse_gmsh.length': 'strlen(text)',
    'carom_soft_mesh_parse_tetgen.node_text': 'good_tetgen_node()',
    'carom_soft_mesh_parse_tetgen.node_length': 'strlen(node_text)',
    'carom_soft_mesh_parse_tetgen.ele_text': 'good_tetgen_ele()',
    'carom_soft_mesh_parse_tetgen.ele_length': 'strlen(ele_text)',
    'carom_shape_hull.count': '4',
    'carom_shape_capsule.height': '2',
    'carom_table_parse.text': '"a,b\\n1,2\\n"',
    'carom_table_parse.length': '8',
    'carom_job_create.scene': 'good_impact_scene()',
    'carom_job_create.input_count': '1',
    'carom_job_create.kept_count': '1',
    'carom_job_create.inputs': 'good_inputs()',
    'carom_job_create.kept': 'good_kept()',
    'carom_job_solve.row_count': '1',
    'carom_nearest_word.count': '1',
    'carom_nearest_word.words': 'good_inputs()',
    'carom_soft_mesh_refine.spot_count': '1',
    'carom_soft_flip_create.lies': 'good_lies()',
    'carom_pickup_finger_fault.size': '64',
    'carom_pickup_finger_fault.text': 'good_room()',
    'carom_pickup_place_fingers.axis': '(CaromVec3){1, 0, 0}',
    'carom_strike_solve.position': '(CaromVec3){0.5, 0.5, 0.028575}',
    'carom_world_set_material.b': '1',
    'carom_pile_set_material.b': '1',
    'carom_pile_snapshot.memory': 'good_snapshot()',
    'carom_pile_restore.memory': 'good_snapshot()',
    'carom_pile_move.time': '0.001',
    'carom_pile_add_plane.point': '(CaromVec3){0, 0, -6}',
    'carom_pile_add_plane.normal': '(CaromVec3){0, 0, 1}',
    'carom_world_gap.b': '1',
    'carom_world_differentiate.count': '1',
    'carom_billiards_differentiate.count': '1',
    'carom_soft_mesh_ball.resolution': '2',
    'carom_soft_mesh_ellipsoid.resolution': '2',
    'carom_soft_mesh_box.resolution': '2',
    'carom_soft_mesh_frustum.resolution': '2',
    'carom_soft_mesh_barrel.resolution': '2',
    'carom_soft_mesh_barrel.middle_diameter': '0.6',
    'carom_soft_mesh_tetrahedron.resolution': '2',
    'carom_reflect_outcome.impact': 'good_reflected()',
    'carom_reflect_order.impact': 'good_reflected()',
    'carom_reflect_order.capacity': '4',
    'carom_soft_select_face.direction': '(CaromVec3){0, 0, -1}',
    'carom_soft_write_vtk.field_count': '1',
    'carom_plane_gap.normal': '(CaromVec3){0, 0, 1}',
    'carom_plane_meet.normal': '(CaromVec3){0, 0, 1}',
    'carom_plane_manifold.normal': '(CaromVec3){0, 0, 1}',
    'carom_timeline_turn.f': '1',
    'carom_world_move.time': '0.001',
}

# ---- What is allowed -----------------------------------------------------------------------------

# Calls that may succeed, as regular expressions of "function: argument = value", with the reason.
ALLOWED = [
    (r': (options|limits|host|def)->(size|version)\b', 'growth of structs is checked elsewhere'),
    (r': (options|limits|host|def) = NULL$', 'defaults'),
    (r': number = NULL$', 'the caller need not know it'),
    (r'stiffness_ratio = ', 'a contact that is rigid along its surface has none'),
    (r'^carom_contact_solve: problem->contacts\[0\]\.material\.', 'only friction counts'),
    (r'^carom_contact_solve: problem->(terms|guess) = NULL', 'without them'),
    (r': options->derivatives\[0\]\.(index|component|bodies = NULL|contacts = NULL)', 'a direction needs none of them'),
    (r': options->derivatives\[0\]\.contacts\[0\]\.(body|material\.(exponent|tangential|unloading|rolling|spinning))',
     'not differentiated by'),
    (r'^carom_world_add_ball: def->pendulum', 'of a ball that flies'),
    (r'^carom_bat_\w+: problem->bat\.(angular_)?velocity', 'the swing is what is looked for'),
    (r'^carom_bat_\w+: options->(flight_time|start)', 'of another choice'),
    (r'^carom_bat_verify: swing->energy', 'only told'),
    (r'^carom_bat_\w+: strike->(label|cone)', 'only told'),
    (r'^carom_bat_robustness: strike->impulse', 'the impact is solved anew'),
    (r'^carom_billiards_create: def->cue\.speed', 'ball_speed is given'),
    (r'^carom_strike_solve: (table->(?!cloth)|cue->speed)', 'of the table only the cloth; ball_speed is given'),
    (r'^carom_strike_solve: kind->material', 'no other ball is there'),
    (r'^carom_soft_(check|create): problem->(masses = NULL|supports\[0\]\.normal)', 'uniform; not a sliding node'),
    (r'^carom_soft_\w+: loads( = NULL|->forces = NULL)', 'gravity alone'),
    (r'^carom_job_solve: cells->number', 'the scene refuses it: the row tells'),
    (r'^carom_pile_set_material: [ab] = -7', 'a plane'),
]

# Functions whose good call cannot succeed here, with the reason.
NO_GOOD_CALL = {
    'carom_mesh_load': 'there is no such file',
    'carom_soft_mesh_load': 'there is no such file',
    'carom_ensemble_commit': 'a run exists only while an ensemble is solved',
}

# Structs that the library makes and callers only hand back: their fields are not spoilt.
OWNED = {'CaromBilliardsSolution', 'CaromTimeline', 'CaromTimelineEvent', 'CaromWorldRun', 'CaromEnsembleScene',
         'CaromSoftMesh', 'CaromPickupResult', 'CaromTrajectory', 'CaromBatCurve'}


# ---- The headers ---------------------------------------------------------------------------------

def strip(text):
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'\\\n', ' ', text)
    return re.sub(r'^\s*#[^\n]*', '', text, flags=re.M)


def split(text, separator=','):
    """At separators outside of brackets."""
    parts, depth, part = [], 0, ''
    for letter in text:
        depth += (letter in '([{') - (letter in ')]}')
        if letter == separator and depth == 0:
            parts.append(part)
            part = ''
        else:
            part += letter
    return [p.strip() for p in parts + [part] if p.strip()]


def variable(text):
    """Type and name of `const CaromVec3 *nodes`, `double m[3][3]`, `const int (*list)[3]`, `bool (*f)(void)`."""
    text = ' '.join(text.split())
    pointer_to_array = re.fullmatch(r'(.*?)\(\*(\w+)\)((?:\[\w+\])+)', text)
    if pointer_to_array:
        base = pointer_to_array.group(1).replace('const', '').strip()
        return f'{base} *{pointer_to_array.group(3)}', pointer_to_array.group(2), '', 'const' in text
    match = re.fullmatch(r'(.*?)(\w+)((?:\[\w+\])*)', text)
    kind, name, array = match.groups()
    constant = kind.startswith('const ')
    kind = ' '.join(kind.replace('const ', '').replace('*', ' * ').split())
    kind = kind.replace('const', '').replace('struct ', '').replace('* *', '**').strip()
    return ' '.join(kind.split()), name, array, constant


class Headers:
    def __init__(self, paths):
        self.functions, self.structs, self.enums, self.callbacks, self.opaque = [], {}, set(), set(), set()
        for path in paths:
            self.read(strip(open(path, encoding='utf-8').read()))
        self.opaque -= set(self.structs)

    def read(self, text):
        for match in re.finditer(r'CAROM_API\s+([^;{]*?)\s*;', text):
            self.function(' '.join(match.group(1).split()))
        for match in re.finditer(r'typedef enum (\w+)', text):
            self.enums.add(match.group(1))
        for match in re.finditer(r'typedef [\w ]+?\*?\s*(\w+Fn|\w+Observer)\(', text):
            self.callbacks.add(match.group(1))
        for match in re.finditer(r'typedef struct (\w+) (\w+);', text):
            self.opaque.add(match.group(2))
        for match in re.finditer(r'typedef struct (\w+) \{(.*?)\n\}', text, flags=re.S):
            self.structs[match.group(1)] = self.fields(match.group(2))
        for match in re.finditer(r'typedef (Carom\w+) (Carom\w+);', text):
            if match.group(1) in self.structs:
                self.structs[match.group(2)] = self.structs[match.group(1)]

    def fields(self, body):
        if 'struct {' in body:
            return []
        fields = []
        for line in body.split(';'):
            line = ' '.join(line.split())
            if not line:
                continue
            names = split(line)
            first = variable(names[0])
            fields.append(first)
            for other in names[1:]: # `double from, to`
                stars, name, array = re.fullmatch(r'(\**)(\w+)((?:\[\w+\])*)', other).groups()
                fields.append((first[0].replace('*', '').strip() + (' ' + stars if stars else ''), name, array, first[3]))
        return fields

    def function(self, text):
        odd = re.fullmatch(r'(.*)\(\*(carom_\w+)\((.*)\)\)\[\d\]', text) # returns a pointer to arrays
        if odd:
            result, name, parameters = 'pointer', odd.group(2), odd.group(3)
        else:
            result, name, parameters = re.fullmatch(r'(.*?)(carom_\w+)\((.*)\)', text).groups()
        parameters = [] if parameters == 'void' else [variable(p) for p in split(parameters)]
        self.functions.append((result.strip(), name, parameters))


# ---- Bad values ----------------------------------------------------------------------------------

OUT = object()


class Writer:
    def __init__(self, headers):
        self.headers = headers
        self.missing = []

    def leaf(self, kind):
        """Bad values of a plain type."""
        if kind == 'double':
            return ['NAN', '-INFINITY']
        if kind in ('int', 'long', 'int64_t'):
            return ['-7']
        if kind in self.headers.enums:
            return [f'({kind})99', f'({kind})-1']
        return []

    def spoil(self, kind, path, label, depth=0):
        """Assignments that spoil a value or a part of it: (statement, words)."""
        base = kind.rstrip('* ')
        if kind in OWNED:
            return
        if kind in self.headers.structs:
            for field, name, array, _ in self.headers.structs[kind]:
                if name == 'derivatives' and field.endswith('*') and label.startswith('def'):
                    continue # impacts of a run have none
                element = re.sub(r'\[\w+\]', '[0]', array)
                yield from self.spoil(field, f'{path}.{name}{element}', f'{label}.{name}{element}', depth + 1)
        elif kind.endswith('*') and depth > 0:
            if base in self.headers.callbacks or base in ('void', 'char') or kind.endswith('**'):
                return
            yield f'{path} = NULL', f'{label} = NULL'
            if base in OWNED:
                return
            if base in self.headers.structs and depth < 6:
                yield from self.spoil(base, f'(({base} *){path})[0]', f'{label}[0]', depth + 1)
        else:
            for value in self.leaf(kind):
                yield f'{path} = {value}', f'{label} = {value}'

    def good(self, function, kind, name):
        key = f'{function}.{name}'
        if key in GOOD:
            return GOOD[key]
        if kind in GOOD:
            return GOOD[kind]
        if kind in self.headers.enums:
            return f'({kind})0'
        self.missing.append(f'{key}: {kind}')
        return '0'

    def declare(self, kind, name):
        nested = re.fullmatch(r'(\w+) \*\[(\d)\]', kind)
        return f'{nested.group(1)} (*{name})[{nested.group(2)}]' if nested else f'{kind} {name}'

    def write(self, result, function, parameters):
        """One C function with all calls, which returns how many there are."""
        declared, cases, outputs, names = [], [], [], []
        destroys = function.endswith('_destroy') or (function.endswith('_free') and len(parameters) == 1)
        for kind, name, array, constant in parameters:
            if array:
                kind += ' *'
            pointer = '*' in kind
            output = (pointer and not constant and result == 'CaromStatus' and f'{function}.{name}' not in GOOD and
                      (kind.endswith('**') or kind not in GOOD or kind in ('int *', 'double *', 'size_t *')))
            if kind.endswith('**') and not output and f'{function}.{name}' not in GOOD:
                output = True
            if output:
                base = kind[:-1].strip()
                declared.append(f'{base} {name}_out; memset(&{name}_out, 0xA5, sizeof {name}_out); '
                                f'{kind} {name} = &{name}_out;')
                outputs.append(name)
            elif destroys:
                declared.append(f'{kind} {name} = NULL;')
            else:
                value = self.good(function, kind, name)
                cast = f'({kind})' if pointer and constant and '[' not in kind else ''
                declared.append(f'{self.declare(kind, name)} = {cast}{value};')
            plain = not pointer or kind.rstrip('* ') in self.headers.callbacks
            names.append(name if plain else f'(void *){name}')
            if destroys:
                cases.append((f'{name} = NULL', f'{name} = NULL'))
                continue
            if pointer and kind != 'void *' and kind.rstrip('* ') not in self.headers.callbacks:
                cases.append((f'{name} = NULL', f'{name} = NULL'))
            if not pointer:
                cases += list(self.spoil(kind, name, name))
            elif not output and constant and kind.rstrip('* ') in self.headers.structs and kind.count('*') == 1:
                base = kind.rstrip('* ')
                cases += [(s, w.replace(f'{name}[0].', f'{name}->')) for s, w in
                          self.spoil(base, f'{name}[0]', f'{name}[0]')]
        lines = [f'static int call_{function}(int bad) {{']
        lines += ['    ' + line for line in declared]
        lines.append('    switch (bad) {')
        for i, (statement, words) in enumerate(cases):
            allowed = any(re.search(p, f'{function}: {words}') for p, _ in ALLOWED)
            lines.append(f'    case {i}: about("{function}: {words}", {int(allowed)}); {statement}; break;')
        lines += [f'    default: if (bad >= 0) {{ return {len(cases)}; }} about("{function}", {1 if function in NO_GOOD_CALL else 2}); break;', '    }']
        call = f'{function}({", ".join(names)})' # pointers by way of void *: const at any depth
        if result == 'CaromStatus':
            lines.append(f'    weigh({call});')
            for name in outputs:
                lines.append(f'    untouched(&{name}_out, sizeof {name}_out, "{name}");')
        else:
            lines.append(f'    {"" if result == "void" else "(void)"}{call};')
            lines.append('    answered();')
        lines += [f'    return {len(cases)};', '}', '']
        return '\n'.join(lines)


def main():
    headers = Headers(sys.argv[2:])
    writer = Writer(headers)
    parts = ['// Written by misuse.py from the public headers.\n#include "misuse_calls.h"\n']
    parts += [writer.write(*function) for function in headers.functions]
    parts.append('const Call calls[] = {')
    parts += [f'    {{"{function}", call_{function}}},' for _, function, _ in headers.functions]
    parts.append('    {NULL, NULL},\n};\n')
    if writer.missing:
        sys.exit('misuse.py: no good value for\n  ' + '\n  '.join(writer.missing))
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write('\n'.join(parts))


main()
