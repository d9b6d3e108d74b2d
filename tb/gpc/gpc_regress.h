// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The program of the regression, whose GPC is the one that is linked with it.
#ifndef MUSTER_TB_GPC_GPC_REGRESS_H_
#define MUSTER_TB_GPC_GPC_REGRESS_H_

namespace muster::gpc {

int Regress(int argc, char** argv);  // returns the exit code

}  // namespace muster::gpc

#endif  // MUSTER_TB_GPC_GPC_REGRESS_H_
