// SPDX-License-Identifier: Apache-2.0
// Mesh files: real ones of Gmsh and TetGen, and broken ones, each with the line it is broken in.
#include "soft_fixture.h"

static const char gmsh_2[] = "$MeshFormat\n"
                             "2.2 0 8\n"
                             "$EndMeshFormat\n"
                             "$Nodes\n"
                             "5\n"
                             "1 0 0 0\n"
                             "2 1 0 0\n"
                             "3 0 1 0\n"
                             "4 0 0 1\n"
                             "7 0 0 -1\n"
                             "$EndNodes\n"
                             "$Elements\n"
                             "3\n"
                             "1 2 2 0 1 1 2 3\n"
                             "2 4 2 0 1 1 2 3 4\n"
                             "3 4 2 0 1 1 3 2 7\n"
                             "$EndElements\n";

static const char gmsh_4[] = "$MeshFormat\n"
                             "4.1 0 8\n"
                             "$EndMeshFormat\n"
                             "$Nodes\n"
                             "2 5 1 7\n"
                             "2 1 1 3\n"
                             "1\n"
                             "2\n"
                             "3\n"
                             "0 0 0 0.5 0.5\n"
                             "1 0 0 0.5 0.5\n"
                             "0 1 0 0.5 0.5\n"
                             "3 1 0 2\n"
                             "4\n"
                             "7\n"
                             "0 0 1\n"
                             "0 0 -1\n"
                             "$EndNodes\n"
                             "$Elements\n"
                             "2 3 1 3\n"
                             "2 1 2 1\n"
                             "1 1 2 3\n"
                             "3 1 4 2\n"
                             "2 1 2 3 4\n"
                             "3 1 3 2 7\n"
                             "$EndElements\n";

static const char node_text[] = "# nodes\n5 3 1 1\n1 0 0 0 9 1\n2 1 0 0 9 1 # a comment\n\n"
                                "3 0 1 0 9 1\n4 0 0 1 9 1\n7 0 0 -1 9 1\n";
static const char ele_text[] = "2 4 1\n1 1 2 3 4 5\n2 1 3 2 7 5\n# end\n";

static void check_two(const CaromSoftMesh *mesh) {
    CHECK_INT(mesh->node_count, 5);
    CHECK_INT(mesh->tetrahedron_count, 2);
    CHECK_INT(mesh->surface_count, 6);
    CHECK_NEAR(carom_soft_measure(mesh, NULL).volume, 1.0 / 3, 1e-15); // rounding
    CHECK_NEAR(mesh->nodes[4].z, -1, 0);                               // exact
}

TEST(small_files) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_parse_gmsh(gmsh_2, sizeof gmsh_2 - 1, NULL, &mesh) == CAROM_OK);
    check_two(mesh);
    carom_soft_mesh_destroy(mesh);
    CHECK(carom_soft_mesh_parse_gmsh(gmsh_4, sizeof gmsh_4 - 1, NULL, &mesh) == CAROM_OK);
    check_two(mesh);
    carom_soft_mesh_destroy(mesh);
    CHECK(carom_soft_mesh_parse_tetgen(node_text, sizeof node_text - 1, ele_text,
                                       sizeof ele_text - 1, NULL, &mesh) == CAROM_OK);
    check_two(mesh);
    carom_soft_mesh_destroy(mesh);
}

// Files as Gmsh 4.8 and TetGen 1.5 wrote them: a cube of edge 10.
TEST(real_files) {
    static const char *const files[] = {
        "tests/data/meshes/cube-2.2.msh",       "tests/data/meshes/cube-4.1.msh",
        "tests/data/meshes/cube-all-4.1.msh",   "tests/data/meshes/cube.node",
        "tests/data/meshes/cube.ele",           "tests/data/meshes/cube-binary.msh",
        "tests/data/meshes/cube-binary-2.2.msh"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CaromSoftMesh *mesh = NULL;
        CHECK(carom_soft_mesh_load(files[i], NULL, &mesh) == CAROM_OK);
        if (mesh) {
            CaromSoftMeasure measure = carom_soft_measure(mesh, NULL);
            CHECK_NEAR(measure.volume, 1000, 1e-9); // the 16 digits of the file
            CHECK_NEAR(measure.low.z, 0, 1e-15);    // the same
            CHECK_NEAR(measure.high.z, 10, 1e-14);  // the same
            CHECK_NEAR(measure.mass_centre.z, 5, 1e-12);
        }
        carom_soft_mesh_destroy(mesh);
    }
}

