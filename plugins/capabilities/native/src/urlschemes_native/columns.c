/* Columns: the URLs of an Arrow array of strings, read without making Python objects of them. */
#include "faults.h"
#include "reader.h"
#include <stdlib.h>

enum { MOST_UNKNOWN = 1000, UNKNOWN_SLOTS = 4096, NONE = -1, NOT_EXPLAINED = -2 };

/* Memory of this module that others may read. */
typedef struct {
    PyObject_HEAD
    void *data;
    Py_ssize_t size;
} Buffer;

/* The array: `rows` texts in `data`. */
typedef struct {
    Py_buffer offsets, data, validity;
    int has_validity;
    Py_ssize_t rows, width, first_bit;
} Strings;

typedef enum { AS_TEXT, AS_WRITTEN, AS_NUMBER } Output;

/* How one scheme has a part that was asked for. */
typedef struct {
    int mark;            /* NONE: it has no such part */
    Form form;
    uint8_t separator;
    int has_default;
    int64_t number;      /* the default, or as text below */
    const char *text;
    Py_ssize_t size;
} Source;

/* One part that was asked for. */
typedef struct {
    Output output;
    Source *sources;     /* by slot of the names */
    PyObject *offsets, *validity; /* bytes */
    char *offset;
    uint8_t *bits, *data;
    Py_ssize_t used, space, before;
} Column;

typedef struct {
    Strings strings;
    Names *names;
    PyTypeObject *buffer;
    Py_ssize_t limit, count, unread;
    Column *columns;
    PyObject *scheme, *code, *position; /* bytes: an int32_t for each row, NONE if there is none */
    int out_of_memory;
} Work;

/* Buffers */

static PyObject *buffer_new(PyTypeObject *type, void *data, Py_ssize_t size) {
    Buffer *buffer = (Buffer *)PyType_GenericAlloc(type, 0);
    if (!buffer) return NULL;
    buffer->data = data;
    buffer->size = size;
    return (PyObject *)buffer;
}

static int buffer_get(PyObject *self, Py_buffer *view, int flags) {
    Buffer *buffer = (Buffer *)self;
    return PyBuffer_FillInfo(view, self, buffer->data ? buffer->data : "", buffer->size, 1, flags);
}

static void buffer_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    free(((Buffer *)self)->data);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot buffer_slots[] = {
    {Py_tp_doc, "The data of a column, with the buffer protocol."},
    {Py_tp_dealloc, buffer_dealloc},
    {Py_bf_getbuffer, buffer_get},
    {0, NULL},
};

PyType_Spec buffer_spec = {
    "urlschemes_native.Buffer", sizeof(Buffer), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, buffer_slots,
};

/* The array */

static void release(Strings *strings) {
    if (strings->offsets.obj) PyBuffer_Release(&strings->offsets);
    if (strings->data.obj) PyBuffer_Release(&strings->data);
    if (strings->validity.obj) PyBuffer_Release(&strings->validity);
}

static int64_t offset(const Strings *strings, Py_ssize_t row) {
    const char *place = (const char *)strings->offsets.buf + row * strings->width;
    int64_t wide;
    int32_t narrow;
    if (strings->width == 8) {
        memcpy(&wide, place, 8);
        return wide;
    }
    memcpy(&narrow, place, 4);
    return narrow;
}

static void set_offset(char *offsets, Py_ssize_t width, Py_ssize_t row, int64_t wide) {
    int32_t narrow = (int32_t)wide;
    if (width == 8)
        memcpy(offsets + 8 * row, &wide, 8);
    else
        memcpy(offsets + 4 * row, &narrow, 4);
}

