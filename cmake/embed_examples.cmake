# Write the files SCENES as C into OUTPUT, sorted by name; cli/examples.h declares what is in it.
# Bytes, not string literals: those may have only 4095 characters.
set(arrays "")
set(table "")
string(REPEAT "." 80 line)
foreach(scene IN LISTS SCENES)
  get_filename_component(name ${scene} NAME_WLE)
  string(MAKE_C_IDENTIFIER text_${name} array)
  file(READ ${scene} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const unsigned char ${array}[] = {\n${bytes}0};\n")
  list(APPEND table "    {\"${name}\", (const char *)${array}},\n")
endforeach()
# The quote after a name sorts below every letter, digit and dash: "ball" comes before "ball-spin".
list(SORT table)
list(LENGTH table count)
string(JOIN "" table ${table})

file(WRITE ${OUTPUT} "// Made by cmake/embed_examples.cmake.
#include \"examples.h\"

${arrays}
const CliExample cli_examples[] = {
${table}    {0, 0},
};
const int cli_example_count = ${count};
")