TEST(cannot_load) {
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_load("no/such.msh", &host, &mesh) == CAROM_IO_ERROR);
    CHECK_STRING(messages.text, "no/such.msh: cannot read: No such file or directory");
    host = listening_host(&messages);
    CHECK(carom_soft_mesh_load("no/such.ele", &host, &mesh) == CAROM_IO_ERROR);
    CHECK_STRING(messages.text, "no/such.node: cannot read: No such file or directory");
    host = listening_host(&messages);
    CHECK(carom_soft_mesh_load("cube.stl", &host, &mesh) == CAROM_UNSUPPORTED);
    CHECK_STRING(messages.text, "cube.stl: not a .msh, .node or .ele file");
}

// ---- Broken files ----------------------------------------------------------------------------

/// What is replaced in a good file, by what, and what is said then.
typedef struct Break {
    const char *from, *to, *message;
} Break;

/// The text with the first `from` replaced.
static size_t replace(const char *text, const Break *b, char *out, size_t size) {
    const char *at = strstr(text, b->from);
    CHECK(at != NULL);
    (void)snprintf(out, size, "%.*s%s%s", (int)(at - text), text, b->to, at + strlen(b->from));
    return strlen(out);
}

static void check_gmsh(const char *good, const Break *breaks, int count) {
    for (int i = 0; i < count; i++) {
        char text[2048];
        Messages messages;
        CaromHost host = listening_host(&messages);
        CaromSoftMesh *mesh = NULL;
        size_t length = replace(good, &breaks[i], text, sizeof text);
        CHECK(carom_soft_mesh_parse_gmsh(text, length, &host, &mesh) == CAROM_BAD_DATA);
        CHECK_STRING(messages.text, breaks[i].message);
    }
}

TEST(broken_gmsh_2) {
    static const Break breaks[] = {
        {"$MeshFormat", "$Mesh", "line 1: this section has no end"},
        {"$MeshFormat\n", "", "line 1: not a Gmsh mesh: no $MeshFormat"},
        {"2.2 0 8\n", "2.2 1 4\n", "byte 20: numbers of 4 bytes; only 8 are supported"},
        {"2.2 0 8\n", "2.2 1 8\n",
         "byte 24: written on a machine with another order of bytes; "
         "save it as text (gmsh FILE -save -o NEW.msh)"},
        {"2.2 0 8", "3.0 0 8", "line 2: version 3; save it as 2.2 or 4.1 (gmsh -format msh41)"},
        {"2.2 0 8", "2.2 0", "line 2: the size of a number is missing"},
        {"2.2 0 8", "two", "line 2: version must be a finite number, got \"two\""},
        {"$EndMeshFormat", "$EndFormat", "line 3: $EndMeshFormat must stand here"},
        {"$Nodes\n5", "$Nodes\nfive", "line 5: nodes must be a whole number, got \"five\""},
        {"$Nodes\n5", "$Nodes\n-5",
         "line 5: nodes must be in [0, 9223372036854775807], got \"-5\""},
        {"$Nodes\n5", "$Nodes\n500000",
         "line 5: 500000 nodes cannot be in the 128 bytes that follow"},
        {"$Nodes\n5", "$Nodes\n99999999999999999999",
         "line 5: nodes must be in [0, 9223372036854775807], got \"99999999999999999999\""},
        {"$Nodes\n5", "$Nodes\n4", "line 10: $EndNodes must stand here"},
        {"$Nodes\n5", "$Nodes\n6",
         "line 11: the number of a node must be a whole number, got \"$EndNodes\""},
        {"3 0 1 0\n", "3 0 1\n", "line 8: z is missing"},
        {"3 0 1 0\n", "3 0 1 0 0\n", "line 8: what follows must be a new line, got \"0\""},
        {"3 0 1 0\n", "3 0 1e999 0\n", "line 8: y must be a finite number, got \"1e999\""},
        {"3 0 1 0\n", "3 0 nan 0\n", "line 8: y must be a finite number, got \"nan\""},
        {"3 0 1 0\n", "3 0 1.2.3 0\n", "line 8: y must be a finite number, got \"1.2.3\""},
        {"3 0 1 0\n", "2 0 1 0\n", "line 8: node 2 is listed twice"},
        {"7 0 0 -1\n", "7 0 0 1\n",
         "line 16: tetrahedron is inverted: its nodes turn the other "
         "way than most"},
        {"1 2 2 0 1 1 2 3", "1 2", "line 14: the number of tags is missing"},
        {"2 4 2 0 1 1 2 3 4", "2 4 2 0 1 1 2 3", "line 15: a node of a tetrahedron is missing"},
        {"2 4 2 0 1 1 2 3 4", "2 4 2 0 1 1 2 3 4 5",
         "line 15: what follows must be a new line, got \"5\""},
        {"2 4 2 0 1 1 2 3 4", "2 4 2 0 1 1 2 3 9", "line 15: there is no node 9"},
        {"2 4 2 0 1 1 2 3 4", "2 4 2 0 1 1 2 3 3", "line 15: tetrahedron has the same node twice"},
        {"2 4 2 0 1 1 2 3 4", "2 11 2 0 1 1 2 3 4 5 6 7 8 9 10",
         "line 15: second-order tetrahedra; save linear ones"},
        {"2 4 2 0 1 1 2 3 4", "2 5 2 0 1 1 2 3 4 5 6 7 8",
         "line 15: elements of type 5, only tetrahedra are known"},
        {"3 4 2 0 1 1 3 2 7", "3 2 2 0 1 1 3 2", "line 10: node belongs to no tetrahedron"},
        {"$EndElements\n", "",
         "line 16: the file ends here, but the end of the section must "
         "follow"},
        {"$Elements", "$Element", "line 12: this section has no end"},
        {"$Elements\n3\n", "$Elements\n0\n", "line 14: $EndElements must stand here"},
        {"$EndElements\n", "$EndElements\njunk\n",
         "line 18: a section such as $Nodes must start here"},
        {"$EndElements\n", "$EndElements\n$Nodes\n0\n$EndNodes\n", "line 18: a second $Nodes"},
    };
    check_gmsh(gmsh_2, breaks, sizeof breaks / sizeof *breaks);
}