static int acquire(Strings *strings, PyObject *offsets, PyObject *data, PyObject *validity, Py_ssize_t first_bit) {
    memset(strings, 0, sizeof *strings);
    if (PyObject_GetBuffer(offsets, &strings->offsets, PyBUF_FORMAT | PyBUF_ND) < 0 ||
        PyObject_GetBuffer(data, &strings->data, PyBUF_SIMPLE) < 0 ||
        (validity != Py_None && PyObject_GetBuffer(validity, &strings->validity, PyBUF_SIMPLE) < 0)) {
        release(strings);
        return 0;
    }
    const char *wrong = NULL;
    strings->has_validity = validity != Py_None;
    strings->first_bit = first_bit;
    strings->width = strings->offsets.itemsize == 8 ? 8 : 4;
    strings->rows = strings->offsets.len ? strings->offsets.len / strings->width - 1 : 0;
    if (strings->offsets.len % strings->width)
        wrong = "offsets must be numbers of 32 or 64 bits";
    else if (first_bit < 0 || first_bit > PY_SSIZE_T_MAX - 7 - strings->rows ||
             (strings->has_validity && (first_bit + strings->rows + 7) / 8 > strings->validity.len))
        wrong = "the validity bitmap is shorter than the array";
    int64_t before = strings->rows ? offset(strings, 0) : 0;
    if (before < 0) wrong = "offsets must begin at 0 or more";
    for (Py_ssize_t row = 1; !wrong && row <= strings->rows; row++) {
        int64_t next = offset(strings, row);
        if (next < before || next > strings->data.len) wrong = "offsets must rise, and end within the data";
        before = next;
    }
    if (!wrong) return 1;
    PyErr_SetString(PyExc_ValueError, wrong);
    release(strings);
    return 0;
}

/* Point to the text of a row and return its size; NONE for a null, and if the offsets were changed since acquire(). */
static Py_ssize_t text_of(const Strings *strings, Py_ssize_t row, const uint8_t **text) {
    Py_ssize_t bit = strings->first_bit + row;
    if (strings->has_validity && !(((const uint8_t *)strings->validity.buf)[bit >> 3] >> (bit & 7) & 1)) return NONE;
    int64_t begin = offset(strings, row), end = offset(strings, row + 1);
    if (begin < 0 || begin > end || end > strings->data.len) return NONE;
    *text = (const uint8_t *)strings->data.buf + begin;
    return (Py_ssize_t)(end - begin);
}

/* Parts of one row */

/* Return 1 for octets that strict UTF-8 decodes. */
static int is_utf8(const uint8_t *p, Py_ssize_t size) {
    for (Py_ssize_t i = 0; i < size;) {
        uint8_t c = p[i++], least = 0x80, most = 0xBF;
        if (c < 0x80) continue;
        int more = c >= 0xC2 && c <= 0xDF ? 1 : c >= 0xE0 && c <= 0xEF ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 0;
        if (!more || i + more > size) return 0;
        if (c == 0xE0) least = 0xA0;
        if (c == 0xED) most = 0x9F;
        if (c == 0xF0) least = 0x90;
        if (c == 0xF4) most = 0x8F;
        for (; more; more--, i++, least = 0x80, most = 0xBF)
            if (p[i] < least || p[i] > most) return 0;
    }
    return 1;
}

static int make_space(Column *column, Py_ssize_t size) {
    if (column->space - column->used >= size) return 1;
    Py_ssize_t space = column->used + size > PY_SSIZE_T_MAX / 2 ? NONE : column->used + size + column->space;
    uint8_t *data = space == NONE ? NULL : realloc(column->data, (size_t)space);
    if (!data) return 0;
    column->data = data;
    column->space = space;
    return 1;
}

static int append(Work *work, Column *column, const void *octets, Py_ssize_t size) {
    if (!make_space(column, size)) {
        work->out_of_memory = 1;
        return 0;
    }
    if (size) memcpy(column->data + column->used, octets, (size_t)size);
    column->used += size;
    return 1;
}

/* Let begin and end be those of the elements that the part takes; return 0 if there are none. */
static int take(const Source *source, const uint8_t *text, Py_ssize_t *begin, Py_ssize_t *end) {
    if (source->form != LAST && source->form != ALL_BUT_THE_LAST) return 1;
    for (Py_ssize_t i = *end; i > *begin; i--)
        if (text[i - 1] == source->separator) {
            if (source->form == LAST)
                *begin = i;
            else
                *end = i - 1;
            return 1;
        }
    return source->form == LAST;
}

