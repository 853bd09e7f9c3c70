# Joins the kernel sources, in the given order, into one C array.
#   cmake -DDIR=kernels "-DFILES=dialect.h;lane.h;..." "-DFORMULAS=lane_vec.h;..." -DOUT=kernels_cl.c
#         -P embed.cmake
# Includes become blank lines, but those of formulas (lane.h) are replaced by the text, each time.
# Each file begins with #line, so that a build error of an OpenCL driver names the right file and
# line. Where IMP_PROGRAM is defined only the kernels of that program are there (programs.def); 0: of
# those of no other one.
cmake_minimum_required(VERSION 3.20)

# Replaces the #include of a formula in `text` by what it includes. `original` is the text before.
function(expand file formula)
  set(include "\n#include \"${formula}\"\n")
  string(FIND "${original}" "${include}" at)
  if(at EQUAL -1)
    return()
  endif()
  string(SUBSTRING "${original}" 0 ${at} before)
  string(REGEX MATCHALL "\n" lines "${before}\n\n")
  list(LENGTH lines next)
  file(READ "${DIR}/${formula}" inner)
  string(REPLACE "${include}"
    "\n#line 1 \"${formula}\"\n${inner}#line ${next} \"${file}\"\n" text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

# Sets `program` to the number of the one that a file of kernels belongs to.
file(STRINGS "${DIR}/programs.def" programs REGEX "^X")
function(program_of file)
  set(program 0 PARENT_SCOPE)
  foreach(line IN LISTS programs)
    string(REGEX MATCH "^X.([a-z]+), ([0-9]+)" line "${line}")
    set(number ${CMAKE_MATCH_2})
    if(file MATCHES "^${CMAKE_MATCH_1}[^a-z]")
      set(program ${number} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(source "")
foreach(file IN LISTS FILES)
  file(READ "${DIR}/${file}" original)
  set(original "\n${original}")
  set(text "${original}")
  foreach(formula IN LISTS FORMULAS)
    expand(${file} ${formula})
  endforeach()
  string(REGEX REPLACE "\n#include \"[^\n]*" "\n" text "${text}")
  if(file MATCHES "[.]cl$")
    program_of(${file})
    string(APPEND source "#if !defined IMP_PROGRAM || IMP_PROGRAM == ${program}\n")
    string(APPEND text "#endif\n")
  endif()
  string(APPEND source "#line 1 \"${file}\"${text}")
endforeach()
string(HEX "${source}" hex)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "extern const char kernels_cl[];\nconst char kernels_cl[] = {\n${bytes}0x00};\n")
