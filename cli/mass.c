// SPDX-License-Identifier: Apache-2.0
// carom mass: volume, mass, centre and inertia of what a mesh file closes.
#include "command.h"
#include "print.h"

#include "carom/shape.h"

#include <stdlib.h>
#include <string.h>

typedef struct MassArguments {
    const char *path;
    double density, scale;
    bool json;
} MassArguments;

static void log_with_path(void *user, const char *message) {
    const MassArguments *arguments = user;
    cli_error("%s: %s", arguments->path, message);
}

/// `--name VALUE` with a positive number.
static int read_number(int argc, char **argv, int *at, double *value) {
    if (*at + 1 >= argc) {
        return cli_usage_error("mass", "%s needs a number", argv[*at]);
    }
    char *rest = NULL;
    *value = strtod(argv[*at + 1], &rest);
    if (*rest != '\0' || !(*value > 0) || *value > 1e100) {
        return cli_usage_error("mass", "%s must be a positive number, got \"%s\"", argv[*at],
                               argv[*at + 1]);
    }
    ++*at;
    return CLI_OK;
}

static int read_arguments(int argc, char **argv, MassArguments *a) {
    static const char *const options[] = {"json", "density", "scale"};
    bool plain = false;
    for (int i = 0; i < argc; i++) {
        int code = CLI_OK;
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = true;
        } else if (!plain && strcmp(argv[i], "--json") == 0) {
            a->json = true;
        } else if (!plain && strcmp(argv[i], "--density") == 0) {
            code = read_number(argc, argv, &i, &a->density);
        } else if (!plain && strcmp(argv[i], "--scale") == 0) {
            code = read_number(argc, argv, &i, &a->scale);
        } else if (!plain && argv[i][0] == '-') {
            return cli_unknown_option("mass", argv[i], 3, options);
        } else if (a->path) {
            return cli_usage_error("mass", "mass takes one file");
        } else {
            a->path = argv[i];
        }
        if (code != CLI_OK) {
            return code;
        }
    }
    return a->path ? CLI_OK : cli_usage_error("mass", "mass needs a file");
}

/// In metres and kilograms.
static void apply_units(CaromSolid *s, double scale, double density) {
    double cube = scale * scale * scale;
    s->volume *= cube;
    s->centre = (CaromVec3){scale * s->centre.x, scale * s->centre.y, scale * s->centre.z};
    for (int i = 0; i < 9; i++) {
        s->inertia.m[i / 3][i % 3] *= density * cube * scale * scale;
    }
}

static void print_json(const CaromMesh *surface, const CaromSolid *s, double density,
                       const CaromPrincipal *p) {
    (void)printf("{\"vertices\": %d, \"triangles\": %d, \"volume\": %.17g, \"mass\": %.17g, "
                 "\"centre\": [%.17g, %.17g, %.17g], \"inertia\": [",
                 carom_mesh_vertex_count(surface), carom_mesh_triangle_count(surface), s->volume,
                 density * s->volume, s->centre.x, s->centre.y, s->centre.z);
    for (int i = 0; i < 3; i++) {
        (void)printf("%s[%.17g, %.17g, %.17g]", i ? ", " : "", s->inertia.m[i][0],
                     s->inertia.m[i][1], s->inertia.m[i][2]);
    }
    (void)printf("], \"principal_moments\": [%.17g, %.17g, %.17g], \"principal_rotation\": "
                 "{\"quaternion\": [%.17g, %.17g, %.17g, %.17g]}}\n",
                 p->moments[0], p->moments[1], p->moments[2], p->axes.w, p->axes.x, p->axes.y,
                 p->axes.z);
}

static void print_report(const CaromMesh *surface, const CaromSolid *s, double density,
                         const CaromPrincipal *p) {
    CliStyle style = cli_style();
    double size = cli_norm(s->centre), most = p->moments[2];
    (void)printf("%d triangles close %.10g m^3.\n", carom_mesh_triangle_count(surface), s->volume);
    (void)printf("  mass %.10g kg at %g kg/m^3\n", density * s->volume, density);
    cli_heading(&style, "Centre", "                        x            y            z");
    (void)printf("                  ");
    cli_vector(s->centre, size, "m");
    cli_heading(&style, "Inertia about it", "              x            y            z");
    for (int i = 0; i < 3; i++) {
        (void)printf("  %c               ", "xyz"[i]);
        cli_vector((CaromVec3){s->inertia.m[i][0], s->inertia.m[i][1], s->inertia.m[i][2]}, most,
                   "kg m^2");
    }
    CaromMat3 axes = carom_mat3_from_quat(p->axes);
    cli_heading(&style, "Principal moments", "        axis x            y            z");
    for (int i = 0; i < 3; i++) {
        (void)printf("  %-16.9g", p->moments[i]);
        cli_vector((CaromVec3){axes.m[0][i], axes.m[1][i], axes.m[2][i]}, 1, "");
    }
}

int cli_mass(int argc, char **argv) {
    MassArguments a = {.density = 1000, .scale = 1};
    int code = read_arguments(argc, argv, &a);
    if (code != CLI_OK) {
        return code;
    }
    CaromHost host = {.log = log_with_path, .user = &a};
    CaromMesh *surface = NULL;
    CaromSolid solid;
    CaromStatus status = carom_mesh_load(a.path, &host, &surface);
    if (status == CAROM_IO_ERROR) {
        return CLI_USAGE; // the message names the file already
    }
    if (status == CAROM_OK) {
        status = carom_mesh_solid(surface, &solid);
    }
    if (status == CAROM_OK) {
        apply_units(&solid, a.scale, a.density);
        CaromPrincipal principal = carom_principal(&solid.inertia);
        (a.json ? print_json : print_report)(surface, &solid, a.density, &principal);
    } else if (status == CAROM_NO_MEMORY) {
        cli_error("%s: out of memory", a.path);
    }
    carom_mesh_destroy(surface);
    return status == CAROM_OK ? CLI_OK : CLI_BAD_SCENE;
}
