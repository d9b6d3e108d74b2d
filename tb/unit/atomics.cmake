# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_atomics_sources(sources)

muster_test(atomics_test atomics_lanes_test.cpp atomics_test.cpp LIBS muster_atomics_check muster_port muster_golden APART)
function(muster_atomics_unit name)
  muster_cfg(cfg ${ARGN})
  muster_verilate(atomics_test
    TOP_MODULE muster_atomics
    PREFIX Vatomics_${name}
    SOURCES ${sources}
    VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt +incdir+${PROJECT_SOURCE_DIR}/rtl/common
                   -GCfg=${cfg} -Wall -Wno-SYNCASYNCNET --assert
    OPT_FAST -O1)
endfunction()
muster_atomics_unit(small SmemBytes=4096)
muster_atomics_unit(full NumWarps=64 NumCtas=32 SmemBytes=262144)
muster_atomics_unit(one NumWarps=5 NumCtas=1 SmemBytes=64 EnDrain=0)
muster_atomics_unit(bare NumWarps=12 NumCtas=3 EnDrain=0 EnFaults=0 SmemBytes=1024)
muster_verilate(atomics_test
  TOP_MODULE muster_atomics_lanes
  PREFIX Vatomics_lanes
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_first.sv
          ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_pkg.sv
          ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_lanes.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -Wall --assert
  OPT_FAST -O1)
