// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: the qualifier that sends an operation to several CTAs of the cluster.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_MULTICAST_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_MULTICAST_H_

#include "sim/ptx/program/cursor.h"

namespace muster::ptx {

// .multicast::cluster, with ::16b or ::32b: the type of the mask of CTAs; kNone if it is not there.
Type TakeMulticast(Cursor* c);
// Only .multicast::cluster::32b.
bool TakeWideMulticast(Cursor* c);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_MULTICAST_H_
