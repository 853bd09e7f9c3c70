# CMake's toolchain file for wheels: gcc, with the headers and libraries of wheel_root.sh in place of this system's.
# WHEEL_ROOT is its folder, WHEEL_ARCH the processor.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WHEEL_ROOT WHEEL_ARCH)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${WHEEL_ARCH})
set(CMAKE_C_COMPILER ${WHEEL_ARCH}-linux-gnu-gcc)
set(CMAKE_SYSROOT ${WHEEL_ROOT}/root)
set(lib ${CMAKE_SYSROOT}/usr/lib/${WHEEL_ARCH}-linux-gnu)

# programs are this machine's, all else is the root's; the root's
# libraries come before gcc's, which has a libgomp.so and beginnings of programs for this glibc
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-B${lib} -L${lib} -Wl,--exclude-libs,ALL")
endforeach()
set(OpenMP_gomp_LIBRARY ${lib}/libgomp.so CACHE FILEPATH "OpenMP, by a text that names libgomp.a")

set(HDF5_C_COMPILER_EXECUTABLE OFF CACHE STRING "h5cc would tell of this machine's HDF5")
set(ENV{PKG_CONFIG_LIBDIR} ${WHEEL_ROOT}/root/usr/lib/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
