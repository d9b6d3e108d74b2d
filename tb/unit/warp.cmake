# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f sources unused)
list(FILTER sources INCLUDE REGEX "/(muster_pkg|muster_mem_1r1w|muster_ram|muster_first|muster_warp[a-z_]*)\\.sv$")
list(FILTER sources EXCLUDE REGEX "muster_warps.sv$")

muster_test(warp_test warp_test.cpp LIBS muster_golden)
function(muster_warp_unit name)
  muster_verilate(warp_test
    TOP_MODULE warp_flat
    PREFIX Vwarp_${name}
    SOURCES ${sources} warp_flat.sv
    VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt +incdir+${PROJECT_SOURCE_DIR}/rtl/common
                   -Wall -Wno-SYNCASYNCNET --assert ${ARGN}
    OPT_FAST -O1)
endfunction()
muster_warp_unit(small -GNumWarps=8 -GLanesPerBeat=1)
muster_warp_unit(beat -GNumWarps=6 -GLanesPerBeat=8)
muster_warp_unit(full -GNumWarps=64 -GLanesPerBeat=32)
muster_warp_unit(sixteen -GNumWarps=4 -GLanesPerBeat=16)
muster_warp_unit(half -GNumWarps=12 -GWarpSize=16 -GLanesPerBeat=4)
muster_warp_unit(few -GNumWarps=5 -GWarpSize=4 -GLanesPerBeat=2)
muster_warp_unit(lean -GNumWarps=7 -GWarpSize=8 -GLanesPerBeat=2 -GEnFaults=0)
muster_warp_unit(apart -GNumWarps=8 -GLanesPerBeat=1 -GEnCollectives=0)
