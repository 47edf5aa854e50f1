/* The types of the module. */
#ifndef URLSCHEMES_MODULE_H
#define URLSCHEMES_MODULE_H

#include "url.h"

typedef struct {
    PyTypeObject *table, *url, *part, *reader, *buffer;
} Types;

#endif
