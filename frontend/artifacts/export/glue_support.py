"""What all extension modules of exported libraries begin with: C, in which LIBRARY and MODULE are replaced."""

from __future__ import annotations

SUPPORT = r"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "LIBRARY.h"

#if defined(__GNUC__) /* and Clang; a module needs some of these functions only */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#define MOST_AXES 64

typedef struct { Py_buffer view; void *data, *copy; } array;
typedef struct {
  PyObject *object;
  Py_buffer view;
  void *block;
  int64_t shape[MOST_AXES];
  unsigned char number[16];
} result_array;

/* The arguments of a call by their places and names. */
static int bind(const char *function, const char *const *names, Py_ssize_t count, PyObject *const *args,
                Py_ssize_t given, PyObject *words, PyObject **objects) {
  Py_ssize_t named = words ? PyTuple_Size(words) : 0;
  if (given > count) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments but %zd were given", function, count, given);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) objects[i] = i < given ? args[i] : NULL;
  for (Py_ssize_t k = 0; k < named; k++) {
    PyObject *word = PyTuple_GetItem(words, k);
    Py_ssize_t i = 0;
    while (i < count && PyUnicode_CompareWithASCIIString(word, names[i])) i++;
    if (i == count || objects[i]) {
      PyErr_Format(PyExc_TypeError, i == count ? "%s() got an unexpected keyword argument '%U'"
                                               : "%s() got multiple values for argument '%U'", function, word);
      return -1;
    }
    objects[i] = args[given + k];
  }
  for (Py_ssize_t i = 0; i < count; i++)
    if (!objects[i]) {
      PyErr_Format(PyExc_TypeError, "%s() missing a required argument: '%s'", function, names[i]);
      return -1;
    }
  return 0;
}

static int double_of(PyObject *object, const char *name, double *value) {
  *value = PyFloat_AsDouble(object);
  if (*value == -1 && PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "%s: a number is wanted, not %R", name, Py_TYPE(object));
    }
    return -1;
  }
  return 0;
}

static int integer_of(PyObject *object, const char *name, const char *type, int bits, int is_signed,
                      unsigned long long *value) {
  PyObject *index = PyNumber_Index(object);
  if (!index) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: an integer is wanted, not %R", name, Py_TYPE(object));
    return -1;
  }
  int fits = 1;
  if (is_signed) {
    long long wide = PyLong_AsLongLong(index);
    *value = (unsigned long long)wide;
    fits = bits == 64 || (wide >= -(1LL << (bits - 1)) && wide < 1LL << (bits - 1));
  } else {
    *value = PyLong_AsUnsignedLongLong(index);
    fits = bits == 64 || *value < 1ULL << bits;
  }
  Py_DECREF(index);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    fits = 0;
  }
  if (!fits) PyErr_Format(PyExc_OverflowError, "%s: %R is not in the range of %s", name, object, type);
  return fits ? 0 : -1;
}

static int is_of(const Py_buffer *view, const char *formats, Py_ssize_t size) {
  const char *format = view->format ? view->format : "B";
  char kind;
  if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN)) format++;
  kind = *format;
  if (kind == 'Z') kind = format[1] == 'f' ? 'F' : format[1] == 'd' ? 'D' : '!';
  if (!kind || !strchr(formats, kind) || strlen(format) != (*format == 'Z' ? 2 : 1)) return 0;
  return view->itemsize == size;
}

