// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The names of the files that a run writes.
#ifndef MUSTER_SIM_LOCKSTEP_FILES_H_
#define MUSTER_SIM_LOCKSTEP_FILES_H_

#include <cstddef>
#include <string>

namespace muster::lockstep {

// The name of the file of one unit of several: name.fst, then name.1.fst and so on. A unit that is
// alone (-1) has name.fst.
std::string Numbered(const std::string& path, int unit);

// The waveforms of the warp scope, of a bank's atomics and of a tracker of fences beside a unit
// that has this one, name.warp.fst, name.atomics.fst, then name.atomics.1.fst and so on, and
// likewise name.fences.fst; and of the cluster scope beside all units of a run, name.cluster.fst.
// Of no waveform (empty), there is none.
std::string OfWarpScope(const std::string& wave);
std::string OfAtomics(const std::string& wave, unsigned bank);
std::string OfFences(const std::string& wave, unsigned tracker);
std::string OfClusterScope(const std::string& wave);

// The name of the file of one launch of several: name.launch1.fst, name.launch2.fst and so on.
std::string OfLaunch(const std::string& path, std::size_t launch);

// A path without symbolic links, also if there is no file yet.
std::string Resolved(const std::string& path);

// Whether a file can be written. An existing file is not changed, and no new file is left.
bool Writable(const std::string& path);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_FILES_H_