/* Add the part of one row to its column. Return 0 if Python must read the row, or there is no memory. */
static int read_part(Work *work, Column *column, const Source *source, const uint8_t *text, const int32_t *registers,
                     Py_ssize_t row) {
    Py_ssize_t begin = NONE, end = NONE;
    if (source->mark != NONE) {
        begin = registers[2 * source->mark];
        end = registers[2 * source->mark + 1];
    }
    int present = begin >= 0 && end >= begin && take(source, text, &begin, &end);
    if (column->output == AS_NUMBER) {
        int64_t number = source->number;
        if (present && !number_of(text + begin, end - begin, &number)) return 0;
        if (!present && !source->has_default) number = 0;
        column->bits[row >> 3] |= (uint8_t)((present || source->has_default) << (row & 7));
        return append(work, column, &number, sizeof number);
    }
    int as_default = !present && column->output == AS_TEXT && source->has_default;
    column->bits[row >> 3] |= (uint8_t)((present || as_default) << (row & 7));
    if (!present) return !as_default || append(work, column, source->text, source->size);
    Py_ssize_t size = end - begin, before = column->used;
    if (!append(work, column, text + begin, size)) return 0;
    if (column->output == AS_WRITTEN || !size) return 1;
    uint8_t *copy = column->data + before;
    if (source->form == LOWER)
        for (Py_ssize_t i = 0; i < size; i++) copy[i] = lower(copy[i]);
    if ((source->form != TEXT && source->form != LAST) || !memchr(copy, '%', (size_t)size)) return 1;
    size = unescape(copy, size, copy);
    column->used = before + size;
    return size >= 0 && is_utf8(copy, size);
}

/* Read one row. Return 0 if Python must read it. */
static int read_row(Work *work, Py_ssize_t row, int32_t *scheme, int32_t *code) {
    const uint8_t *text;
    Py_ssize_t size = text_of(&work->strings, row, &text);
    if (size == NONE) return 1;
    const Entry *entry = size <= work->limit && size <= INT32_MAX ? find(work->names, text, size) : NULL;
    if (!entry || may_hold_long_number(text, size)) return 0;
    int32_t registers[MOST_REGISTERS];
    Stop stop;
    *scheme = (int32_t)entry->number;
    if (!read_url(entry, text, size, registers, &stop)) {
        if (!is_utf8(text, size)) return 0;
        *code = NOT_EXPLAINED;
        return 1;
    }
    for (Py_ssize_t i = 0; i < work->count; i++) {
        Column *column = &work->columns[i];
        if (!read_part(work, column, &column->sources[entry - work->names->entries], text, registers, row)) return 0;
    }
    return 1;
}

/* Take back what was read of a row that Python must read. */
static void forget_row(Work *work, Py_ssize_t row) {
    for (Py_ssize_t i = 0; i < work->count; i++) {
        work->columns[i].used = work->columns[i].before;
        work->columns[i].bits[row >> 3] &= (uint8_t)~(1 << (row & 7));
    }
    work->unread++;
}

static void read_rows(Work *work) {
    int32_t *scheme = (int32_t *)PyBytes_AsString(work->scheme);
    int32_t *code = (int32_t *)PyBytes_AsString(work->code);
    int32_t *position = (int32_t *)PyBytes_AsString(work->position);
    const int64_t zero = 0;
    for (Py_ssize_t row = 0; row < work->strings.rows && !work->out_of_memory; row++) {
        scheme[row] = code[row] = position[row] = NONE;
        if (!read_row(work, row, &scheme[row], &code[row])) {
            scheme[row] = NONE;
            forget_row(work, row);
        }
        for (Py_ssize_t i = 0; i < work->count; i++) {
            Column *column = &work->columns[i];
            if (column->output == AS_NUMBER && column->used == column->before)
                append(work, column, &zero, sizeof zero);
            column->before = column->used;
            if (column->offset) set_offset(column->offset, work->strings.width, row + 1, column->used);
        }
    }
}

