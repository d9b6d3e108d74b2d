// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// libsystemc refers to an sc_main. This is one for programs that have a main of their own and call
// sc_start by themselves; they link the CMake target muster_sc_main. No library has it.
#include <systemc>

int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
