/* The exported programs by their header for C++. */
#include <cstdio>
#include <vector>
#include "six.hpp"

int main() {
  using namespace six_cpp;
  std::vector<double> x{1, 2, 3, 4};
  std::printf("%g %g\n", pick(x, 2), pick(weft::view<const double, 1>(x.data(), {2}), -1));
  try {
    pick(x, 9);
  } catch (const weft::error &error) {
    std::printf("%d %s\n", error.code, error.what());
  }
  std::vector<double> m{0, 1, 2, 3};
  weft::array<int64_t, 1> rows = lu({m.data(), {2, 2}});
  std::printf("%g %g %g %g %lld %lld %zu\n", m[0], m[1], m[2], m[3], (long long)rows[0], (long long)rows[1], rows.size());
  weft::array<float, 2> s({2, 3});
  for (float &value : s) value = 1;
  auto t = softmax(s);
  std::printf("%.3f %zu %lld %lld\n", t[5], t.size(), (long long)t.shape[0], (long long)t.shape[1]);
  std::vector<float> w1(128), b1(16), w2(64), b2(4, 2.5f), one(8);
  auto y = mlp({one.data(), {1, 8}}, {w1.data(), {8, 16}}, b1, {w2.data(), {16, 4}}, b2);
  std::printf("%g %zu\n", y[3], y.size());
  try {
    mlp({one.data(), {1, 8}}, {w1.data(), {16, 8}}, b1, {w2.data(), {16, 4}}, b2);
  } catch (const weft::error &error) {
    std::printf("%d %s\n", error.code, error.what());
  }
  state net, other;
  std::vector<double> tx(8, 0.1), ty(1, 1.0);
  double first = train(net, {tx.data(), {1, 8}}, ty);
  other.load(net.save());
  double second = train(other, {tx.data(), {1, 8}}, ty);
  std::printf("%d %lld %lld\n", second < first, (long long)*net.steps().data, (long long)*other.steps().data);
  try {
    other.load(std::vector<char>(3));
  } catch (const weft::error &error) {
    std::printf("%s\n", error.what());
  }
  std::vector<double> a(16, 1.0), b(16, 1.0);
  stencil({a.data(), {4, 4}}, {b.data(), {4, 4}}, 3);
  std::printf("%g\n", a[5]);
}
