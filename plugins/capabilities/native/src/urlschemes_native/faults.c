/* Faults. The core explains them by walks over its automaton. The states that its walks passed are kept here, and for the
   last one code and position, by everything else that they depend on: later faults of that kind are found without it. */
#include "faults.h"
#include "url.h"

enum {
    MOST_STATES = 4096,
    MOST_FAULTS = 16384,
    FIRST_ROWS = 64,
    FIRST_FAULTS = 64,
    UNKNOWN = 0, STOPS = 0xFFFF,                /* no states: none was learned, and there is none */
    LEGAL = 0, NOT_ASCII = 253, ESCAPE, PERCENT, /* kinds of characters, beside those that the core gave */
};

/* Where the position is: before the index at which the walk stopped, at the start of the authority, or one of these. */
typedef enum { BEFORE_STOP, AT_START, EITHER } Anchor;

typedef struct {
    uint64_t key;     /* 0: the slot is free */
    PyObject *code;
    Py_ssize_t before;
    Anchor anchor;
} Fault;

struct Faults {
    PyObject *numbers;         /* dict: from the states of the core to their numbers, from 1 up */
    uint32_t rows;             /* numbers that there is memory for */
    uint16_t *next;            /* [number << shift | class of the character]: a number, UNKNOWN or STOPS */
    uint16_t *behind;          /* [number]: the state before the last `@` of an authority as the one that goes on there */
    uint16_t first[3];         /* of texts without an authority, with one that has no `@`, and with one that has */
    uint8_t kinds[128];
    uint8_t ends[128];         /* 1 for the characters that end an authority */
    char name[256];            /* of the scheme; empty for any */
    Py_ssize_t name_size;
    Fault *faults;             /* a hash table */
    uint32_t slots, count;
};

/* The delimiters of a text, as `authority_of` of the core finds them; those of an authority are -1 if there is none. */
typedef struct {
    Py_ssize_t colon, start, at, end;
} Delimiters;

static Delimiters delimiters_of(const Faults *faults, const uint8_t *text, Py_ssize_t size) {
    const uint8_t *colon = size ? memchr(text, ':', (size_t)size) : NULL;
    Delimiters found = {colon ? colon - text : -1, -1, -1, -1};
    Py_ssize_t start = found.colon + 3;
    if (!colon || start > size || text[start - 2] != '/' || text[start - 1] != '/') return found;
    found.start = found.end = start;
    for (; found.end < size && !(text[found.end] < 128 && faults->ends[text[found.end]]); found.end++)
        if (text[found.end] == '@') found.at = found.end;
    return found;
}

static int first_of(Delimiters parts) { return parts.start < 0 ? 0 : parts.at < 0 ? 1 : 2; }

/* Walk over states that were learned. Return the number of the last one and its index; UNKNOWN if there are others. */
static uint32_t walk_learned(const Table *table, const uint8_t *text, Py_ssize_t size, Delimiters parts,
                             Py_ssize_t *index) {
    const Faults *faults = table->faults;
    uint32_t state = faults->first[first_of(parts)];
    Py_ssize_t i = 0, at = parts.at;
    for (Py_ssize_t end = at >= 0 ? at : size; state != UNKNOWN; end = size) {
        for (; i < end; i++) {
            uint32_t to = faults->next[state << table->shift | table->class_of[text[i]]];
            if (to == UNKNOWN) return UNKNOWN;
            if (to == STOPS) {
                *index = i;
                return state;
            }
            state = to;
        }
        if (end == size) break;
        state = faults->behind[state];
    }
    *index = size;
    return state;
}

static uint64_t kind_of(const Faults *faults, const uint8_t *text, Py_ssize_t size, Py_ssize_t at) {
    uint8_t decoded[3];
    if (at == size) return LEGAL;
    if (text[at] > 127) return NOT_ASCII;
    if (text[at] == ':' || faults->ends[text[at]]) return text[at]; /* they end hosts */
    if (text[at] == '%') return at + 3 <= size && unescape(text + at, 3, decoded) == 1 ? ESCAPE : PERCENT;
    return faults->kinds[text[at]];
}

/* Return how many characters before the index an escape was begun. */
static Py_ssize_t begun(const uint8_t *text, Py_ssize_t index) {
    return index >= 1 && text[index - 1] == '%' ? 1 : index >= 2 && text[index - 2] == '%' ? 2 : 0;
}

/* Return 1 if the host looks like an IPv6 address, where one stands in brackets: as `is_like_ipv6` of the core. */
static uint64_t is_like_ipv6(const Faults *faults, const uint8_t *text, Delimiters parts) {
    int colons = 0;
    if (parts.start < 0 || faults->kinds['['] != LEGAL) return 0;
    for (Py_ssize_t i = parts.at < 0 ? parts.start : parts.at + 1; i < parts.end; i++) {
        int letter = text[i] | 0x20;
        if (text[i] == ':') colons++;
        else if (text[i] == '.' ? !colons
                                : !(text[i] >= '0' && text[i] <= '9') && !(letter >= 'a' && letter <= 'f')) return 0;
    }
    return colons > 1;
}

