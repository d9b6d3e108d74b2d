# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# After Verilator: BASE_fast.cpp, BASE_slow.cpp and BASE_trace.cpp include what it has generated for the class PREFIX, and
# BASE.d lists what it has read. cmake -D PREFIX=class -D BASE=path/class -D SETTLED=bool -D PYTHON3=path -P gather_verilated.cmake
#
# eval() of Verilator begins with all that depends on inputs, also where only the clock has changed. With SETTLED
# the class leaves that out where the clock is high: whoever drives it changes other inputs only while it is low.
# trace_tables.py shortens what declares the signals of a waveform.
include(${BASE}.cmake)
set(fast ${${PREFIX}_CLASSES_FAST})
set(slow ${${PREFIX}_CLASSES_SLOW} ${${PREFIX}_SUPPORT_SLOW})
set(trace ${${PREFIX}_SUPPORT_FAST})
foreach(part fast slow trace)
  set(text "")
  foreach(source ${${part}})
    cmake_path(GET source FILENAME name)
    if(SETTLED)
      file(READ ${source} code)
      string(REPLACE "= (0U == vlSelf->__VicoIterCount);" "= ((0U == vlSelf->__VicoIterCount) & ~vlSelf->clk_i);"
             settled "${code}")
      if(NOT settled STREQUAL code)
        file(WRITE ${source} "${settled}")
      endif()
    endif()
    string(APPEND text "#include \"${name}\"\n")
  endforeach()
  file(WRITE ${BASE}_${part}.cpp "${text}")
endforeach()
set(declarations ${${PREFIX}_SUPPORT_SLOW})
list(FILTER declarations INCLUDE REGEX "__Trace__")
if(declarations)
  execute_process(COMMAND ${PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/trace_tables.py ${declarations} COMMAND_ERROR_IS_FATAL ANY)
endif()
set(text "${BASE}_fast.cpp:")
foreach(source ${${PREFIX}_DEPS})
  cmake_path(ABSOLUTE_PATH source)
  list(APPEND text "${source}")
endforeach()
list(TRANSFORM text REPLACE " " "\\\\ ")
list(JOIN text " \\\n  " text)
file(WRITE ${BASE}.d "${text}\n")
