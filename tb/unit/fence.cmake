# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f fence_rtl fence_options)

muster_test(fence_test fence_test.cpp LIBS muster_fence_check)
muster_verilate(fence_test
  TOP_MODULE muster_fence_tracker
  PREFIX Vtracker
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/common/muster_fence_tracker.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt ${fence_options} -Wall -Wno-SYNCASYNCNET --assert -GNumWarps=8 -GNumClasses=2
                 -GMaxOutstanding=3)
muster_verilate(fence_test
  TOP_MODULE template_flat
  PREFIX Vtemplate_flat
  SOURCES ${fence_rtl} template_flat.sv
  VERILATOR_ARGS ${fence_options} -Wno-lint --assert)  # wrong variants are verilated, too
