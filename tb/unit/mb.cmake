# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(unit ${CMAKE_CURRENT_BINARY_DIR}/mb)  # what Verilator writes

muster_test(mb_test mb_oracle.cpp mb_word_test.cpp)
target_include_directories(mb_test SYSTEM PRIVATE ${unit})
target_compile_options(mb_test PRIVATE -Wno-unused-parameter)  # in Verilator's own sources
verilate(mb_test
  TOP_MODULE mb_word_flat
  PREFIX Vmb_word_flat
  DIRECTORY ${unit}
  SOURCES
    ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv
    ${PROJECT_SOURCE_DIR}/rtl/mbarrier/muster_mb_pkg.sv
    ${PROJECT_SOURCE_DIR}/rtl/mbarrier/muster_mb_word.sv
    mb_word_flat.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/scripts/waivers.vlt -Wall --assert
  OPT_FAST -O2)
