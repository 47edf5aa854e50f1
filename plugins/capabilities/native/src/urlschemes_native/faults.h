/* The faults of texts that are no URLs of a scheme, as the core explained them before. */
#ifndef URLSCHEMES_FAULTS_H
#define URLSCHEMES_FAULTS_H

#include "table.h"

typedef struct Faults Faults;

/* Return the code of the fault of a text, a new reference, and put its position into `position`.
   Return NULL if no fault like it was learned. */
PyObject *known_fault(const Table *table, const uint8_t *text, Py_ssize_t size, Py_ssize_t *position);
void faults_free(Faults *faults);

PyObject *table_fault(PyObject *self, PyObject *text);
PyObject *table_learn(PyObject *self, PyObject *args);

#endif
