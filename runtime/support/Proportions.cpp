//===- Proportions.cpp - Weights as whole numbers -------------------------===//

#include "runtime/support/Proportions.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace pcc;

namespace {
/// The number 0.d1d2d3... x 10^magnitude, without leading and trailing zeros.
struct Decimal {
  std::string digits;
  int64_t magnitude = 0;
  bool isNegative = false;
};
} // namespace

/// Parses an exponent such as "-12". Returns false if it is invalid.
static bool parseExponent(const std::string &text, int64_t &exponent) {
  size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  if (text.size() == sign ||
      text.find_first_not_of("0123456789", sign) != std::string::npos)
    return false;
  const int64_t most = 1000000; // more than any number needs
  exponent =
      std::clamp<int64_t>(strtoll(text.c_str(), nullptr, 10), -most, most);
  return true;
}

/// Parses a number such as 12, -0.5 or 6e-4. Returns false if it is invalid.
static bool parseDecimal(const std::string &text, Decimal &number) {
  size_t begin = !text.empty() && (text[0] == '-' || text[0] == '+');
  number.isNegative = begin && text[0] == '-';
  size_t end = std::min(text.find_first_of("eE"), text.size());
  std::string mantissa = text.substr(begin, end - begin);
  size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits = mantissa.substr(0, point);
  if (point < mantissa.size())
    digits += mantissa.substr(point + 1);
  int64_t exponent = 0;
  if (digits.empty() ||
      digits.find_first_not_of("0123456789") != std::string::npos ||
      (end < text.size() && !parseExponent(text.substr(end + 1), exponent)))
    return false;
  size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  number.magnitude =
      static_cast<int64_t>(point) - static_cast<int64_t>(first) + exponent;
  number.digits = digits.substr(first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  return true;
}

/// Returns the number as a multiple of 10^unit, rounded. At most 15 digits.
static int64_t inUnits(const Decimal &number, int64_t unit) {
  int64_t places = number.magnitude - unit;
  if (places < 0)
    return 0;
  std::string digits = number.digits;
  digits.resize(places + 1, '0');
  int64_t whole = 0;
  for (int64_t i = 0; i < places; ++i)
    whole = whole * 10 + (digits[i] - '0');
  return whole + (digits[places] >= '5');
}

std::string pcc::parseProportions(const std::string &text,
                                  std::vector<int64_t> &numbers) {
  const int64_t mostDigits = 15;
  std::vector<Decimal> decimals;
  int64_t top = INT64_MIN, last = INT64_MAX; // decimal places
  for (size_t at = 0; at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    std::string one = text.substr(at, comma - at);
    at = comma + 1;
    Decimal number;
    if (!parseDecimal(one, number))
      return format("'%s' is not a number", one.c_str());
    if (number.isNegative || number.digits.empty())
      return format("must be greater than 0, not %s", one.c_str());
    top = std::max(top, number.magnitude);
    last = std::min(last, number.magnitude -
                              static_cast<int64_t>(number.digits.size()));
    decimals.push_back(number);
  }
  if (static_cast<int64_t>(decimals.size()) > mostProportions)
    return format("has %lld numbers, at most %lld are possible",
                  static_cast<long long>(decimals.size()),
                  static_cast<long long>(mostProportions));
  numbers.clear();
  int64_t divisor = 0;
  for (const Decimal &number : decimals) {
    numbers.push_back(inUnits(number, std::max(last, top - mostDigits)));
    if (numbers.back() == 0)
      return format("number %lld is too small: the largest one is more than "
                    "1e14 times it",
                    static_cast<long long>(numbers.size()));
    divisor = std::gcd(divisor, numbers.back());
  }
  for (int64_t &number : numbers)
    number /= divisor;
  return "";
}