/* An array as a function takes it: in place, or a copy where it does not lie as it must. */
static int take(PyObject *object, const char *name, const char *type, const char *formats, Py_ssize_t size, int rank,
                const int64_t *shape, int is_written, array *a) {
  if (PyObject_GetBuffer(object, &a->view, is_written ? PyBUF_FULL : PyBUF_FULL_RO) < 0) {
    PyErr_Clear();
    if (is_written && !PyObject_GetBuffer(object, &a->view, PyBUF_FULL_RO)) {
      PyErr_Format(PyExc_ValueError, "assignment destination is read-only: %s", name);
    } else {
      PyErr_Format(PyExc_TypeError, "%s: %s is wanted, not %R", name, type, Py_TYPE(object));
    }
    return -1;
  }
  if (!is_of(&a->view, formats, size) || a->view.ndim != rank) {
    PyErr_Format(PyExc_TypeError, "%s: %s is wanted, not an array of the format '%s' with %d axes", name, type,
                 a->view.format ? a->view.format : "B", a->view.ndim);
    return -1;
  }
  for (int axis = 0; axis < rank; axis++)
    if (shape[axis] >= 0 && shape[axis] != a->view.shape[axis]) {
      PyErr_Format(PyExc_ValueError, "%s: %s is wanted, and axis %d has %zd elements", name, type, axis,
                   a->view.shape[axis]);
      return -1;
    }
  if (PyBuffer_IsContiguous(&a->view, 'C') && (size_t)a->view.buf % (size_t)size == 0) {
    a->data = a->view.buf;
  } else if (is_written) {
    PyErr_Format(PyExc_ValueError, "%s is written, and is not contiguous: pass a copy", name);
    return -1;
  } else {
    if (!(a->data = a->copy = malloc((size_t)(a->view.len + 1)))) {
      PyErr_NoMemory();
      return -1;
    }
    if (PyBuffer_ToContiguous(a->copy, &a->view, a->view.len, 'C') < 0) return -1;
  }
  return 0;
}

/* Whether an array that was copied lies where another one is written: the copy would not show what is written. */
static int is_behind(const array *copied, const array *written) {
  const Py_buffer *view = &copied->view;
  const char *begin = written->data, *end = begin + written->view.len, *element = view->buf;
  Py_ssize_t index[MOST_AXES] = {0};
  if (!copied->copy || !view->len || begin == end) return 0;
  for (;;) {
    int axis = view->ndim - 1;
    if (element < end && element + view->itemsize > begin) return 1;
    while (axis >= 0 && ++index[axis] == view->shape[axis]) {
      element -= view->strides[axis] * (view->shape[axis] - 1);
      index[axis--] = 0;
    }
    if (axis < 0) return 0;
    element += view->strides[axis];
  }
}

static void release(array *a) {
  free(a->copy);
  if (a->view.obj) PyBuffer_Release(&a->view);
}

/* A new array of NumPy, which is imported when one is first made. */
static int make(result_array *made, int rank, const char *dtype) {
  static PyObject *empty;
  PyObject *shape;
  if (!empty) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy) return -1;
    empty = PyObject_GetAttrString(numpy, "empty");
    Py_DECREF(numpy);
    if (!empty) return -1;
  }
  if (!(shape = PyTuple_New(rank))) return -1;
  for (int axis = 0; axis < rank; axis++) {
    PyObject *extent = PyLong_FromLongLong(made->shape[axis]);
    if (!extent || PyTuple_SetItem(shape, axis, extent) < 0) {
      Py_DECREF(shape);
      return -1;
    }
  }
  made->object = PyObject_CallFunction(empty, "Ns", shape, dtype);
  if (!made->object) return -1;
  return PyObject_GetBuffer(made->object, &made->view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS);
}

/* An array with what is in a block, which is freed. */
static int take_block(result_array *made, int rank, const int64_t *shape, const char *dtype, size_t size) {
  size_t count = size;
  for (int axis = 0; axis < rank; axis++) count *= (size_t)shape[axis];
  if (make(made, rank, dtype) < 0) return -1;
  if (count) memcpy(made->view.buf, made->block, count);
  return 0;
}

static void free_block(void *block);

static void drop(result_array *made) {
  if (made->block) free_block(made->block);
  if (made->view.obj) PyBuffer_Release(&made->view);
  Py_XDECREF(made->object);
}
"""
