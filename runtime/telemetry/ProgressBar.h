//===- ProgressBar.h - Progress bar on a terminal ---------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_PROGRESSBAR_H
#define PCC_RUNTIME_TELEMETRY_PROGRESSBAR_H

#include <cstdint>
#include <string>

namespace pcc {

/// Returns the columns of the terminal on standard output, 80 if they are
/// unknown; 0 if it is not a terminal, or one that cannot move back in a line.
int terminalColumns();

/// A progress bar below the printed lines. Lines are printed between hide() and
/// the next show().
class ProgressBar {
public:
  /// columns: 0 for no bar. Colors are off if NO_COLOR is set.
  ProgressBar(int columns, int64_t done, int64_t total);
  ~ProgressBar() { hide(); }

  /// Draws the bar after a step: at once if it is not visible or this was the
  /// last step, otherwise at most ten times a second.
  void show(int64_t done);
  /// Erases the bar if it is visible.
  void hide();

private:
  int columns;
  int64_t first, total;
  bool color;
  double begin, drawn = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_PROGRESSBAR_H
