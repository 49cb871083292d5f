/* Calls the exported programs and prints what they return, for the test to compare with Python. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "six.h"

static uint64_t drawn = 1;
static double draw(void) {
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (double)(drawn >> 33) / 2147483648.0 - 0.5;
}
static void fill(double *p, int n) { for (int i = 0; i < n; i++) p[i] = draw(); }
static void fill_f(float *p, int n) { for (int i = 0; i < n; i++) p[i] = (float)draw(); }
static void show(const char *name, int32_t code, const double *p, int n) {
  printf("%s %d", name, code);
  for (int i = 0; i < n; i++) printf(" %.17g", p[i]);
  printf("\n");
}
static void show_f(const char *name, int32_t code, const float *p, int n) {
  printf("%s %d", name, code);
  for (int i = 0; i < n; i++) printf(" %.9g", p[i]);
  printf("\n");
}
static void fail(const char *name, int32_t code, const weft_error *error) {
  char text[200];
  six_describe(error, text, sizeof text);
  printf("%s %d %s\n", name, code, text);
}

int main(void) {
  weft_error error = {0};
  static float x[64 * 8], w1[8 * 16], b1[16], w2[16 * 4], b2[4], y[64 * 4];
  fill_f(x, 512), fill_f(w1, 128), fill_f(b1, 16), fill_f(w2, 64), fill_f(b2, 4);
  int64_t sizes[2];
  mlp_sizes(x, 64, w1, b1, w2, b2, sizes);
  printf("mlp_sizes 0 %lld\n", (long long)sizes[0]);
  show_f("mlp", mlp(x, 64, w1, b1, w2, b2, y, NULL), y, 256);
  show_f("mlp", mlp(x, 1, w1, b1, w2, b2, y, &error), y, 4);
  show_f("mlp", mlp(x, 0, w1, b1, w2, b2, y, &error), y, 0);

  static float s[5 * 333], t[5 * 333];
  fill_f(s, 5 * 333);
  softmax_sizes(s, 5, 333, sizes);
  printf("softmax_sizes 0 %lld %lld\n", (long long)sizes[0], (long long)sizes[1]);
  show_f("softmax", softmax(s, 5, 333, t, &error), t, 5 * 333);
  fail("softmax", softmax(s, 5, 0, t, &error), &error);

  static double a[40 * 50], b[40 * 50];
  fill(a, 2000), fill(b, 2000);
  show("stencil", stencil(a, 40, 50, b, 40, 50, 7, &error), a, 2000);
  show("stencil", 0, b, 2000);
  int64_t stop = 1;
  error.cancel = &stop;
  fail("stencil", stencil(a, 40, 50, b, 40, 50, 1000000000, &error), &error);
  error.cancel = NULL;

  static double tx[32 * 8], ty[32];
  fill(tx, 256), fill(ty, 32);
  double loss;
  six_state *state = six_new(), *other = six_new();
  for (int i = 0; i < 2; i++) show("train", train(state, tx, 32, ty, 32, &loss, &error), &loss, 1);
  void *kept = malloc((size_t)six_size());
  six_save(state, kept);
  show("train", train(state, tx, 32, ty, 32, &loss, &error), &loss, 1);
  show("net.w", 0, six_w(state), 128);
  printf("net.steps 0 %lld\n", (long long)*six_steps(state));
  show("other", train(other, tx, 32, ty, 32, &loss, &error), &loss, 1);
  printf("load %d\n", six_load(other, kept, six_size()));
  show("loaded", train(other, tx, 32, ty, 32, &loss, &error), &loss, 1);
  printf("load %d %d\n", six_load(other, kept, six_size() - 1), (((char *)kept)[9]++, six_load(other, kept, six_size())));
  fail("train", train(state, tx, 32, ty, 31, &loss, &error), &error);
  free(kept), six_delete(state), six_delete(other), six_delete(NULL);

  static double m[20 * 20], factors[20];
  static int64_t p[20];
  fill(m, 400);
  int32_t code = lu(m, 20, 20, p, &error);
  for (int i = 0; i < 20; i++) factors[i] = (double)p[i];
  show("lu", code, m, 400), show("lu", code, factors, 20);
  memset(m, 0, sizeof m);
  fail("lu", lu(m, 20, 20, p, &error), &error);

  double v[4] = {1, 2, 3, 4}, out = 0;
  show("pick", pick(v, 4, 2, &out, NULL), &out, 1);
  show("pick", pick(v, 4, -1, &out, NULL), &out, 1);
  fail("pick", pick(v, 4, 9, &out, &error), &error);
  printf("pick %d\n", pick(v, 4, -5, &out, NULL));
  char three[3];
  printf("cut %lld %s\n", (long long)six_describe(&error, three, 3), three);
  return 0;
}
