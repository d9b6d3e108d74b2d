# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

muster_test(bcu_test bcu_test.cpp bcu_decode_test.cpp LIBS muster_bcu muster_port BUSY)
muster_verilate(bcu_test
  TOP_MODULE muster_bcu_decode
  PREFIX Vbcu_decode
  SOURCES
    ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv
    ${PROJECT_SOURCE_DIR}/rtl/cta/muster_bcu_pkg.sv
    ${PROJECT_SOURCE_DIR}/rtl/common/muster_first.sv
    ${PROJECT_SOURCE_DIR}/rtl/cta/muster_bcu_decode.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -Wall -Wno-UNUSEDPARAM --assert
  OPT_FAST -O2)
