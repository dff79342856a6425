# Write the files TEXTS as C into OUTPUT; cli/reference.h declares what is in it.
set(arrays "")
set(table "")
string(REPEAT "." 80 line)
list(SORT TEXTS)
foreach(text IN LISTS TEXTS)
  get_filename_component(name ${text} NAME_WLE)
  string(MAKE_C_IDENTIFIER text_${name} array)
  file(READ ${text} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const unsigned char ${array}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)${array}},\n")
endforeach()
list(LENGTH TEXTS count)
file(WRITE ${OUTPUT} "// Made by cmake/embed_reference.cmake.
#include \"reference.h\"

${arrays}
const CliReference cli_references[] = {
${table}};
const int cli_reference_count = ${count};
")
