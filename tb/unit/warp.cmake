# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_warp_sources(sources)

muster_test(warp_test warp_test.cpp warp_times_test.cpp LIBS muster_traffic BUSY)
function(muster_warp_unit name)
  muster_verilate(warp_test
    TOP_MODULE muster_warp
    PREFIX Vwarp_${name}
    SOURCES ${sources}
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
muster_warp_unit(bare -GNumWarps=9 -GWarpSize=16 -GLanesPerBeat=8 -GEnCollectives=0 -GEnFaults=0)
