//===- ModelPlaces.h - Where the model's files may be -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_MODELPLACES_H
#define PCC_RUNTIME_MODEL_MODELPLACES_H

#include <string>
#include <vector>

namespace pcc {

/// Returns the paths at which a file that was given to pcc as `file` may be
/// now, in the order of the search:
///
/// 1. where it was from the program, when pcc wrote the program: both may have
///    been moved together, and this process may run in any folder;
/// 2. `file` itself, which may be relative to the current folder;
/// 3. a relative `file`, from the program's folder;
/// 4. the absolute path that it had for pcc.
std::vector<std::string> modelPlaces(const std::string &file);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_MODELPLACES_H
