# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(decoder ${CMAKE_CURRENT_BINARY_DIR}/bcu_decode)  # what Verilator writes

muster_test(bcu_test bcu_test.cpp bcu_decode_test.cpp LIBS muster_bcu)
target_include_directories(bcu_test SYSTEM PRIVATE ${decoder})
target_compile_options(bcu_test PRIVATE -Wno-unused-parameter)  # in Verilator's own sources
muster_verilate(bcu_test
  TOP_MODULE bcu_decode_flat
  PREFIX Vbcu_decode_flat
  DIRECTORY ${decoder}
  SOURCES
    ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv
    ${PROJECT_SOURCE_DIR}/rtl/cta/muster_bcu_pkg.sv
    ${PROJECT_SOURCE_DIR}/rtl/common/muster_first.sv
    ${PROJECT_SOURCE_DIR}/rtl/cta/muster_bcu_decode.sv
    bcu_decode_flat.sv
  VERILATOR_ARGS -Wall -Wno-UNUSEDPARAM --assert
  OPT_FAST -O2)
