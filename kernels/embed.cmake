# Joins the kernel sources, in the given order, into one C array.
#   cmake -DDIR=kernels "-DFILES=dialect.h;vec.h;..." -DOUT=kernels_cl.c -P embed.cmake
# Includes become blank lines and each file begins with #line, so that a build error of an OpenCL
# driver names the right file and line.
cmake_minimum_required(VERSION 3.20)
set(source "")
foreach(file IN LISTS FILES)
  file(READ "${DIR}/${file}" text)
  string(REGEX REPLACE "\n#include \"[^\n]*" "\n" text "\n${text}")
  string(APPEND source "#line 1 \"${file}\"${text}")
endforeach()
string(HEX "${source}" hex)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "extern const char kernels_cl[];\nconst char kernels_cl[] = {\n${bytes}0x00};\n")
