# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

muster_test(response_test response_test.cpp)
muster_verilate(response_test
  TOP_MODULE muster_response
  PREFIX Vresponse
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/cta/muster_response.sv
  VERILATOR_ARGS -Wno-lint --assert +incdir+${PROJECT_SOURCE_DIR}/rtl/common)
