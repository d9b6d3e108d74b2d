# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_test(tlm_test tlm_fixture.cpp tlm_platform_test.cpp tlm_socket_test.cpp tlm_time_test.cpp
  tlm_wait_test.cpp
  LIBS muster_tlm muster_sc_main)
target_compile_definitions(tlm_test PRIVATE
  TLM_PLATFORM="$<TARGET_FILE:tlm_platform>"
  TLM_LIBRARY="$<TARGET_FILE:muster_tlm>"
  GOLDEN_LIBRARY="$<TARGET_FILE:muster_golden>"
  TLM_FILES="${CMAKE_CURRENT_BINARY_DIR}/tlm_files")
add_dependencies(tlm_test tlm_platform)
