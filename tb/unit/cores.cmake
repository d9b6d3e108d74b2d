# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(rtl ${PROJECT_SOURCE_DIR}/rtl)
muster_read_file_list(${rtl}/muster.f cores_rtl cores_options)

# Units behind the adapters for other projects' cores, and with the warp scheduler to start from.
muster_test(cores_test core_sim.cpp scheduler_test.cpp ventus_test.cpp vortex_test.cpp BUSY)
set(parameters_ventus "")
set(parameters_ventus_odd -GNumWarps=12 -GNumBlocks=3 -GWfIdWidth=4)
set(parameters_vortex "")
set(parameters_vortex_large -GNumWarps=32)
set(parameters_vortex_counts -GEndsCount=0 -GWarpSize=32)
set(parameters_vortex_sync -GEnSplit=0)
set(parameters_scheduler "")
foreach(variant scheduler ventus ventus_odd vortex vortex_large vortex_counts vortex_sync)
  string(REGEX MATCH "^[a-z]+" core ${variant})
  muster_verilate(cores_test
    TOP_MODULE ${core}_flat
    PREFIX V${variant}
    SOURCES ${cores_rtl} named_unit.sv ${core}_flat.sv
    VERILATOR_ARGS ${rtl}/muster.vlt ${cores_options} ${parameters_${variant}}
                   -Wall -Wno-SYNCASYNCNET --assert
    OPT_FAST -O2)
endforeach()
