// A cube with an edge of 10 mm.
SetFactory("OpenCASCADE");
Box(1) = {-5, -5, 0, 10, 10, 10};
Physical Volume("cube") = {1};
Mesh.MeshSizeMin = 6;
Mesh.MeshSizeMax = 6;