static Py_ssize_t index_of(PyObject *codes, PyObject *code) {
    Py_ssize_t count = PyList_Size(codes), n = 0;
    while (n < count && PyUnicode_Compare(PyList_GetItem(codes, n), code)) n++;
    return n < count || PyList_Append(codes, code) == 0 ? n : NONE;
}

/* Return the code of the fault of a text, and put its position into `position`; NULL with an error. */
static PyObject *explained(PyObject *explain, const uint8_t *text, Py_ssize_t size, Py_ssize_t *position) {
    PyObject *whole = PyUnicode_DecodeUTF8((const char *)text, size, NULL), *name;
    PyObject *answer = whole ? PyObject_CallFunctionObjArgs(explain, whole, NULL) : NULL;
    if (answer && !PyTuple_Check(answer))
        PyErr_SetString(PyExc_TypeError, "explain must return a tuple");
    PyObject *code = answer && !PyErr_Occurred() && PyArg_ParseTuple(answer, "Un", &name, position) ? Py_NewRef(name) : NULL;
    Py_XDECREF(whole);
    Py_XDECREF(answer);
    return code;
}

/* Fill in the codes and positions. Return 0 with an error. */
static int explain_rows(Work *work, PyObject *explain, PyObject *codes) {
    int32_t *code = (int32_t *)PyBytes_AsString(work->code);
    int32_t *position = (int32_t *)PyBytes_AsString(work->position);
    for (Py_ssize_t row = 0; row < work->strings.rows; row++) {
        if (code[row] != NOT_EXPLAINED) continue;
        const uint8_t *text = NULL;
        Py_ssize_t size = text_of(&work->strings, row, &text);
        Py_ssize_t place;
        const Entry *entry = size == NONE || size > work->limit ? NULL : find(work->names, text, size);
        if (!entry) {
            PyErr_SetString(PyExc_ValueError, "the array was changed while it was read");
            return 0;
        }
        PyObject *name = known_fault(entry->table, text, size, &place);
        if (!name && !(name = explained(explain, text, size, &place))) return 0;
        Py_ssize_t n = index_of(codes, name);
        Py_DECREF(name);
        if (n == NONE) return 0;
        code[row] = (int32_t)n;
        position[row] = (int32_t)place;
    }
    return 1;
}

/* Preparation and results */

/* Return 0 with an error if the description of the part, from Reader.set(), is not what it should be. */
static int set_source(Source *source, const Entry *entry, PyObject *wanted, Output output) {
    source->mark = NONE;
    for (Py_ssize_t i = 0; i < PyTuple_Size(entry->parts); i++) {
        PyObject *part = PyTuple_GetItem(entry->parts, i), *name, *mark, *absent;
        const char *form, *separator;
        if (!PyTuple_Check(part)) {
            PyErr_SetString(PyExc_TypeError, "a part must be a tuple");
            return 0;
        }
        if (!PyArg_ParseTuple(part, "UUssO", &name, &mark, &form, &separator, &absent)) return 0;
        if (PyUnicode_Compare(name, wanted)) continue;
        source->form = form_of(form);
        source->separator = (uint8_t)separator[0];
        Py_ssize_t place = PySequence_Index(entry->table->marks, mark);
        if (place < 0 || source->form == FORMS) return 0;
        source->mark = (int)place;
        source->has_default = output == AS_NUMBER ? PyLong_Check(absent) : PyUnicode_Check(absent);
        if (source->has_default && output == AS_NUMBER) source->number = PyLong_AsLongLong(absent);
        if (source->has_default && output == AS_TEXT) source->text = PyUnicode_AsUTF8AndSize(absent, &source->size);
        return !PyErr_Occurred();
    }
    return !PyErr_Occurred();
}

static PyObject *zeroed(Py_ssize_t size) {
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);
    if (bytes) memset(PyBytes_AsString(bytes), 0, (size_t)size);
    return bytes;
}

