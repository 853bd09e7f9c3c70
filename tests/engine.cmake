# ---- the engine: every device, form and method

add_library(engine_ways STATIC ways.c made.c variants.c)
target_link_libraries(engine_ways PUBLIC testlib PkgConfig::XXHASH)

function(engine_test module)
  imp_test(${module} ${ARGN})
  target_link_libraries(test_${module} PRIVATE engine_ways)
endfunction()

engine_test(device)
target_link_options(test_device PRIVATE LINKER:--wrap=selftest)
engine_test(scan)
engine_test(segments)
engine_test(cell)
engine_test(bound)
engine_test(keep)
engine_test(hash)
engine_test(places)
engine_test(model)
engine_test(forgetful forgetful.c)
target_link_options(test_forgetful PRIVATE ${forgetful_wraps} LINKER:--wrap=selftest)
engine_test(units)
engine_test(prims)
engine_test(tets)
engine_test(broad)
engine_test(bv bv_worst.c)
engine_test(tree)
engine_test(rigid)
imp_test(slack)
engine_test(nearby)
engine_test(detect)
engine_test(limits)
engine_test(change)
engine_test(trouble)
target_link_options(test_trouble PRIVATE LINKER:--wrap=device_cancelled)
engine_test(valid)
engine_test(first)
engine_test(golden)
target_compile_definitions(test_golden PRIVATE IMP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# all kernels on a simulator that looks for races and what was never written, and by a compiler for
# GPUs
if(IMP_OPENCL)
  add_executable(oclgrind_main oclgrind_main.c ${kernel_objects})
  target_link_libraries(oclgrind_main PRIVATE engine_ways engine_objects scene_objects)
  add_test(NAME oclgrind COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/oclgrind.sh
    $<TARGET_FILE:oclgrind_main>)
  add_test(NAME gpu COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/gpu.sh ${PROJECT_BINARY_DIR}/kernels_cl.c
    ${PROJECT_SOURCE_DIR}/kernels/kernels.def 50) # per cent: 64 registers
endif()

# OpenCL as such: a driver of our own that goes wrong in every way, found by the loader through a
# folder of .icd files
if(IMP_OPENCL)
  add_library(fake_cl MODULE fake_cl.c ${kernel_objects})
  target_include_directories(fake_cl PRIVATE ${base_dir} ${device_dir} ${kernels_dir})
  target_link_libraries(fake_cl PRIVATE imp_flags Threads::Threads)
  engine_test(opencl fake_icd.c)
  imp_program_test(start fake_icd.c)
  foreach(test opencl start)
    target_compile_definitions(test_${test} PRIVATE IMP_FAKE_CL="$<TARGET_FILE:fake_cl>")
    target_link_libraries(test_${test} PRIVATE ${CMAKE_DL_LIBS})
    add_dependencies(test_${test} fake_cl)
  endforeach()
endif()
