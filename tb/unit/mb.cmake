# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(rtl ${PROJECT_SOURCE_DIR}/rtl)
muster_read_file_list(${PROJECT_SOURCE_DIR}/tb/formal/mb_props.f props unused)  # bound to their units

muster_test(mb_test
  mb_clock_test.cpp mb_coalesce_test.cpp mb_oracle.cpp mb_word_test.cpp mbarrier_bench.cpp
  mbarrier_cycles_test.cpp mbarrier_test.cpp
  LIBS muster_golden muster_port APART BUSY)
muster_long_test(mb_test Mbarrier.NoWakeUpIsLost)
muster_verilate(mb_test
  TOP_MODULE mb_word_flat
  PREFIX Vmb_word_flat
  SOURCES
    ${rtl}/muster_pkg.sv ${rtl}/muster_cfg_pkg.sv ${rtl}/mbarrier/muster_mb_pkg.sv ${rtl}/mbarrier/muster_mb_look.sv
    ${rtl}/mbarrier/muster_mb_verdict.sv ${PROJECT_SOURCE_DIR}/tb/formal/mb_step.sv mb_word_flat.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -Wall --assert
  OPT_FAST -O2)
muster_verilate(mb_test
  TOP_MODULE mb_clock_flat
  PREFIX Vmb_clock_flat
  SOURCES
    ${rtl}/muster_pkg.sv ${rtl}/muster_cfg_pkg.sv ${rtl}/common/muster_mem_1r1w.sv ${rtl}/common/muster_ram.sv
    ${rtl}/mbarrier/muster_mb_park.sv mb_clock_flat.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -Wall -Wno-SYNCASYNCNET --assert
  OPT_FAST -O2)
set(parameters_coalesce "")
set(parameters_coalesce_small -GEnLanes=0 -GEnMbLimit=0)
foreach(variant coalesce coalesce_small)
  muster_verilate(mb_test
    TOP_MODULE muster_mb_coalesce
    PREFIX Vmb_${variant}
    SOURCES
      ${rtl}/muster_pkg.sv ${rtl}/common/muster_first.sv ${rtl}/mbarrier/muster_mb_coalesce.sv
    VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -Wall --assert ${parameters_${variant}}
    OPT_FAST -O2)
endforeach()
muster_cfg(cfg NumWarps=32 NumCtas=4 SmemBytes=4096 MbResponses=4 ClockPeriodPs=1500 WaitLimitNs=3000)
muster_verilate(mb_test
  TOP_MODULE muster_mbarrier
  PREFIX Vmuster_mbarrier
  SOURCES
    ${rtl}/muster_pkg.sv ${rtl}/muster_cfg_pkg.sv
    ${rtl}/common/muster_mem_1r1w.sv ${rtl}/common/muster_ram.sv ${rtl}/common/muster_rr_arbiter.sv
    ${rtl}/common/muster_turn_arbiter.sv ${rtl}/common/muster_stage.sv ${rtl}/common/muster_fifo.sv
    ${rtl}/common/muster_credit_queue.sv ${rtl}/common/muster_parking.sv ${rtl}/common/muster_drain.sv
    ${rtl}/mbarrier/muster_mb_pkg.sv ${rtl}/mbarrier/muster_mb_look.sv
    ${rtl}/mbarrier/muster_mb_verdict.sv ${rtl}/mbarrier/muster_mb_lanes.sv
    ${rtl}/mbarrier/muster_mb_amount.sv ${rtl}/mbarrier/muster_mb_update.sv
    ${rtl}/mbarrier/muster_mb_enter.sv ${rtl}/mbarrier/muster_mb_fetch.sv
    ${rtl}/mbarrier/muster_mb_pipe.sv ${rtl}/mbarrier/muster_mb_park.sv
    ${rtl}/mbarrier/muster_mbarrier.sv ${props}
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt +incdir+${rtl}/common -GCfg=${cfg} -Wall -Wno-SYNCASYNCNET --assert
  OPT_FAST -O2)
