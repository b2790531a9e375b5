//===- HugePages.h - A file in memory that has huge pages -------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_HUGEPAGES_H
#define PCC_RUNTIME_LAUNCH_HUGEPAGES_H

namespace pcc {

/// Creates a file in memory, without a name, whose pages are huge where the
/// kernel has some. Returns its descriptor, which exec does not close; -1 if
/// the system does not permit it.
///
/// By default, Linux has small pages for memory that processes share, but each
/// tmpfs has its own setting. So a child process mounts a tmpfs where only that
/// process sees it: in a mount namespace, and for other users than root in a
/// user namespace, too. The mount ends with the child, the file lives on. The
/// caller's process must reap its children.
int createHugePagesFile();

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_HUGEPAGES_H