/* Return what code and position depend on, behind the name of the scheme. */
static uint64_t key_of(const Faults *faults, uint32_t state, const uint8_t *text, Py_ssize_t size, Delimiters parts,
                       Py_ssize_t index) {
    Py_ssize_t back = begun(text, index), slashes = index - parts.colon - 1;
    uint64_t key = state;
    key = key << 8 | kind_of(faults, text, size, index - back);
    key = key << 2 | (uint64_t)back;
    key = key << 2 | (uint64_t)(slashes < 2 ? slashes : 2);
    key = key << 1 | (index == size);
    key = key << 1 | is_like_ipv6(faults, text, parts);
    if (parts.start < 0 || index < parts.start || index > parts.at) return key << 9;
    return key << 9 | 256 | kind_of(faults, text, size, parts.start);
}

/* Return the fault of a key, or the free slot for it. */
static Fault *slot_of(const Faults *faults, uint64_t key) {
    uint32_t mask = faults->slots - 1, slot = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (faults->faults[slot].key && faults->faults[slot].key != key) slot = (slot + 1) & mask;
    return &faults->faults[slot];
}

static int has_name(const Faults *faults, const uint8_t *text, Py_ssize_t size) {
    if (faults->name_size && faults->name_size != size) return 0;
    Py_ssize_t i = 0;
    while (i < faults->name_size && lower(text[i]) == (uint8_t)faults->name[i]) i++;
    return i == faults->name_size;
}

PyObject *known_fault(const Table *table, const uint8_t *text, Py_ssize_t size, Py_ssize_t *position) {
    const Faults *faults = table->faults;
    if (!faults) return NULL;
    Delimiters parts = delimiters_of(faults, text, size);
    Py_ssize_t index;
    uint32_t state = walk_learned(table, text, size, parts, &index);
    if (state == UNKNOWN || parts.colon < 0 || index <= parts.colon || !has_name(faults, text, parts.colon))
        return NULL;
    const Fault *fault = slot_of(faults, key_of(faults, state, text, size, parts, index));
    if (!fault->key || (fault->anchor == EITHER && index - fault->before != parts.start)) return NULL;
    *position = fault->anchor == AT_START ? parts.start : index - fault->before;
    return Py_NewRef(fault->code);
}

/* Learning */

void faults_free(Faults *faults) {
    if (!faults) return;
    for (uint32_t slot = 0; slot < faults->slots; slot++) Py_XDECREF(faults->faults[slot].code);
    Py_XDECREF(faults->numbers);
    PyMem_Free(faults->faults);
    PyMem_Free(faults->next);
    PyMem_Free(faults->behind);
    PyMem_Free(faults);
}

/* Return memory for the faults of a scheme; NULL with an error. */
static Faults *faults_new(const char *name, Py_ssize_t name_size, const char *kinds, const char *ends) {
    Faults *faults = PyMem_Calloc(1, sizeof(Faults));
    if (!faults) return (Faults *)PyErr_NoMemory();
    faults->slots = FIRST_FAULTS;
    faults->faults = PyMem_Calloc(FIRST_FAULTS, sizeof(Fault));
    faults->numbers = PyDict_New();
    if (!faults->faults || !faults->numbers) {
        if (!faults->faults) faults->slots = 0;
        faults_free(faults);
        return (Faults *)PyErr_NoMemory();
    }
    memcpy(faults->name, name, (size_t)name_size);
    memcpy(faults->kinds, kinds, sizeof faults->kinds);
    for (; *ends; ends++)
        if ((uint8_t)*ends < 128) faults->ends[(uint8_t)*ends] = 1;
    faults->name_size = name_size;
    return faults;
}

/* Let there be rows for all numbers. Return 0 without memory. */
static int make_rows(Faults *faults, unsigned shift) {
    while ((Py_ssize_t)faults->rows <= PyDict_Size(faults->numbers)) {
        uint32_t rows = faults->rows ? 2 * faults->rows : FIRST_ROWS;
        uint16_t *next = PyMem_Realloc(faults->next, ((size_t)rows << shift) * sizeof *next);
        if (!next) return 0;
        faults->next = next;
        uint16_t *behind = PyMem_Realloc(faults->behind, rows * sizeof *behind);
        if (!behind) return 0;
        faults->behind = behind;
        memset(next + ((size_t)faults->rows << shift), 0, ((size_t)(rows - faults->rows) << shift) * sizeof *next);
        memset(behind + faults->rows, 0, (rows - faults->rows) * sizeof *behind);
        faults->rows = rows;
    }
    return 1;
}

