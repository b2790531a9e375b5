//===- ProgressBar.h - How far a run is, on a terminal ----------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_PROGRESSBAR_H
#define PCC_RUNTIME_TELEMETRY_PROGRESSBAR_H

#include <cstdint>
#include <string>

namespace pcc {

/// Columns of the terminal that standard output is; 0: it is none, or one that
/// cannot go back in a line.
int terminalColumns();

/// A bar below the lines of a run. Lines are printed between hide() and the
/// next show().
class ProgressBar {
public:
  /// columns: 0 for none. Without colors where NO_COLOR is set.
  ProgressBar(int columns, int64_t done, int64_t total);
  ~ProgressBar() { hide(); }

  /// Draws the bar after a step, at most ten times a second.
  void show(int64_t done);
  /// Erases the bar if it is there.
  void hide();

private:
  int columns;
  int64_t first, total;
  bool color;
  double begin, drawn = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_PROGRESSBAR_H
