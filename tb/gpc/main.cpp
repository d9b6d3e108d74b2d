// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/gpc/gpc_regress.h"

int main(int argc, char** argv) { return muster::gpc::Regress(argc, argv); }