/* Put the numbers of the states into `path`. Return 0 with an error, or if there are too many. */
static int number_states(Faults *faults, PyObject *states, Py_ssize_t count, uint16_t *path) {
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *state = Py_XNewRef(PyList_GetItem(states, i)); /* its __hash__ may take it from the list */
        PyObject *number = state ? PyDict_GetItemWithError(faults->numbers, state) : NULL, *added = NULL;
        Py_ssize_t known = PyDict_Size(faults->numbers);
        if (number)
            path[i] = (uint16_t)PyLong_AsLong(number);
        else if (!PyErr_Occurred() && known < MOST_STATES && (added = PyLong_FromSsize_t(known + 1)) &&
                 PyDict_SetItem(faults->numbers, state, added) == 0)
            number = added, path[i] = (uint16_t)(known + 1);
        Py_XDECREF(added);
        Py_XDECREF(state);
        if (!number) return 0;
    }
    return 1;
}

static void learn_walk(Faults *faults, const Table *table, const uint8_t *text, Py_ssize_t size, Delimiters parts,
                       Py_ssize_t index, const uint16_t *path) {
    faults->first[first_of(parts)] = *path;
    for (Py_ssize_t i = 0; i <= index; i++) {
        if (i == parts.at) {
            faults->behind[path[0]] = path[1];
            path++;
        }
        if (i == size) break;
        faults->next[*path << table->shift | table->class_of[text[i]]] = i < index ? path[1] : STOPS;
        path++;
    }
}

/* Return 0 without memory. */
static int learn_fault(Faults *faults, uint64_t key, PyObject *code, Py_ssize_t index, Py_ssize_t start,
                       Py_ssize_t position) {
    if (2 * faults->count >= faults->slots && faults->slots < 2 * MOST_FAULTS) {
        Fault *old = faults->faults, *wide = PyMem_Calloc(2 * (size_t)faults->slots, sizeof(Fault));
        if (!wide) return 0;
        faults->faults = wide;
        faults->slots *= 2;
        for (uint32_t slot = 0; slot < faults->slots / 2; slot++)
            if (old[slot].key) *slot_of(faults, old[slot].key) = old[slot];
        PyMem_Free(old);
    }
    Fault *fault = slot_of(faults, key);
    if (!fault->key && faults->count < MOST_FAULTS) {
        *fault = (Fault){key, Py_NewRef(code), index - position, position == start ? EITHER : BEFORE_STOP};
        faults->count++;
    } else if (fault->key && fault->anchor == EITHER && (position == start) != (position == index - fault->before)) {
        fault->anchor = position == start ? AT_START : BEFORE_STOP;
    }
    return 1;
}

PyObject *table_learn(PyObject *self, PyObject *args) {
    Table *table = (Table *)self;
    const char *name, *kinds, *ends;
    Py_ssize_t name_size, kinds_size, size, position;
    PyObject *text, *states, *code;
    if (!PyArg_ParseTuple(args, "s#y#sUO!Un:learn", &name, &name_size, &kinds, &kinds_size, &ends, &text, &PyList_Type,
                          &states, &code, &position))
        return NULL;
    const uint8_t *octets = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!octets) return NULL;
    if (kinds_size != 128) return PyErr_Format(PyExc_ValueError, "expected the kinds of 128 characters");
    if (name_size > (Py_ssize_t)sizeof table->faults->name) Py_RETURN_NONE;
    if (!table->faults && !(table->faults = faults_new(name, name_size, kinds, ends))) return NULL;
    Faults *faults = table->faults;
    Delimiters parts = delimiters_of(faults, octets, size);
    /* The last `@` of an authority takes two states: the one before it, and the one that goes on there. */
    Py_ssize_t count = PyList_Size(states), index = count - 1;
    if (parts.at >= 0 && index > parts.at) index--;
    if (index < 0 || index > size || (parts.at >= 0 && index == parts.at && count != index + 2)) Py_RETURN_NONE;
    uint16_t *path = PyMem_Malloc((size_t)count * sizeof *path);
    if (!path) return PyErr_NoMemory();
    int learned = number_states(faults, states, count, path) && (make_rows(faults, table->shift) || PyErr_NoMemory());
    if (learned) {
        uint32_t last = path[count - 1];
        learn_walk(faults, table, octets, size, parts, index, path);
        if (parts.colon >= 0 && index > parts.colon && position >= 0 && position <= index &&
            has_name(faults, octets, parts.colon)) {
            Py_ssize_t start = parts.start >= 0 && index >= parts.start && index <= parts.at ? parts.start : -1;
            if (!learn_fault(faults, key_of(faults, last, octets, size, parts, index), code, index, start, position))
                PyErr_NoMemory();
        }
    }
    PyMem_Free(path);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

PyObject *table_fault(PyObject *self, PyObject *text) {
    Py_ssize_t size, position;
    const uint8_t *octets = PyUnicode_Check(text) ? (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size) : NULL;
    PyErr_Clear(); /* a lone surrogate, or no memory */
    PyObject *code = octets ? known_fault((Table *)self, octets, size, &position) : NULL;
    return code ? Py_BuildValue("(Nn)", code, position) : Py_NewRef(Py_None);
}
