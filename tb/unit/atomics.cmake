# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_atomics_sources(sources)

muster_test(atomics_test atomics_assert_test.cpp atomics_float_test.cpp atomics_lanes_test.cpp atomics_test.cpp atomics_time_test.cpp LIBS muster_atomics_check muster_port muster_golden BUSY)
function(muster_atomics_unit name floats wide)
  muster_cfg(cfg ${ARGN})
  muster_verilate(atomics_test
    TOP_MODULE muster_atomics
    PREFIX Vatomics_${name}
    SOURCES ${sources}
    VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt +incdir+${PROJECT_SOURCE_DIR}/rtl/common
                   -GCfg=${cfg} -GFloats=${floats} -GEn128=1'b${wide} -GEnRemote=1'b1 -Wall -Wno-SYNCASYNCNET --assert
    OPT_FAST -O1)
endfunction()
muster_atomics_unit(small 3 1 SmemBytes=4096)
muster_atomics_unit(full 2 1 NumWarps=64 NumCtas=32 SmemBytes=262144)
muster_atomics_unit(one 1 0 NumWarps=5 NumCtas=1 SmemBytes=64 EnDrain=0)
muster_atomics_unit(bare 0 1 NumWarps=12 NumCtas=3 EnDrain=0 EnFaults=0 SmemBytes=1024)
# The adder of floating-point numbers alone.
function(muster_atomics_float name floats)
  muster_verilate(atomics_test
    TOP_MODULE muster_atomics_float
    PREFIX Vatomics_float_${name}
    SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_first.sv
            ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_pkg.sv
            ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_round.sv
            ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_float.sv
    VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -GFloats=${floats} -Wall
    OPT_FAST -O1)
endfunction()
muster_atomics_float(single 1)
muster_atomics_float(to_single 2)
muster_atomics_float(all 3)
muster_verilate(atomics_test
  TOP_MODULE muster_atomics_lanes
  PREFIX Vatomics_lanes
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_first.sv
          ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_pkg.sv
          ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_lanes.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -Wall --assert
  OPT_FAST -O1)
muster_verilate(atomics_test
  TOP_MODULE muster_remote_split
  PREFIX Vremote_split
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_first.sv
          ${PROJECT_SOURCE_DIR}/rtl/common/muster_mem_1r1w.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_ram.sv
          ${PROJECT_SOURCE_DIR}/rtl/common/muster_fifo.sv ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_pkg.sv
          ${PROJECT_SOURCE_DIR}/rtl/muster_remote_split.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt +incdir+${PROJECT_SOURCE_DIR}/rtl/common -Wall -Wno-SYNCASYNCNET --assert
  OPT_FAST -O1)
