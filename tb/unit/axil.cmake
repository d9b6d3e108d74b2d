# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(rtl ${PROJECT_SOURCE_DIR}/rtl)
muster_read_file_list(${rtl}/muster.f axil_rtl axil_options)
list(FILTER axil_rtl INCLUDE REGEX "/(muster_(cfg_)?pkg\\.sv|common/.*|adapters/axil/.*)$")

muster_test(axil_test
  axil_bus.cpp axil_model.cpp axil_pins.cpp axil_test.cpp axil_unit_test.cpp LIBS muster_golden muster_port BUSY)
math(EXPR version "${PROJECT_VERSION_MAJOR} << 16 | ${PROJECT_VERSION_MINOR} << 8 | ${PROJECT_VERSION_PATCH}")
target_compile_definitions(axil_test PRIVATE MUSTER_AXIL_TEST_VERSION=${version}U)
set(cfg_one NumWarps=8)
set(cfg_four NumWarps=64 NumCtas=32 NumIssue=4 EnReport=1)
set(cfg_odd NumWarps=5 NumCtas=3 EnReduce=0)
set(parameters_odd -GEnCounters=0)
foreach(variant one four odd)
  muster_cfg(cfg ${cfg_${variant}} EnState=0 EnLanes=0 SmemBytes=1024 MbResponses=8)
  muster_verilate(axil_test
    TOP_MODULE muster_axil
    PREFIX Vaxil_${variant}
    SOURCES ${axil_rtl}
    VERILATOR_ARGS ${rtl}/muster.vlt ${axil_options} -GCfg=${cfg} ${parameters_${variant}} -Wall -Wno-SYNCASYNCNET --assert
    OPT_FAST -O2)
endforeach()

# The unit with the adapter beside it.
muster_read_file_list(${rtl}/muster.f unit_rtl unit_options)
set(parameters_small "")
set(parameters_plain -GNumWarps=12 -GNumCtas=3 -GEnReduce=0)
set(parameters_ports -GNumWarps=12 -GNumCtas=3 -GEnReduce=0 -GNumIssue=2)
foreach(variant small plain ports)
  muster_verilate(axil_test
    TOP_MODULE axil_unit_flat
    PREFIX Vaxil_unit_${variant}
    SOURCES ${unit_rtl} axil_unit_flat.sv
    VERILATOR_ARGS ${unit_options} ${parameters_${variant}} +define+MUSTER_OBSERVE -Wno-lint --assert
    OPT_FAST -O1)  # they run for a second
endforeach()
