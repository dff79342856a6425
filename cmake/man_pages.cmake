# Write man pages from what `carom help` says: cmake -D CAROM=build/carom -D FOLDER=build/man -P cmake/man_pages.cmake
function(help_of output)
  execute_process(COMMAND ${CAROM} help ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "carom help ${ARGN} failed")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${CAROM} --version OUTPUT_VARIABLE version)
string(REGEX MATCH "carom [0-9.]+" version "${version}")

# Text as troff shows it, line by line as it stands.
function(plain output text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# A page: its name, its one line, the first line or lines (synopsis), and the rest.
function(write_page name summary synopsis body others)
  string(TOUPPER "${name}" upper)
  plain(summary "${summary}")
  plain(synopsis "${synopsis}")
  plain(body "${body}")
  plain(shown "${name}")
  file(WRITE ${FOLDER}/${name}.1 ".TH ${upper} 1 \"\" \"${version}\" \"Carom\"
.SH NAME
${shown} \\- ${summary}
.SH SYNOPSIS
.nf
${synopsis}
.fi
.SH DESCRIPTION
.nf
${body}
.fi
.SH EXIT STATUS
0 solved, 1 not solved or not written, 2 usage, 3 bad scene.
.SH SEE ALSO
${others}
")
endfunction()

# Commands as the overview lists them.
help_of(overview)
string(REGEX MATCHALL "\n  carom [a-z]+ +[^\n]+" lines "${overview}")
set(pages "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^\n  carom ([a-z]+) +.*" "\\1" command "${line}")
  list(APPEND pages ".BR carom\\-${command} (1)")
endforeach()
list(JOIN pages ",\n" others)

write_page(carom "impact mechanics: how bodies move a moment after they collide"
  "carom COMMAND [ARGUMENT]..." "${overview}" "${others}")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^\n  carom ([a-z]+) +(.*)" "\\1" command "${line}")
  string(REGEX REPLACE "^\n  carom ([a-z]+) +(.*)" "\\2" summary "${line}")
  help_of(text ${command})
  # The synopsis ends where the summary stands; semicolons would be lists to CMake.
  string(FIND "${text}" "\n    ${summary}" at)
  string(SUBSTRING "${text}" 0 ${at} synopsis)
  string(LENGTH "\n    ${summary}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${text}" ${at} -1 body)
  string(STRIP "${body}" ignored)
  string(REGEX REPLACE "^\n+" "" body "${body}")
  string(REGEX REPLACE "\n+$" "" body "${body}")
  write_page(carom-${command} "${summary}" "${synopsis}" "${body}" ".BR carom (1)")
endforeach()
