/* The schemes that a registry reads natively, by name. */
#ifndef URLSCHEMES_READER_H
#define URLSCHEMES_READER_H

#include "module.h"

enum { LONGEST_NAME = 64 };

typedef struct {
    uint32_t hash;
    uint8_t size;        /* of the name; 0: the slot is free */
    char name[LONGEST_NAME];
    Table *table;
    PyTypeObject *type;
    PyObject *parts;     /* what `columns` needs to know of each part */
    uint32_t number;     /* from 0 up, in the order of the slots */
    uint32_t state;      /* after the name and its colon, or START */
    Py_ssize_t at;       /* the index after the colon, or 0 */
} Entry;

/* A hash table that never changes: the reader replaces it, so that it can be used without the lock of Python. */
typedef struct {
    uint32_t uses, count, slots;  /* slots: a power of two, more than twice the count */
    Entry entries[];
} Names;

typedef struct {
    PyObject_HEAD
    PyObject *owner;     /* the registry */
    PyObject *slow;      /* its `parse` in Python */
    PyObject *error;     /* InvalidURL */
    PyObject *any;       /* URL */
    Py_ssize_t limit;
    Names *names;
} Reader;

/* Return the entry of the name that the text begins with, in any letter case; NULL if there is none. */
const Entry *find(const Names *names, const uint8_t *text, Py_ssize_t size);
/* Return the size of the scheme name that the text begins with; 0 if it is none, or longer than 64 octets. */
Py_ssize_t name_size(const uint8_t *text, Py_ssize_t size);
void names_release(Names *names);

/* Return 1; 0 with an error for a reader that the garbage collector has cleared. */
int reader_is_usable(const Reader *reader);

PyObject *reader_columns(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *reader_unknown(PyObject *self, PyObject *args, PyObject *keywords);

static inline int read_url(const Entry *entry, const uint8_t *text, Py_ssize_t size, int32_t *registers, Stop *stop) {
    return walk(entry->table, text, size, entry->state, entry->at, registers, stop);
}

extern PyType_Spec reader_spec, buffer_spec;

#endif
