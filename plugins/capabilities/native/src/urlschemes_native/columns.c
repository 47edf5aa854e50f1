#include "reader.h"
PyObject *reader_columns(PyObject *self, PyObject *args, PyObject *keywords) { (void)self; (void)args; (void)keywords; Py_RETURN_NONE; }
PyObject *reader_unknown(PyObject *self, PyObject *args, PyObject *keywords) { (void)self; (void)args; (void)keywords; Py_RETURN_NONE; }
