//===- SaveFolder.h - One run owns a folder of checkpoints ------*- C++ -*-===//
//
// Two runs that save into one folder would mix their files in one checkpoint.
// The file DIR/.owner names the run that saves there:
//
//   {"host": "node1", "boot": "5b2f...", "pid": 4711, "job": "123",
//    "token": "9c3e..."}
//
// The owner keeps the file locked, touches it every 10 s and removes it at its
// end. On one host, identified by its boot id, the lock decides whether the
// owner still runs. Locks of network file systems are unreliable. So for an
// owner on another host, and where the file system has no locks:
// - an owner has ended if its file was not touched for 60 s by the file
//   server's clock;
// - an owner of the same Slurm job was ended by Slurm before it restarted this
//   run.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_SAVEFOLDER_H
#define PCC_RUNTIME_CHECKPOINT_SAVEFOLDER_H

#include <string>

namespace pcc {

/// Makes this process the owner of `dir`, which exists, until it calls
/// leaveSaveFolder(). Exits with ExitOutput if another run owns it, or if it
/// has checkpoints and `resumed` is none of them. `resumed`: the folder of the
/// checkpoint that this run continues from; empty: a new run.
void ownSaveFolder(const std::string &dir, const std::string &resumed);

/// Exits with ExitOutput if another run has taken the folder over. Creates the
/// folder again, owned by this process, if it was deleted. Does nothing in a
/// process that never called ownSaveFolder(), or has left the folder.
void requireSaveFolder();

/// Ends this process's ownership of the folder, if it has it.
void leaveSaveFolder();

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_SAVEFOLDER_H