static int prepare(Work *work, PyObject *parts) {
    static const char *outputs[] = {"text", "raw", "number"};
    Py_ssize_t rows = work->strings.rows;
    /* Parts are seldom longer than texts: memory that is never written costs nothing, and moving it does. */
    Py_ssize_t octets = rows ? (Py_ssize_t)(offset(&work->strings, rows) - offset(&work->strings, 0)) : 0;
    work->count = PyTuple_Size(parts);
    work->columns = PyMem_Calloc((size_t)work->count + 1, sizeof(Column));
    work->scheme = PyBytes_FromStringAndSize(NULL, rows * (Py_ssize_t)sizeof(int32_t));
    work->code = PyBytes_FromStringAndSize(NULL, rows * (Py_ssize_t)sizeof(int32_t));
    work->position = PyBytes_FromStringAndSize(NULL, rows * (Py_ssize_t)sizeof(int32_t));
    if (!work->columns || !work->scheme || !work->code || !work->position) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t i = 0; i < work->count; i++) {
        Column *column = &work->columns[i];
        PyObject *part = PyTuple_GetItem(parts, i), *name;
        const char *output;
        if (!PyTuple_Check(part) || !PyArg_ParseTuple(part, "Us", &name, &output)) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "parts must be tuples (name, form)");
            return 0;
        }
        int n = 0;
        while (n < 3 && strcmp(output, outputs[n])) n++;
        column->output = (Output)n;
        column->sources = PyMem_Calloc(work->names->slots, sizeof(Source));
        column->validity = zeroed((rows + 7) / 8);
        column->offsets = n == AS_NUMBER ? NULL : zeroed((rows + 1) * work->strings.width);
        if (!column->sources || !column->validity || (n != AS_NUMBER && !column->offsets)) {
            PyErr_NoMemory();
            return 0;
        }
        if (!make_space(column, n == AS_NUMBER ? rows * (Py_ssize_t)sizeof(int64_t) : octets)) {
            PyErr_NoMemory();
            return 0;
        }
        column->bits = (uint8_t *)PyBytes_AsString(column->validity);
        column->offset = column->offsets ? PyBytes_AsString(column->offsets) : NULL;
        if (n == 3) {
            PyErr_Format(PyExc_ValueError, "the form of a part must be text, raw or number, not '%s'", output);
            return 0;
        }
        for (uint32_t slot = 0; slot < work->names->slots; slot++) {
            const Entry *entry = &work->names->entries[slot];
            if (entry->size && !set_source(&column->sources[slot], entry, name, column->output)) return 0;
        }
    }
    return 1;
}

