/* The base type of URLs, and the functions that read their parts. */
#ifndef URLSCHEMES_URL_H
#define URLSCHEMES_URL_H

#include "table.h"

/* A URL that the reader made has a table and the offsets of its parts; one that Python code made has its match. */
typedef struct {
    PyObject_HEAD
    PyObject *text;
    Table *table;
    union {
        uint16_t offsets[INLINE_TAGS];
        PyObject *match;
    } parts;
} Url;

/* How the text of an occurrence becomes a value. Elements of a list are decoded one by one; Python does OTHER. */
typedef enum { TEXT, RAW, LOWER, NUMBER, ALL, ALL_BUT_THE_LAST, LAST, OTHER, FORMS } Form;

/* Return the form of this name; FORMS with an error if there is none. */
Form form_of(const char *name);
/* Put the number that the digits are into `value`. Return 0 for one that is too large, or none. */
int number_of(const uint8_t *octets, Py_ssize_t size, int64_t *value);
PyObject *url_new(PyTypeObject *type, PyObject *text, Table *table, const int32_t *registers);
static inline int is_capital(uint8_t c) { return (uint8_t)(c - 'A') < 26; }
static inline uint8_t lower(uint8_t c) { return is_capital(c) ? c | 32 : c; }

PyObject *part_reader(PyObject *module, PyObject *args, PyObject *keywords);

extern PyType_Spec url_spec, part_spec;

#endif
