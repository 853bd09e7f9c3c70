# ---- the engine: every device, form and method

add_library(engine_ways STATIC lib/ways.c lib/made.c lib/variants.c lib/crowd.c lib/swept.c lib/tried.c)
target_link_libraries(engine_ways PUBLIC testlib PkgConfig::XXHASH)

function(engine_test file)
  imp_test(${file} ${ARGN})
  module_of(${file})
  target_link_libraries(test_${module} PRIVATE engine_ways)
  if(NOT module STREQUAL opencl) # whose devices fail it; device and forgetful have a selftest of their own
    target_link_options(test_${module} PRIVATE LINKER:--wrap=selftest)
  endif()
endfunction()

engine_test(units/device/test_device.c)
engine_test(units/device/test_scan.c)
engine_test(units/device/test_segments.c)
engine_test(units/kernels/test_cell.c)
engine_test(pipeline/test_bound.c)
engine_test(pipeline/test_keep.c)
engine_test(units/broad/test_hash.c)
engine_test(units/view/test_places.c)
engine_test(pipeline/test_model.c)
engine_test(pipeline/test_forgetful.c lib/forgetful.c)
target_link_options(test_forgetful PRIVATE ${forgetful_wraps})
engine_test(units/view/test_units.c)
engine_test(pipeline/test_prims.c)
engine_test(pipeline/test_tets.c)
engine_test(pipeline/test_broad.c)
engine_test(units/tree/test_bv.c units/tree/bv_worst.c)
engine_test(units/broad/test_tree.c)
engine_test(units/broad/test_tree_level.c)
engine_test(pipeline/test_rigid.c)
engine_test(pipeline/test_sweep.c)
engine_test(oracles/test_truth_swept.c)
engine_test(pipeline/test_still.c)
target_link_options(test_still PRIVATE LINKER:--wrap=mem_alloc,--wrap=mem_grow)
imp_test(pipeline/test_slack.c)
engine_test(units/objects/test_nearby.c)
engine_test(pipeline/test_detect.c)
engine_test(pipeline/test_limits.c)
engine_test(pipeline/test_change.c)
engine_test(pipeline/test_trouble.c)
target_link_options(test_trouble PRIVATE LINKER:--wrap=device_cancelled)
engine_test(pipeline/test_valid.c)
engine_test(pipeline/test_first.c)
engine_test(pipeline/test_golden.c)
target_compile_definitions(test_golden PRIVATE IMP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# all kernels on a simulator that looks for races and what was never written, and by a compiler for
# GPUs
if(IMP_OPENCL)
  add_executable(oclgrind_main units/kernels/oclgrind_main.c ${kernel_objects})
  target_link_libraries(oclgrind_main PRIVATE engine_ways engine_objects scene_objects)
  add_test(NAME oclgrind COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/units/kernels/oclgrind.sh
    $<TARGET_FILE:oclgrind_main>)
  add_test(NAME gpu COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/units/kernels/gpu.sh ${PROJECT_BINARY_DIR}/kernels_cl.c
    ${PROJECT_SOURCE_DIR}/kernels/kernels.def 50) # per cent: 64 registers
endif()

# OpenCL as such: a driver of our own that goes wrong in every way, found by the loader through a
# folder of .icd files
if(IMP_OPENCL)
  add_library(fake_cl MODULE lib/fake_cl.c ${kernel_objects})
  target_include_directories(fake_cl PRIVATE ${base_dir} ${device_dir} ${kernels_dir})
  target_link_libraries(fake_cl PRIVATE imp_flags Threads::Threads)
  engine_test(units/device/test_opencl.c lib/fake_icd.c)
  imp_program_test(program/test_start.c lib/fake_icd.c)
  foreach(test opencl start)
    target_compile_definitions(test_${test} PRIVATE IMP_FAKE_CL="$<TARGET_FILE:fake_cl>")
    target_link_libraries(test_${test} PRIVATE ${CMAKE_DL_LIBS})
    add_dependencies(test_${test} fake_cl)
  endforeach()
endif()
