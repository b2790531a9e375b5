//===- SaveFolder.h - One run owns a folder of checkpoints ------*- C++ -*-===//
//
// Two runs that save into one folder would write checkpoints of mixed halves.
// The file DIR/.owner says who saves there:
//
//   {"host": "node1", "boot": "5b2f...", "pid": 4711, "job": "123",
//    "token": "9c3e..."}
//
// Its owner holds it locked, touches it every 10 s, and removes it at its end.
// On one host, told by the id of its boot, the lock decides whether an owner
// lives. Locks of file systems between hosts are not to be relied on: there,
// and where locks are missing, an owner whose file is untouched for 60 s by
// the file server's clock is dead, and one of the same Slurm job was ended by
// Slurm before it started this run again.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_SAVEFOLDER_H
#define PCC_RUNTIME_CHECKPOINT_SAVEFOLDER_H

#include <string>

namespace pcc {

/// Makes this process the owner of `dir`, which exists, until it calls
/// leaveSaveFolder(). Exits with ExitOutput if another run is.
void ownSaveFolder(std::string dir);

/// Exits with ExitOutput if this process is not the owner any more. Makes the
/// folder again, as this process's, where it was deleted. Does nothing in a
/// process that never was the owner.
void requireSaveFolder();

/// Gives the folder up, if it is this process's.
void leaveSaveFolder();

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_SAVEFOLDER_H
