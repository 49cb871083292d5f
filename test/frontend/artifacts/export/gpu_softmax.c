/* Softmax on a GPU, as a program calls it: memory, stream and context are the program's. */
#include <stdio.h>
#include <string.h>

/* What cuda.h declares as well. */
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;

#include "f.h"

int run(CUcontext context, CUstream stream, const char *driver, const float *x, int64_t rows, int64_t columns,
        float *result, char *text, int64_t size) {
  weft_error error = {0};
  f_device *device = NULL;
  int64_t sizes[2];
  int32_t code = f_open(context, driver, &device, &error);
  if (!code) {
    f_sizes(x, rows, columns, sizes);
    if (sizes[0] != rows || sizes[1] != columns) return -1;
    code = f(device, stream, x, rows, columns, result, &error);
  }
  if (!code) code = f_close(device, &error);
  if (code) f_describe(&error, text, size);
  return code;
}