TEST(broken_gmsh_4) {
    static const Break breaks[] = {
        {"2 5 1 7\n", "2 5 1\n", "line 5: the highest number is missing"},
        {"2 5 1 7\n", "1 5 1 7\n", "line 12: the blocks lack 2 nodes"},
        {"2 5 1 7\n", "3 5 1 7\n",
         "line 18: the dimension must be a whole number, got "
         "\"$EndNodes\""},
        {"2 5 1 7\n", "2 4 1 7\n", "line 13: a block of 2, but only 1 are left"},
        {"2 5 1 7\n", "2 4000000 1 7\n",
         "line 5: 4000000 nodes cannot be in the 166 bytes that follow"},
        {"2 1 1 3\n", "2 1 0 3\n", "line 10: what follows must be a new line, got \"0.5\""},
        {"2 1 1 3\n", "5 1 1 3\n", "line 6: the dimension must be in [0, 3], got \"5\""},
        {"1 0 0 0.5 0.5\n", "1 0 0 0.5\n", "line 11: a parameter is missing"},
        {"0 0 -1\n", "0 0 minus\n", "line 17: z must be a finite number, got \"minus\""},
        {"0 0 1\n", "0 0 0\n",
         "line 24: tetrahedron is flat: its volume is 0, its longest edge "
         "1.41"},
        {"3 1 4 2\n", "3 1 6 2\n", "line 23: elements of type 6, only tetrahedra are known"},
        {"2 3 1 3\n", "2 9 1 3\n", "line 25: the blocks lack 6 elements"},
        {"2 1 2 3 4\n", "2 1 2 3 x\n",
         "line 24: a node of a tetrahedron must be a whole number, got \"x\""},
        {"$Elements", "$Nodes\n", "line 19: a second $Nodes"},
    };
    check_gmsh(gmsh_4, breaks, sizeof breaks / sizeof *breaks);
}

// The type of an element is a number of four bytes: 257 is none, though its lowest byte is that of
// a line.
TEST(broken_binary_gmsh) {
    char bytes[8192];
    FILE *file = fopen("tests/data/meshes/cube-binary-2.2.msh", "rb");
    CHECK(file != NULL);
    if (file == NULL) {
        return;
    }
    size_t length = fread(bytes, 1, sizeof bytes, file), at = 0;
    (void)fclose(file);
    static const char before[] = "$Elements\n100\n";
    while (at + sizeof before < length && memcmp(bytes + at, before, sizeof before - 1) != 0) {
        at++;
    }
    memcpy(bytes + at + sizeof before - 1, (int32_t[3]){257, 1, 0}, 3 * sizeof(int32_t));
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_parse_gmsh(bytes, length, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(strstr(messages.text, "elements of type 257, only tetrahedra are known") != NULL);
}

TEST(elements_before_nodes) {
    static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n";
    static const char early[] = "$Nodes\n0\n$EndNodes\n";
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_parse_gmsh(text, sizeof text - 1, &host, &mesh) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "line 4: $Elements before $Nodes");
    host = listening_host(&messages);
    CHECK(carom_soft_mesh_parse_gmsh(early, sizeof early - 1, &host, &mesh) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "line 1: $MeshFormat must come first");
    host = listening_host(&messages);
    CHECK(carom_soft_mesh_parse_gmsh("", 0, &host, &mesh) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "line 1: not a Gmsh mesh: no $MeshFormat");
}

