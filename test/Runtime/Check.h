//===- Check.h - Expectations of the unit tests -----------------*- C++ -*-===//

#ifndef PCC_TEST_RUNTIME_CHECK_H
#define PCC_TEST_RUNTIME_CHECK_H

#include <cstdio>

inline int failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      ++failures;                                                              \
    }                                                                          \
  } while (false)

/// The exit code of main.
inline int checkResult() {
  if (failures == 0)
    puts("all checks hold");
  return failures != 0;
}

#endif // PCC_TEST_RUNTIME_CHECK_H