static PyObject *names_tuple(const Names *names) {
    PyObject *tuple = PyTuple_New(names->count);
    for (uint32_t slot = 0; tuple && slot < names->slots; slot++) {
        const Entry *entry = &names->entries[slot];
        if (!entry->size) continue;
        PyObject *name = PyUnicode_DecodeUTF8(entry->name, entry->size, "replace");
        if (!name || PyTuple_SetItem(tuple, (Py_ssize_t)entry->number, name) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* Return the rows that Python must read. */
static PyObject *rest(const Work *work) {
    const int32_t *scheme = (const int32_t *)PyBytes_AsString(work->scheme);
    PyObject *list = PyList_New(0);
    const uint8_t *text;
    for (Py_ssize_t row = 0; list && work->unread && row < work->strings.rows; row++) {
        if (scheme[row] != NONE || text_of(&work->strings, row, &text) == NONE) continue;
        PyObject *number = PyLong_FromSsize_t(row);
        if (!number || PyList_Append(list, number) < 0) Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list;
}

/* Return a bitmap of the numbers that are not negative. */
static PyObject *validity_of(PyObject *numbers, Py_ssize_t rows) {
    const int32_t *number = (const int32_t *)PyBytes_AsString(numbers);
    PyObject *validity = zeroed((rows + 7) / 8);
    uint8_t *bits = validity ? (uint8_t *)PyBytes_AsString(validity) : NULL;
    for (Py_ssize_t row = 0; bits && row < rows; row++) bits[row >> 3] |= (uint8_t)((number[row] >= 0) << (row & 7));
    return validity;
}

/* Return the buffers of a column of texts, given the number of one for each row; a negative one stands for null. */
static PyObject *text_column(const Work *work, PyObject *numbers, PyObject *texts) {
    const int32_t *number = (const int32_t *)PyBytes_AsString(numbers);
    Py_ssize_t rows = work->strings.rows, width = work->strings.width, count = PyTuple_Size(texts), total = 0, used = 0;
    const char **text = PyMem_Calloc((size_t)count + 1, sizeof *text);
    Py_ssize_t *size = PyMem_Calloc((size_t)count + 1, sizeof *size);
    PyObject *offsets = zeroed((rows + 1) * width), *validity = validity_of(numbers, rows), *column = NULL;
    uint8_t *data = NULL;
    for (Py_ssize_t n = 0; text && size && n < count; n++)
        if (!(text[n] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(texts, n), &size[n]))) goto done;
    for (Py_ssize_t row = 0; text && size && row < rows; row++)
        if (number[row] >= 0) total += size[number[row]];
    if (total > INT32_MAX && width == 4) {
        PyErr_SetString(PyExc_ValueError, "the array is too long for offsets of 32 bits");
        goto done;
    }
    if (!text || !size || !offsets || !validity || !(data = malloc((size_t)(total ? total : 1)))) {
        PyErr_NoMemory();
        goto done;
    }
    char *offset = PyBytes_AsString(offsets);
    for (Py_ssize_t row = 0; row < rows; row++) {
        int32_t n = number[row];
        if (n >= 0) {
            memcpy(data + used, text[n], (size_t)size[n]);
            used += size[n];
        }
        set_offset(offset, width, row + 1, used);
    }
    PyObject *buffer = buffer_new(work->buffer, data, used);
    if (!buffer) goto done;
    data = NULL;
    column = PyTuple_Pack(3, offsets, buffer, validity);
    Py_DECREF(buffer);
done:
    free(data);
    PyMem_Free((void *)text);
    PyMem_Free(size);
    Py_XDECREF(offsets);
    Py_XDECREF(validity);
    return column;
}

static PyObject *result(Work *work, PyObject *codes) {
    PyObject *columns = PyTuple_New(work->count), *names = names_tuple(work->names), *rows = rest(work);
    PyObject *all = NULL, *code_tuple = PyList_AsTuple(codes);
    for (Py_ssize_t i = 0; columns && i < work->count; i++) {
        Column *column = &work->columns[i];
        uint8_t *fitting = realloc(column->data, (size_t)(column->used ? column->used : 1));
        if (fitting) column->data = fitting;
        PyObject *data = buffer_new(work->buffer, column->data, column->used);
        if (data) column->data = NULL;
        PyObject *triple = data ? PyTuple_Pack(3, column->offsets ? column->offsets : Py_None, data, column->validity)
                                : NULL;
        Py_XDECREF(data);
        if (!triple || PyTuple_SetItem(columns, i, triple) < 0) Py_CLEAR(columns);
    }
    PyObject *scheme = names ? text_column(work, work->scheme, names) : NULL;
    PyObject *code = code_tuple ? text_column(work, work->code, code_tuple) : NULL;
    PyObject *validity = validity_of(work->position, work->strings.rows);
    if (columns && names && rows && scheme && code && validity)
        all = Py_BuildValue("(OOOO(OOO)OO)", names, work->scheme, scheme, code, Py_None, work->position, validity, columns,
                            rows);
    Py_XDECREF(scheme);
    Py_XDECREF(code);
    Py_XDECREF(validity);
    Py_XDECREF(columns);
    Py_XDECREF(names);
    Py_XDECREF(rows);
    Py_XDECREF(code_tuple);
    return all;
}

static void clean(Work *work) {
    for (Py_ssize_t i = 0; work->columns && i < work->count; i++) {
        Py_XDECREF(work->columns[i].offsets);
        Py_XDECREF(work->columns[i].validity);
        PyMem_Free(work->columns[i].sources);
        free(work->columns[i].data);
    }
    PyMem_Free(work->columns);
    Py_XDECREF(work->scheme);
    Py_XDECREF(work->code);
    Py_XDECREF(work->position);
    names_release(work->names);
    release(&work->strings);
}

PyObject *reader_columns(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *arguments[] = {"offsets", "data", "validity", "validity_offset", "parts", "explain", "limit", NULL};
    Reader *reader = (Reader *)self;
    PyObject *offsets, *data, *validity, *parts, *explain, *codes = NULL, *all = NULL;
    Py_ssize_t first_bit;
    Work work = {.limit = reader->limit};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOnO!O|n:columns", arguments, &offsets, &data, &validity,
                                     &first_bit, &PyTuple_Type, &parts, &explain, &work.limit) ||
        !reader_is_usable(reader) || !acquire(&work.strings, offsets, data, validity, first_bit))
        return NULL;
    work.buffer = ((Types *)PyType_GetModuleState(Py_TYPE(self)))->buffer;
    work.names = reader->names;
    work.names->uses++;
    if (prepare(&work, parts) && (codes = PyList_New(0))) {
        Py_BEGIN_ALLOW_THREADS
        read_rows(&work);
        Py_END_ALLOW_THREADS
        if (work.out_of_memory)
            PyErr_NoMemory();
        else if (explain_rows(&work, explain, codes))
            all = result(&work, codes);
    }
    Py_XDECREF(codes);
    clean(&work);
    return all;
}

/* Names of schemes that are not read natively */

typedef struct {
    uint8_t size;
    char name[LONGEST_NAME];
} Unknown;

static void collect(const Strings *strings, const Names *names, Unknown *unknown) {
    int count = 0;
    for (Py_ssize_t row = 0; row < strings->rows && count < MOST_UNKNOWN; row++) {
        const uint8_t *text;
        Py_ssize_t size = text_of(strings, row, &text), length = size == NONE ? 0 : name_size(text, size);
        if (!length || find(names, text, size)) continue;
        char name[LONGEST_NAME];
        uint32_t slot = 0;
        for (Py_ssize_t i = 0; i < length; i++) {
            name[i] = (char)lower(text[i]);
            slot = slot * 31 + (uint8_t)name[i];
        }
        for (slot %= UNKNOWN_SLOTS; unknown[slot].size; slot = (slot + 1) % UNKNOWN_SLOTS)
            if (unknown[slot].size == length && !memcmp(unknown[slot].name, name, (size_t)length)) break;
        if (unknown[slot].size) continue;
        unknown[slot].size = (uint8_t)length;
        memcpy(unknown[slot].name, name, (size_t)length);
        count++;
    }
}

PyObject *reader_unknown(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *arguments[] = {"offsets", "data", "validity", "validity_offset", NULL};
    Reader *reader = (Reader *)self;
    PyObject *offsets, *data, *validity, *found = NULL;
    Py_ssize_t first_bit;
    Strings strings;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOn:unknown", arguments, &offsets, &data, &validity,
                                     &first_bit) ||
        !reader_is_usable(reader) || !acquire(&strings, offsets, data, validity, first_bit))
        return NULL;
    Unknown *unknown = PyMem_Calloc(UNKNOWN_SLOTS, sizeof(Unknown));
    Names *names = reader->names;
    names->uses++;
    if (unknown) {
        Py_BEGIN_ALLOW_THREADS
        collect(&strings, names, unknown);
        Py_END_ALLOW_THREADS
        found = PySet_New(NULL);
    } else {
        PyErr_NoMemory();
    }
    for (int slot = 0; found && slot < UNKNOWN_SLOTS; slot++) {
        if (!unknown[slot].size) continue;
        PyObject *name = PyUnicode_DecodeUTF8(unknown[slot].name, unknown[slot].size, NULL);
        if (!name || PySet_Add(found, name) < 0) Py_CLEAR(found);
        Py_XDECREF(name);
    }
    PyMem_Free(unknown);
    names_release(names);
    release(&strings);
    return found;
}
