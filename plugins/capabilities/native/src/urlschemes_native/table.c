/* Loading a table: everything that the blob says is checked here, so that walking it needs no checks. */
#include "table.h"

#define MAGIC "URLTAB\x01\x00"

enum { HEADER = 8 + 8 * 4 + 16 + 128, LEAST_LOOP = 10, LOOPS = 8, MOST_FAULTS = 10000 };

static uint32_t u16(const uint8_t *p) { return (uint32_t)(p[0] | p[1] << 8); }

static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }

static int read_steps(Step *steps, uint32_t count, const uint8_t *p, uint32_t most_to, uint32_t moves) {
    for (uint32_t i = 0; i < count; i++, p += 8) {
        steps[i].to = (uint16_t)u16(p);
        steps[i].first = u16(p + 2);
        steps[i].count = (uint16_t)u16(p + 4);
        if (steps[i].to > most_to || steps[i].first + steps[i].count > moves) return 0;
    }
    return 1;
}

static int read_moves(Move *moves, uint32_t count, const uint8_t *p, uint32_t targets, uint32_t sources, int final) {
    for (uint32_t i = 0; i < count; i++, p += 2) {
        moves[i].target = p[0];
        moves[i].source = p[1];
        int special = p[1] == HERE || (final && p[1] == ABSENT);
        if (p[0] >= targets || (!special && p[1] >= sources)) return 0;
    }
    return 1;
}

/* Return 1 if no move has a source that an earlier one changed: the order of final moves must not matter. */
static int are_independent(const Move *moves, uint32_t count) {
    uint8_t changed[MOST_REGISTERS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (moves[i].source < ABSENT && moves[i].source != moves[i].target && changed[moves[i].source]) return 0;
        changed[moves[i].target] = 1;
    }
    return 1;
}

/* A loop is a state that many characters lead back to, without moves: runs of them are read without the transitions. */
static void find_loops(Table *table) {
    uint8_t known[LOOPS][128];
    int count = 0;
    for (uint32_t state = START; state < table->states; state++) {
        uint8_t stays[128];
        int size = 0, n = 0;
        for (int c = 0; c < 128; c++)
            size += stays[c] = next_of(table, state, (uint8_t)c) == state;
        if (size < LEAST_LOOP) continue;
        while (n < count && memcmp(known[n], stays, sizeof stays)) n++;
        if (n == LOOPS) continue;
        if (n == count) {
            memcpy(known[count++], stays, sizeof stays);
            for (int c = 0; c < 128; c++) table->sets[c] |= (uint8_t)(stays[c] << n);
        }
        table->loop[state] = (uint8_t)(1 << n);
    }
}

/* Fill the table from the blob. Return 1, 0 for an unsound blob, -1 if there is no memory. */
static int read_blob(Table *table, const uint8_t *blob, Py_ssize_t size, Py_ssize_t marks) {
    if (size < HEADER || memcmp(blob, MAGIC, 8)) return 0;
    const uint8_t *p = blob + 8;
    uint32_t states = u32(p), classes = u32(p + 4), edges = u32(p + 8), moves = u32(p + 12), finals = u32(p + 16);
    uint32_t tags = u32(p + 20), registers = u32(p + 24), longest = u32(p + 28);
    if (states < 2 || states > 0xFFFF || classes < 1 || classes > 129 || edges > 0x10000 - states || moves > 0x20000 ||
        finals > 0x20000 || registers > MOST_REGISTERS || tags > registers ||
        tags > INLINE_TAGS || longest > INT32_MAX ||
        (Py_ssize_t)tags != 2 * marks)
        return 0;
    size_t cells = (size_t)states * classes, padded = (2 * cells + 3) / 4 * 4;
    if ((size_t)size != HEADER + padded + 8 * ((size_t)edges + states) + 2 * ((size_t)moves + finals)) return 0;

    unsigned shift = 0;
    while (1u << shift < classes) shift++;
    size_t row = (size_t)1 << shift, steps = sizeof(Step) * ((size_t)edges + states);
    uint8_t *memory = PyMem_Calloc(1, steps + 2 * row * states + sizeof(Move) * ((size_t)moves + finals) + 2 * states);
    if (!memory) return -1;
    table->memory = memory;
    table->edge = (Step *)memory;
    table->final = table->edge + edges;
    table->next = (uint16_t *)(memory + steps);
    table->moves = (Move *)(table->next + row * states);
    table->final_moves = table->moves + moves;
    table->loop = (uint8_t *)(table->final_moves + finals);
    table->is_fork = table->loop + states;
    table->states = states;
    table->shift = shift;
    table->edges = edges;
    table->tags = tags;
    table->registers = registers;
    table->longest = longest;

    p += 32;
    memcpy(table->counted, p, 16);
    memcpy(table->class_of, p + 16, 128);
    for (int c = 0; c < 128; c++)
        if (table->class_of[c] >= classes) return 0;
    p = blob + HEADER;
    unsigned seen = 0;
    for (size_t i = 0; i < cells; i++) {
        uint32_t to = u16(p + 2 * i);
        if (to >= states + edges || (to != DEAD && (i < classes || i % classes == 0))) return 0;
        table->next[i / classes << shift | i % classes] = (uint16_t)to;
        seen = i % classes ? seen + (to != DEAD) : 0;
        table->is_fork[i / classes] = seen > 1;
    }
    p += padded;
    if (!read_steps(table->edge, edges, p, states - 1, moves)) return 0;
    for (uint32_t i = 0; i < edges; i++)
        if (table->edge[i].to == DEAD) return 0;
    p += 8 * (size_t)edges;
    if (!read_steps(table->final, states, p, 1, finals)) return 0;
    p += 8 * (size_t)states;
    if (!read_moves(table->moves, moves, p, registers, registers, 0)) return 0;
    p += 2 * (size_t)moves;
    if (!read_moves(table->final_moves, finals, p, tags, registers, 1)) return 0;
    for (uint32_t state = START; state < states; state++)
        if (!are_independent(table->final_moves + table->final[state].first, table->final[state].count)) return 0;
    find_loops(table);
    return 1;
}

