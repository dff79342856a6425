// Two cubes that do not touch.
SetFactory("OpenCASCADE");
Box(1) = {-5, -5, 0, 10, 10, 10};
Box(2) = {-5, -5, 20, 10, 10, 10};
Physical Volume("cubes") = {1, 2};
Mesh.MeshSizeMin = 20;
Mesh.MeshSizeMax = 20;
