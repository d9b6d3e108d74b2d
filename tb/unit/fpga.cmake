# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
set(rtl ${PROJECT_SOURCE_DIR}/rtl/fpga)

muster_test(fpga_uart_test fpga_uart_test.cpp)
foreach(module uart_rx uart_tx)
  muster_verilate(fpga_uart_test
    TOP_MODULE muster_${module}
    PREFIX V${module}
    SOURCES ${rtl}/muster_${module}.sv
    VERILATOR_ARGS -Wall --assert
    OPT_FAST -O2)
endforeach()

# The board, as SimulatedBoard shows it.
muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f unit_sources unit_options)
muster_read_file_list(${rtl}/fpga.f board_sources board_options)
foreach(scope mb cta)  # the properties of the proofs, bound to their units
  muster_read_file_list(${PROJECT_SOURCE_DIR}/tb/formal/${scope}_props.f ${scope}_props unused)
  list(APPEND unit_sources ${${scope}_props})
endforeach()
add_library(muster_simulated_board fpga_board.cpp)
target_link_libraries(muster_simulated_board PUBLIC muster_board)
set(parameters_named -GEnMbarrier=1'b0)
set(parameters_whole "")  # as it is built
set(parameters_roomy -GSmemBytes=4096 -GMbResponses=4)
foreach(variant named whole roomy)
  muster_verilate(muster_simulated_board HOOKED
    TOP_MODULE muster_hx8k
    PREFIX Vhx8k_${variant}
    SOURCES ${unit_sources} ${board_sources} ${rtl}/muster_hx8k.sv fpga_pll.sv
    VERILATOR_ARGS ${unit_options} ${board_options} ${parameters_${variant}} -GClocksPerBit=4 -GGapCycles=1024
                   --assert -Wno-lint --x-assign fast --x-initial fast
    OPT_FAST -O3)
endforeach()

muster_test(fpga_test fpga_link_test.cpp fpga_lockstep_test.cpp
  LIBS muster_simulated_board muster_random muster_sc_main)

muster_long_test(fpga_test FpgaLockstep.Mbarriers)

# The same board behind a pseudo-terminal, and `muster run` on it.
add_executable(fpga_on_pty fpga_on_pty.cpp)
target_link_libraries(fpga_on_pty PRIVATE muster_simulated_board muster_sc_main)
if(NOT MUSTER_CONFIGS OR small IN_LIST MUSTER_CONFIGS)
  find_program(PYTHON3 python3 REQUIRED)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/fpga_run.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  execute_process(COMMAND ${PYTHON3} ${script} --list OUTPUT_VARIABLE cases
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" cases "${cases}")
  foreach(case ${cases})
    add_test(NAME board.${case} COMMAND ${PYTHON3} ${script} $<TARGET_FILE:muster>
                                        $<TARGET_FILE:fpga_on_pty> ${case})
    set_tests_properties(board.${case} PROPERTIES TIMEOUT 300)
  endforeach()
  foreach(case same_as_verilated with_mbarriers)
    muster_long_command(board.${case} fpga_on_pty ${PYTHON3} ${script} $<TARGET_FILE:muster> $<TARGET_FILE:fpga_on_pty> ${case})
  endforeach()
endif()
