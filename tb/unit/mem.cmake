# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(rtl ${PROJECT_SOURCE_DIR}/rtl)

muster_test(mem_test mem_test.cpp)
set(parameters_tcdm -GWriteAnswers=1'b1)
set(parameters_tcdm_silent -GWriteAnswers=1'b0)
set(parameters_obi -GOutstanding=2)
foreach(variant tcdm tcdm_silent obi)
  string(REGEX MATCH "^[a-z]+" bus ${variant})
  muster_verilate(mem_test
    TOP_MODULE muster_${bus}
    PREFIX V${variant}
    SOURCES ${rtl}/muster_pkg.sv ${rtl}/adapters/mem/muster_mem_port.sv ${rtl}/adapters/mem/muster_${bus}.sv
    VERILATOR_ARGS ${rtl}/muster.vlt +incdir+${rtl}/common -Wall -Wno-SYNCASYNCNET --assert
                   ${parameters_${variant}})
endforeach()