/// A break of one of the two files of TetGen.
static void check_tetgen(const Break *b, bool nodes) {
    char text[1024];
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    size_t length = replace(nodes ? node_text : ele_text, b, text, sizeof text);
    CaromStatus status = nodes ? carom_soft_mesh_parse_tetgen(text, length, ele_text,
                                                              sizeof ele_text - 1, &host, &mesh)
                               : carom_soft_mesh_parse_tetgen(node_text, sizeof node_text - 1, text,
                                                              length, &host, &mesh);
    CHECK(status == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, b->message);
}

TEST(broken_tetgen) {
    static const Break node_breaks[] = {
        {"5 3 1 1", "5 2 1 1", ".node: line 2: the dimension must be in [3, 3], got \"2\""},
        {"5 3 1 1", "4 3 1 1", ".node: line 8: more follows than the first line announces"},
        {"5 3 1 1", "6 3 1 1", ".node: line 8: the file ends here, but a node must follow"},
        {"3 0 1 0 9 1", "3 0 1 0 9", ".node: line 6: an attribute is missing"},
        {"3 0 1 0 9 1", "3 0 1 0 9 1 1",
         ".node: line 6: what follows must be a new line, got \"1\""},
        {"3 0 1 0 9 1", "2 0 1 0 9 1", ".node: line 6: node 2 is listed twice"},
        {"4 0 0 1 9 1", "4 0 0 0 9 1",
         ".ele: line 2: tetrahedron is flat: its volume is 0, its longest edge 1.41"},
    };
    static const Break ele_breaks[] = {
        {"2 4 1", "2 10 1", ".ele: line 1: 10 nodes per tetrahedron; save linear ones with 4"},
        {"2 1 3 2 7 5", "2 1 3 2 7", ".ele: line 3: an attribute is missing"},
        {"2 1 3 2 7 5", "2 1 3 2 8 5", ".ele: line 3: there is no node 8"},
        {"2 4 1", "1 4 1", ".ele: line 3: more follows than the first line announces"},
        {"2 4 1\n", "", ".ele: line 1: nodes per tetrahedron must be in [4, 10], got \"1\""},
        {"2 1 3 2 7 5", "2 1 2 3 4 5", ".node: line 8: node belongs to no tetrahedron"},
    };
    for (size_t i = 0; i < sizeof node_breaks / sizeof *node_breaks; i++) {
        check_tetgen(&node_breaks[i], true);
    }
    for (size_t i = 0; i < sizeof ele_breaks / sizeof *ele_breaks; i++) {
        check_tetgen(&ele_breaks[i], false);
    }
}

// Windows line ends, blanks and control characters; bytes of zero are no way past a check.
TEST(odd_bytes) {
    char text[2048];
    size_t length = 0;
    CaromSoftMesh *mesh = NULL;
    for (const char *c = gmsh_2; *c; c++) {
        if (*c == '\n') {
            text[length++] = ' ';
            text[length++] = '\r';
        }
        text[length++] = *c;
    }
    CHECK(carom_soft_mesh_parse_gmsh(text, length, NULL, &mesh) == CAROM_OK);
    check_two(mesh);
    carom_soft_mesh_destroy(mesh);

    Messages messages;
    CaromHost host = listening_host(&messages);
    memcpy(text, gmsh_2, sizeof gmsh_2);
    *strstr(text, "1 0 0\n3") = '\0'; // the x of node 2
    CHECK(carom_soft_mesh_parse_gmsh(text, sizeof gmsh_2 - 1, &host, &mesh) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "line 7: x must be a finite number, got \"?\"");
    host = listening_host(&messages);
    memcpy(text, gmsh_2, sizeof gmsh_2);
    strstr(text, "1 0 0\n3")[0] = '\033'; // an escape must not reach a terminal
    CHECK(carom_soft_mesh_parse_gmsh(text, sizeof gmsh_2 - 1, &host, &mesh) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "line 7: x must be a finite number, got \"?\"");
}
