# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(response ${CMAKE_CURRENT_BINARY_DIR}/response)  # what Verilator writes

muster_test(response_test response_test.cpp)
target_include_directories(response_test SYSTEM PRIVATE ${response})
target_compile_definitions(response_test PRIVATE VL_USER_STOP)
target_compile_options(response_test PRIVATE -Wno-unused-parameter)  # in Verilator's own sources
muster_verilate(response_test
  TOP_MODULE muster_response
  PREFIX Vresponse
  DIRECTORY ${response}
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/cta/muster_response.sv
  VERILATOR_ARGS -Wno-lint --assert +incdir+${PROJECT_SOURCE_DIR}/rtl/common)