static PyObject *table_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"blob", "marks", "has_host", "has_login", NULL};
    const char *blob;
    Py_ssize_t size;
    PyObject *marks;
    int has_host, has_login;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y#O!pp:Table", names, &blob, &size, &PyTuple_Type, &marks,
                                     &has_host, &has_login))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(marks); i++)
        if (!PyUnicode_CheckExact(PyTuple_GetItem(marks, i))) {
            PyErr_SetString(PyExc_TypeError, "the marks of a table must be a tuple of str");
            return NULL;
        }
    Table *table = (Table *)PyType_GenericAlloc(type, 0);
    if (!table) return NULL;
    table->marks = Py_NewRef(marks);
    table->has_host = has_host;
    table->has_login = has_login;
    table->faults = PyDict_New();
    int read = !table->faults ? -1 : read_blob(table, (const uint8_t *)blob, size, PyTuple_Size(marks));
    if (read == 1) return (PyObject *)table;
    Py_DECREF((PyObject *)table);
    if (read == 0) PyErr_SetString(PyExc_ValueError, "unsound table: expected one that the core compiled");
    return read == 0 ? NULL : PyErr_NoMemory();
}

static void table_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Table *table = (Table *)self;
    PyMem_Free(table->memory);
    Py_XDECREF(table->marks);
    Py_XDECREF(table->faults);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *table_spans(PyObject *self, PyObject *text) {
    Table *table = (Table *)self;
    int32_t registers[MOST_REGISTERS];
    Py_ssize_t size;
    Stop stop;
    const char *octets = PyUnicode_AsUTF8AndSize(text, &size);
    if (!octets) return NULL;
    if (size > INT32_MAX || !counts(table, (const uint8_t *)octets, size)) {
        PyErr_SetString(PyExc_OverflowError, "the text has a run that the table does not count");
        return NULL;
    }
    if (!walk(table, (const uint8_t *)octets, size, START, 0, registers, &stop))
        return Py_BuildValue("n", stop.at);
    PyObject *spans = PyTuple_New(table->tags);
    for (uint32_t tag = 0; spans && tag < table->tags; tag++) {
        PyObject *place = PyLong_FromLong(registers[tag]);
        if (!place || PyTuple_SetItem(spans, tag, place) < 0) Py_CLEAR(spans);
    }
    return spans;
}

/* Faults. Codes are kept: the core computes them from sets of positions, of which a state of the table stands for one,
   whatever the grammar. The exception: the table counts short repetitions, and the core only where no other way remains. */

static int is_escape(const uint8_t *text, Py_ssize_t size, Py_ssize_t at) {
    uint8_t decoded[3];
    return at + 3 <= size && text[at] == '%' && unescape(text + at, 3, decoded) == 1;
}

/* Return 1 if the fault follows from where the walk stopped. The core reads an authority in another way if it has an `@`,
   and one without an `@` as if the scheme had no logins; and it blames a literal that was begun from its beginning. */
