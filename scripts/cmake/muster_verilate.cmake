# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# How the units are Verilated. Verilator's own verilate() asks for the list of generated files while CMake
# configures, and so Verilates each unit one after the other, and again as the first step of the build; it
# compiles them one by one, and the run-time library with each target. Here Verilator runs in the build
# only, and a unit is three sources that include all the others: what runs in every cycle, what runs once, and what
# writes a waveform. The last is three quarters of what runs in a cycle; so that it compiles fast, its functions are short.

# The run-time library, as it is and with hooks into the harness (sim/lockstep/CMakeLists.txt).
foreach(library muster_verilated muster_verilated_hooked)
  add_library(${library} STATIC EXCLUDE_FROM_ALL)
  set_target_properties(${library} PROPERTIES UNITY_BUILD OFF)  # not our sources
  foreach(source verilated verilated_fst_c verilated_threads)
    target_sources(${library} PRIVATE ${VERILATOR_ROOT}/include/${source}.cpp)
  endforeach()
  target_include_directories(${library} SYSTEM PUBLIC
                             ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
  target_compile_definitions(${library} PUBLIC VM_COVERAGE=0 VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
  target_compile_options(${library} PRIVATE -w)
  target_link_libraries(${library} PUBLIC Threads::Threads ZLIB::ZLIB)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_link_libraries(${library} PUBLIC atomic)  # GCC does without
  endif()
endforeach()

# The sources of the warp scope alone.
function(muster_warp_sources variable)
  muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f sources unused)
  list(FILTER sources INCLUDE REGEX
       "/(muster_pkg|muster_cfg_pkg|muster_mem_1r1w|muster_ram|muster_first|muster_lowest|muster_warp|muster_warp_[a-z_]*)\\.sv$")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# The sources of the atomics on shared memory alone, without what makes updates of lanes.
function(muster_atomics_sources variable)
  muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f sources unused)
  list(FILTER sources INCLUDE REGEX
       "/(muster_pkg|muster_cfg_pkg|muster_first|muster_stage|muster_atomics(_pkg|_update|_round|_float|_sums|_drain|_turn|_enter)?)\\.sv$")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# The sources of the cluster scope alone.
function(muster_cluster_sources variable)
  muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f sources unused)
  list(FILTER sources INCLUDE REGEX
       "/(muster_pkg|muster_cfg_pkg|muster_mem_1r1w|muster_ram|muster_first|muster_rr_arbiter|muster_skid|muster_stage|muster_atomics_pkg|muster_cluster[a-z_]*)\\.sv$")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# The configuration `small` with changes, NAME=VALUE each, as the parameter Cfg of a top module.
find_program(PYTHON3 python3 REQUIRED)
function(muster_cfg variable)
  execute_process(COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/scripts/common/configs.py --packed ${ARGN}
                  OUTPUT_VARIABLE packed OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} ${packed} PARENT_SCOPE)
endfunction()

# Adds to a target the class PREFIX, which simulates TOP_MODULE:
#
#   muster_verilate(TARGET PREFIX class TOP_MODULE module SOURCES file...
#     [VERILATOR_ARGS option...]  # waivers, parameters, what of it is traced
#     [OPT_FAST option...]        # how the compiler is to treat what runs in every cycle
#     [HOOKED]                    # failed assertions and $display come to the harness
#     [SETTLED])                  # inputs change only while clk_i is low (gather_verilated.cmake)
#
# Paths are those of the current folder or absolute. Verilator 5.006 cuts the name of a source at a space,
# so it is given the project's own by paths from the current folder, in which it runs.
function(muster_verilate target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "HOOKED;SETTLED" "PREFIX;TOP_MODULE" "SOURCES;VERILATOR_ARGS;OPT_FAST")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/verilated/${ARG_PREFIX})
  set(base ${folder}/${ARG_PREFIX})
  file(MAKE_DIRECTORY ${folder})
  set(words ${ARG_VERILATOR_ARGS} ${ARG_SOURCES})
  file(RELATIVE_PATH top ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR})
  foreach(tree rtl scripts sim tb)
    string(REPLACE "${PROJECT_SOURCE_DIR}/${tree}/" "${top}${tree}/" words "${words}")
  endforeach()
  set(gather ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/gather_verilated.cmake)
  add_custom_command(
    OUTPUT ${base}_fast.cpp ${base}_slow.cpp ${base}_trace.cpp
    BYPRODUCTS ${base}.h  # so that what includes it is compiled after it
    COMMAND ${VERILATOR_BIN} --cc --make cmake --prefix ${ARG_PREFIX} --Mdir ${folder}
            --top ${ARG_TOP_MODULE} ${words} --output-split-ctrace 300 -Wno-WIDTHCONCAT  # see rtl/muster.vlt
    COMMAND ${CMAKE_COMMAND} -D PREFIX=${ARG_PREFIX} -D BASE=${base} -D SETTLED=${ARG_SETTLED} -D PYTHON3=${PYTHON3} -P ${gather}
    DEPENDS ${gather} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/trace_tables.py  # what Verilator read is in the list of the last line
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPFILE ${base}.d
    VERBATIM)
  # Of a target that needs nothing, or Verilator would wait for all that the library is linked with.
  add_custom_target(${target}_${ARG_PREFIX} DEPENDS ${base}_fast.cpp)
  add_dependencies(${target} ${target}_${ARG_PREFIX})
  set_source_files_properties(${base}_fast.cpp PROPERTIES COMPILE_OPTIONS "-w;${ARG_OPT_FAST}")
  set_source_files_properties(${base}_slow.cpp PROPERTIES COMPILE_OPTIONS "-w;-O0")
  set_source_files_properties(${base}_trace.cpp PROPERTIES COMPILE_OPTIONS "-w;-O1")
  target_sources(${target} PRIVATE ${base}_fast.cpp ${base}_slow.cpp ${base}_trace.cpp)
  target_include_directories(${target} SYSTEM PUBLIC ${folder})
  target_link_libraries(${target} PUBLIC muster_verilated$<$<BOOL:${ARG_HOOKED}>:_hooked>)
endfunction()
