/* Eight threads call the same functions; how many results differ from those of one thread. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "six.h"

static float x[512], w1[128], b1[16], w2[64], b2[4], expected[256];
static double matrix[400], factors[400];

static void *work(void *unused) {
  (void)unused;
  long differing = 0;
  six_state *state = six_new();
  for (int round = 0; round < 2000; round++) {
    float y[256];
    mlp(x, 64, w1, b1, w2, b2, y, NULL);
    differing += memcmp(y, expected, sizeof y) != 0;
    double m[400];
    int64_t rows[20];
    memcpy(m, matrix, sizeof m);
    differing += lu(m, 20, 20, rows, NULL) != 0 || memcmp(m, factors, sizeof m) != 0;
    weft_error error = {0};
    double out;
    differing += pick(m, 20, round % 2 ? 3 : 30, &out, &error) != (round % 2 ? WEFT_OK : WEFT_INDEX_ERROR);
    double tx[8] = {1}, ty[1] = {0.5};
    differing += train(state, tx, 1, ty, 1, &out, &error) != 0;
  }
  differing += *six_steps(state) != 2000;
  six_delete(state);
  return (void *)differing;
}

int main(void) {
  for (int i = 0; i < 512; i++) x[i] = (float)(i % 13 - 6);
  for (int i = 0; i < 128; i++) w1[i] = (float)(i % 7 - 3);
  for (int i = 0; i < 64; i++) w2[i] = (float)(i % 5 - 2);
  for (int i = 0; i < 400; i++) matrix[i] = i * 7919 % 101 - 50.0 + (i % 21 == 0) * 100;
  mlp(x, 64, w1, b1, w2, b2, expected, NULL);
  memcpy(factors, matrix, sizeof factors);
  int64_t rows[20];
  lu(factors, 20, 20, rows, NULL);
  pthread_t threads[8];
  long differing = 0;
  for (int i = 0; i < 8; i++) pthread_create(threads + i, NULL, work, NULL);
  for (int i = 0; i < 8; i++) {
    void *found;
    pthread_join(threads[i], &found);
    differing += (long)found;
  }
  printf("%ld\n", differing);
  return 0;
}