static int is_local(const Table *table, const uint8_t *text, Py_ssize_t size, Stop stop, int in_escape) {
    const uint8_t *colon = memchr(text, ':', (size_t)size);
    Py_ssize_t start = colon ? colon - text + 3 : size;
    if (!colon || stop.at < start - 2 || (!table->is_fork[stop.state] && !in_escape)) return 0;
    if (!table->has_host) return 1;
    if (size < start || text[start - 2] != '/' || text[start - 1] != '/') return !table->has_login;
    const uint8_t *slash = memchr(text + start, '/', (size_t)(size - start));
    Py_ssize_t end = slash ? slash - text : size;
    return stop.at > end || (!table->has_login && !memchr(text + start, '@', (size_t)(end - start)));
}

PyObject *fault_of(Table *table, PyObject *explain, const uint8_t *text, Py_ssize_t size, Stop stop,
                   Py_ssize_t *position) {
    Py_ssize_t at = stop.at, back = at >= 1 && text[at - 1] == '%' ? 1 : at >= 2 && text[at - 2] == '%' ? 2 : 0;
    PyObject *key = NULL, *code = NULL, *name, *whole = NULL, *answer = NULL;
    if (is_local(table, text, size, stop, back > 0)) {
        uint32_t octet = at == size ? 256 : text[at] < 128 ? text[at] : 128;
        uint32_t escape = (uint32_t)is_escape(text, size, at - back);
        key = PyLong_FromUnsignedLong(((stop.state << 9 | octet) << 2 | (uint32_t)back) << 1 | escape);
        code = key ? PyDict_GetItemWithError(table->faults, key) : NULL;
        *position = at - back;
    }
    Py_XINCREF(code);
    if (!code && !PyErr_Occurred() && explain != Py_None && (whole = PyUnicode_DecodeUTF8((const char *)text, size, NULL)) &&
        (answer = PyObject_CallFunctionObjArgs(explain, whole, NULL))) {
        if (!PyTuple_Check(answer))
            PyErr_SetString(PyExc_TypeError, "explain must return a tuple");
        else if (PyArg_ParseTuple(answer, "Un", &name, position)) {
            code = Py_NewRef(name);
            if (key && *position == at - back && PyDict_Size(table->faults) < MOST_FAULTS &&
                PyDict_SetItem(table->faults, key, code) < 0)
                Py_CLEAR(code);
        }
    }
    Py_XDECREF(key);
    Py_XDECREF(whole);
    Py_XDECREF(answer);
    return code;
}

static PyObject *table_fault(PyObject *self, PyObject *args) {
    Table *table = (Table *)self;
    int32_t registers[MOST_REGISTERS];
    PyObject *text, *explain;
    Py_ssize_t size, position;
    Stop stop;
    if (!PyArg_ParseTuple(args, "UO:fault", &text, &explain)) return NULL;
    const uint8_t *octets = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!octets) { /* a lone surrogate, or no memory */
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (size > LONGEST_URL || !counts(table, octets, size) || walk(table, octets, size, START, 0, registers, &stop))
        Py_RETURN_NONE;
    PyObject *code = fault_of(table, explain, octets, size, stop, &position);
    if (!code && !PyErr_Occurred()) Py_RETURN_NONE;
    return code ? Py_BuildValue("(Nn)", code, position) : NULL;
}

PyDoc_STRVAR(fault_doc,
             "fault($self, text, explain, /)\n--\n\n"
             "Return code and position of the fault of a text, or None if the table cannot say it.\n\n"
             "`explain(text)` returns them for a fault that is not known yet; if it is None, so is the result then.");
PyDoc_STRVAR(spans_doc,
             "spans($self, text, /)\n--\n\n"
             "Return where each mark begins and ends, -1 for an absent one; or the index of the first octet that no "
             "URL continues with.\n\nRaises OverflowError for a text that the table cannot decide.");

static PyMethodDef table_methods[] = {
    {"spans", table_spans, METH_O, spans_doc},
    {"fault", table_fault, METH_VARARGS, fault_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(table_doc,
             "Table(blob, marks, has_host, has_login)\n--\n\n"
             "The automaton of one scheme, loaded. Raises ValueError for an unsound blob.");

static PyType_Slot table_slots[] = {
    {Py_tp_doc, (void *)table_doc},   {Py_tp_new, table_new}, {Py_tp_dealloc, table_dealloc},
    {Py_tp_methods, table_methods},   {0, NULL},
};

PyType_Spec table_spec = {
    "urlschemes_native.Table", sizeof(Table), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, table_slots,
};
