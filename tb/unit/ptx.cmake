# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_test(ptx_test
  ptx_arithmetic_test.cpp ptx_aligned_test.cpp ptx_barrier_test.cpp ptx_check_test.cpp ptx_cluster_test.cpp
  ptx_compiler_test.cpp ptx_copy_test.cpp ptx_corpus_async_test.cpp ptx_corpus_test.cpp
  ptx_endless_test.cpp ptx_fixture.cpp ptx_form_test.cpp ptx_forms.cpp
  ptx_grid_test.cpp ptx_half_test.cpp ptx_instruction_test.cpp ptx_language_test.cpp ptx_matrix_test.cpp
  ptx_direct_test.cpp ptx_launch_test.cpp ptx_leave_test.cpp ptx_manifest_test.cpp ptx_mbarrier_misuse_test.cpp
  ptx_mbarrier_test.cpp ptx_memory_test.cpp ptx_note_test.cpp ptx_parser_test.cpp ptx_rows.cpp
  ptx_schedule.cpp ptx_schedule_copy_test.cpp ptx_schedule_file_test.cpp ptx_schedule_random_test.cpp ptx_schedule_test.cpp
  ptx_sequence_test.cpp ptx_sleep_test.cpp ptx_source_test.cpp ptx_symbol_test.cpp ptx_tensor_kernel.cpp ptx_tensor_memory_test.cpp
  ptx_tensor_product_test.cpp ptx_tensor_copy_test.cpp ptx_tensor_map_test.cpp ptx_tensor_test.cpp ptx_timeline_test.cpp ptx_tolerance_test.cpp
  ptx_video_test.cpp ptx_warp_port_test.cpp ptx_warp_test.cpp ptx_wgmma_misuse_test.cpp
  ptx_wgmma_test.cpp ptx_programmatic_test.cpp ptx_bulk_test.cpp ptx_atomic_test.cpp

  ptx_small_forms_test.cpp ptx_sparse_test.cpp ptx_wmma_test.cpp
  ptx_opaque_test.cpp ptx_registers_test.cpp ptx_table_test.cpp ptx_tensor_movement_test.cpp
  ptx_tensor_scaled_test.cpp ptx_wgmma_sparse_test.cpp ptx_multimem_test.cpp ptx_texture_test.cpp
  ptx_wait_text_test.cpp ptx_debug_types_test.cpp ptx_report_test.cpp ptx_multicast_test.cpp
  ptx_async_store_test.cpp ptx_tensor_release_test.cpp
  LIBS muster_ptx)
set_source_files_properties(ptx_table_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS
  "MUSTER_INSTRUCTIONS=\"${PROJECT_SOURCE_DIR}/sim/ptx/INSTRUCTIONS.md\";MUSTER_INSTRUCTION_NAMES=\"${PROJECT_SOURCE_DIR}/tb/unit/ptx_instructions.txt\"")
# Their helpers have short names, which those of other tests have, too.
set_source_files_properties(ptx_multimem_test.cpp ptx_tensor_movement_test.cpp ptx_tensor_scaled_test.cpp
  ptx_texture_test.cpp ptx_wgmma_sparse_test.cpp ptx_multicast_test.cpp ptx_report_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
