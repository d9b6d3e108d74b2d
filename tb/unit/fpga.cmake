# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(fpga ${CMAKE_CURRENT_BINARY_DIR}/fpga)  # what Verilator writes
set(rtl ${PROJECT_SOURCE_DIR}/rtl/fpga)

muster_test(fpga_uart_test fpga_uart_test.cpp)
target_include_directories(fpga_uart_test SYSTEM PRIVATE ${fpga}/uart_rx ${fpga}/uart_tx)
target_compile_options(fpga_uart_test PRIVATE -Wno-unused-parameter)  # in Verilator's own sources
foreach(module uart_rx uart_tx)
  verilate(fpga_uart_test
    TOP_MODULE muster_${module}
    PREFIX V${module}
    DIRECTORY ${fpga}/${module}
    SOURCES ${rtl}/muster_${module}.sv
    VERILATOR_ARGS -Wall --assert
    OPT_FAST -O2)
endforeach()

# The board, as SimulatedBoard shows it.
muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f unit_sources unit_options)
muster_read_file_list(${rtl}/fpga.f board_sources board_options)
add_library(muster_simulated_board fpga_board.cpp)
target_link_libraries(muster_simulated_board PUBLIC muster_board)
target_compile_definitions(muster_simulated_board PRIVATE VL_USER_STOP)
target_compile_options(muster_simulated_board PRIVATE -Wno-unused-parameter)  # Verilator's
foreach(variant cta mbarrier)
  set(mbarrier 0)
  if(variant STREQUAL mbarrier)
    set(mbarrier 1)
  endif()
  target_include_directories(muster_simulated_board SYSTEM PRIVATE ${fpga}/${variant})
  verilate(muster_simulated_board
    TOP_MODULE muster_hx8k
    PREFIX Vhx8k_${variant}
    DIRECTORY ${fpga}/${variant}
    SOURCES ${unit_sources} ${board_sources} ${rtl}/muster_hx8k.sv fpga_pll.sv
    VERILATOR_ARGS ${unit_options} -GEnMbarrier=1'b${mbarrier} -GClocksPerBit=4 -GGapCycles=1024
                   --assert -Wno-lint --x-assign fast --x-initial fast
    OPT_FAST -O3)
endforeach()

muster_test(fpga_test fpga_link_test.cpp fpga_lockstep_test.cpp
  LIBS muster_simulated_board muster_random)
