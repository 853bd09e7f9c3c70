# Runs before anything is installed, so that an installation is whole or does not begin: all that it copies is
# built, and each file can be written where it goes.
#
#   wanted   files of the build
#   into     where they go, relative to the prefix or absolute
#   built    the folder of the build
#   target   what CMake builds them by
function(refuse line)
  message(FATAL_ERROR "\n  impinge: nothing was installed: ${line}\n") # an indented line is not folded
endfunction()

# Of a folder it is tried: what permissions say is not all.
function(can_write path out)
  if(IS_DIRECTORY "${path}")
    execute_process(COMMAND mktemp -d "${path}/impinge.XXXXXX" OUTPUT_VARIABLE made OUTPUT_STRIP_TRAILING_WHITESPACE
      RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
      file(REMOVE_RECURSE "${made}")
    endif()
  else()
    execute_process(COMMAND test -w "${path}" RESULT_VARIABLE failed)
  endif()
  set(${out} TRUE PARENT_SCOPE)
  if(failed)
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

foreach(file IN LISTS wanted)
  if(NOT EXISTS "${file}")
    refuse("${file} is not built: cmake --build ${built} --target ${target}")
  endif()
endforeach()

if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_PREFIX}")
  refuse("the prefix ${CMAKE_INSTALL_PREFIX} does not begin with /")
endif()
if(NOT "$ENV{DESTDIR}" STREQUAL "" AND NOT IS_ABSOLUTE "$ENV{DESTDIR}")
  refuse("DESTDIR=$ENV{DESTDIR} does not begin with /")
endif()
set(folders)
foreach(file IN LISTS into)
  if(NOT IS_ABSOLUTE "${file}")
    set(file "${CMAKE_INSTALL_PREFIX}/${file}")
  endif()
  set(file "$ENV{DESTDIR}${file}")
  if(IS_DIRECTORY "${file}")
    refuse("${file} is a folder")
  endif()
  get_filename_component(folder "${file}" DIRECTORY)
  while(NOT EXISTS "${folder}" AND NOT IS_SYMLINK "${folder}") # what is not there will be made
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
  if(NOT IS_DIRECTORY "${folder}")
    refuse("${folder} is no folder")
  endif()
  list(APPEND folders "${folder}")
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
  can_write("${folder}" possible)
  if(NOT possible)
    refuse("${folder} cannot be written")
  endif()
endforeach()

# CMake writes a list of what it has installed, as the last thing. One that is there may be root's.
set(list "${built}/install_manifest.txt")
if(CMAKE_INSTALL_COMPONENT)
  set(list "${built}/install_manifest_${CMAKE_INSTALL_COMPONENT}.txt")
endif()
can_write("${built}" possible)
if(possible)
  file(REMOVE "${list}")
else()
  can_write("${list}" possible)
  if(NOT possible)
    refuse("${list} cannot be written")
  endif()
endif()
