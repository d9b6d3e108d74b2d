# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(rtl ${PROJECT_SOURCE_DIR}/rtl)

muster_test(copies_test copies_test.cpp)
muster_verilate(copies_test
  TOP_MODULE muster_copy_tracker
  PREFIX Vcopies
  SOURCES
    ${rtl}/muster_pkg.sv ${rtl}/common/muster_mem_1r1w.sv ${rtl}/common/muster_ram.sv
    ${rtl}/common/muster_rr_arbiter.sv ${rtl}/mbarrier/muster_copy_tracker.sv
  VERILATOR_ARGS ${rtl}/muster.vlt +incdir+${rtl}/common -Wall -Wno-SYNCASYNCNET --assert
                 -GNumWarps=6 -GEpochs=4 -GMaxOutstanding=3)
