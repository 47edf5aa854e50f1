/* Loading a table: everything that the blob says is checked here, so that walking it needs no checks. */
#include "faults.h"

#define MAGIC "URLTAB\x02\x00"

enum { HEADER = 8 + 7 * 4 + 128, LEAST_LOOP = 10, LOOPS = 8 };

static uint32_t u16(const uint8_t *p) { return (uint32_t)(p[0] | p[1] << 8); }

static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }

static int read_steps(Step *steps, uint32_t count, const uint8_t *p, uint32_t most_to, uint32_t moves,
                      uint32_t registers) {
    for (uint32_t i = 0; i < count; i++, p += 8) {
        steps[i].to = (uint16_t)u16(p);
        steps[i].first = u16(p + 2);
        steps[i].count = (uint16_t)u16(p + 4);
        if (steps[i].to > most_to || steps[i].count > registers || steps[i].first + steps[i].count > moves) return 0;
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
    uint32_t tags = u32(p + 20), registers = u32(p + 24);
    if (states < 2 || states > 0xFFFF || classes < 1 || classes > 129 || edges > 0x10000 - states || moves > 0x20000 ||
        finals > 0x20000 || registers > MOST_REGISTERS || tags > registers ||
        tags > INLINE_TAGS || (Py_ssize_t)tags != 2 * marks)
        return 0;
    size_t cells = (size_t)states * classes, padded = (2 * cells + 3) / 4 * 4;
    if ((size_t)size != HEADER + padded + 8 * ((size_t)edges + states) + 2 * ((size_t)moves + finals)) return 0;

    unsigned shift = 0;
    while (1u << shift < classes) shift++;
    size_t row = (size_t)1 << shift, steps = sizeof(Step) * ((size_t)edges + states);
    uint8_t *memory = PyMem_Calloc(1, steps + 2 * row * states + sizeof(Move) * ((size_t)moves + finals) + states);
    if (!memory) return -1;
    table->memory = memory;
    table->edge = (Step *)memory;
    table->final = table->edge + edges;
    table->next = (uint16_t *)(memory + steps);
    table->moves = (Move *)(table->next + row * states);
    table->final_moves = table->moves + moves;
    table->loop = (uint8_t *)(table->final_moves + finals);
    table->states = states;
    table->shift = shift;
    table->edges = edges;
    table->tags = tags;
    table->registers = registers;

    memcpy(table->class_of, p + 28, 128);
    for (int c = 0; c < 128; c++)
        if (table->class_of[c] >= classes) return 0;
    p = blob + HEADER;
    for (size_t i = 0; i < cells; i++) {
        uint32_t to = u16(p + 2 * i);
        if (to >= states + edges || (to != DEAD && (i < classes || i % classes == 0))) return 0;
        table->next[i / classes << shift | i % classes] = (uint16_t)to;
    }
    p += padded;
    if (!read_steps(table->edge, edges, p, states - 1, moves, registers)) return 0;
    for (uint32_t i = 0; i < edges; i++)
        if (table->edge[i].to == DEAD) return 0;
    p += 8 * (size_t)edges;
    if (!read_steps(table->final, states, p, 1, finals, registers)) return 0;
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
    static char *names[] = {"blob", "marks", NULL};
    const char *blob;
    Py_ssize_t size;
    PyObject *marks;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y#O!:Table", names, &blob, &size, &PyTuple_Type, &marks))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(marks); i++)
        if (!PyUnicode_CheckExact(PyTuple_GetItem(marks, i))) {
            PyErr_SetString(PyExc_TypeError, "the marks of a table must be a tuple of str");
            return NULL;
        }
    Table *table = (Table *)PyType_GenericAlloc(type, 0);
    if (!table) return NULL;
    table->marks = Py_NewRef(marks);
    int read = read_blob(table, (const uint8_t *)blob, size, PyTuple_Size(marks));
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
    faults_free(table->faults);
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
    if (size > INT32_MAX) return PyErr_Format(PyExc_OverflowError, "the text is too long");
    if (!walk(table, (const uint8_t *)octets, size, START, 0, registers, &stop))
        return Py_BuildValue("n", stop.at);
    PyObject *spans = PyTuple_New(table->tags);
    for (uint32_t tag = 0; spans && tag < table->tags; tag++) {
        PyObject *place = PyLong_FromLong(registers[tag]);
        if (!place || PyTuple_SetItem(spans, tag, place) < 0) Py_CLEAR(spans);
    }
    return spans;
}

PyDoc_STRVAR(fault_doc,
             "fault($self, text, /)\n--\n\n"
             "Return code and position of the fault of a text, or None if no such fault was learned.");
PyDoc_STRVAR(learn_doc,
             "learn($self, name, kinds, ends, text, states, code, position, /)\n--\n\n"
             "Learn the fault of a text, and the states that the core's walk passed: the first one, one after each\n"
             "character, and one more before the last `@` of the authority.\n\n"
             "`kinds` has an octet for each US-ASCII character, the same for those that have one code everywhere, and 0\n"
             "for those that are legal; `ends` are those that end an authority. No fault of a scheme with another name\n"
             "is known then.");
PyDoc_STRVAR(spans_doc,
             "spans($self, text, /)\n--\n\n"
             "Return where each mark begins and ends, -1 for an absent one; or the index of the first octet that no "
             "URL continues with.\n\nRaises OverflowError for a text of more than 2 GiB.");

static PyMethodDef table_methods[] = {
    {"spans", table_spans, METH_O, spans_doc},
    {"fault", table_fault, METH_O, fault_doc},
    {"learn", table_learn, METH_VARARGS, learn_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(table_doc,
             "Table(blob, marks)\n--\n\n"
             "The automaton of one scheme, loaded. Raises ValueError for an unsound blob.");

static PyType_Slot table_slots[] = {
    {Py_tp_doc, (void *)table_doc},   {Py_tp_new, table_new}, {Py_tp_dealloc, table_dealloc},
    {Py_tp_methods, table_methods},   {0, NULL},
};

PyType_Spec table_spec = {
    "urlschemes_native.Table", sizeof(Table), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, table_slots,
};
