# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

muster_test(response_test response_test.cpp)
muster_verilate(response_test
  TOP_MODULE muster_credit_queue
  PREFIX Vresponse
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/common/muster_mem_1r1w.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_ram.sv
          ${PROJECT_SOURCE_DIR}/rtl/common/muster_fifo.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_credit_queue.sv
  VERILATOR_ARGS -GDepth=1 -Wno-lint --assert +incdir+${PROJECT_SOURCE_DIR}/rtl/common)
