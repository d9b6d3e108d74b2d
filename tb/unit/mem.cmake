# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(rtl ${PROJECT_SOURCE_DIR}/rtl)
muster_read_file_list(${rtl}/muster.f mem_rtl mem_options)

# The adapter alone, and with a unit behind it.
muster_test(mem_test mem_test.cpp mem_unit_test.cpp LIBS muster_golden muster_port APART)
set(parameters_tcdm -GWriteAnswers=1'b1)
set(parameters_tcdm_silent -GWriteAnswers=1'b0)
set(parameters_obi -GOutstanding=2)
foreach(bus tcdm tcdm_silent obi)
  muster_verilate(mem_test
    TOP_MODULE muster_mem_port
    PREFIX V${bus}
    SOURCES ${rtl}/muster_pkg.sv ${rtl}/adapters/mem/muster_mem_port.sv
    VERILATOR_ARGS ${rtl}/muster.vlt +incdir+${rtl}/common -Wall -Wno-SYNCASYNCNET --assert
                   ${parameters_${bus}})
  muster_verilate(mem_test
    TOP_MODULE mem_unit_flat
    PREFIX Vunit_${bus}
    SOURCES ${mem_rtl} mem_unit_flat.sv
    VERILATOR_ARGS ${rtl}/muster.vlt ${mem_options} ${parameters_${bus}} +define+MUSTER_OBSERVE
                   -Wall -Wno-SYNCASYNCNET --assert
    OPT_FAST -O2)
endforeach()
