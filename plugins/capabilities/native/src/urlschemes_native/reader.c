#include "reader.h"

static const uint32_t BASIS = 2166136261u, PRIME = 16777619u; /* FNV-1a */

const Entry *find(const Names *names, const uint8_t *text, Py_ssize_t size) {
    uint32_t hash = BASIS, mask = names->slots - 1;
    Py_ssize_t n = 0, most = size <= LONGEST_NAME ? size : LONGEST_NAME + 1;
    for (; n < most && text[n] != ':'; n++) hash = (hash ^ lower(text[n])) * PRIME;
    if (n == most) return NULL;
    for (uint32_t slot = hash & mask; names->entries[slot].size; slot = (slot + 1) & mask) {
        const Entry *entry = &names->entries[slot];
        if (entry->hash != hash || entry->size != n) continue;
        Py_ssize_t i = 0;
        while (i < n && lower(text[i]) == (uint8_t)entry->name[i]) i++;
        if (i == n) return entry;
    }
    return NULL;
}

Py_ssize_t name_size(const uint8_t *text, Py_ssize_t size) {
    Py_ssize_t n = 0;
    for (; n < size && n <= LONGEST_NAME && text[n] != ':'; n++) {
        uint8_t c = lower(text[n]);
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')) return 0;
    }
    return n < size && n <= LONGEST_NAME ? n : 0;
}

/* Names */

void names_release(Names *names) {
    if (!names || --names->uses) return;
    for (uint32_t slot = 0; slot < names->slots; slot++) {
        Py_XDECREF((PyObject *)names->entries[slot].table);
        Py_XDECREF((PyObject *)names->entries[slot].type);
        Py_XDECREF(names->entries[slot].parts);
    }
    PyMem_Free(names);
}

static void insert(Names *names, const Entry *entry) {
    uint32_t mask = names->slots - 1, slot = entry->hash & mask;
    while (names->entries[slot].size) slot = (slot + 1) & mask;
    names->entries[slot] = *entry;
    Py_INCREF((PyObject *)entry->table);
    Py_INCREF((PyObject *)entry->type);
    Py_INCREF(entry->parts);
    names->count++;
}

/* Return `old` without what it has under the name of `entry`, and with `entry` if it has a table; NULL without memory. */
static Names *changed(const Names *old, const Entry *entry) {
    uint32_t count = old ? old->count : 0, slots = 8;
    while (slots <= 2 * (count + 1)) slots *= 2;
    Names *names = PyMem_Calloc(1, sizeof(Names) + slots * sizeof(Entry));
    if (!names) return NULL;
    names->uses = 1;
    names->slots = slots;
    for (uint32_t slot = 0; old && slot < old->slots; slot++) {
        const Entry *each = &old->entries[slot];
        if (each->size && (each->size != entry->size || memcmp(each->name, entry->name, each->size)))
            insert(names, each);
    }
    if (entry->table) insert(names, entry);
    for (uint32_t slot = 0, number = 0; slot < slots; slot++)
        if (names->entries[slot].size) names->entries[slot].number = number++;
    return names;
}

/* Let walks begin behind the name where every spelling of it leads to one state without moving a register. */
static void skip_name(Entry *entry) {
    const Table *table = entry->table;
    uint32_t state = START;
    entry->state = START;
    entry->at = 0;
    for (Py_ssize_t i = 0; i <= entry->size; i++) {
        uint8_t c = i < entry->size ? (uint8_t)entry->name[i] : ':';
        uint8_t capital = c >= 'a' && c <= 'z' ? c - 32 : c;
        uint32_t to = next_of(table, state, c);
        if (to == DEAD || to >= table->states || to != next_of(table, state, capital)) return;
        state = to;
    }
    entry->state = state;
    entry->at = entry->size + 1;
}

/* Fill in the name of the entry and its hash. Return 0 with an error for one that cannot be a name. */
static int set_name(Entry *entry, const char *name, Py_ssize_t size) {
    if (size < 1 || size > LONGEST_NAME) {
        PyErr_SetString(PyExc_ValueError, "a scheme name has 1 to 64 characters");
        return 0;
    }
    entry->size = (uint8_t)size;
    entry->hash = BASIS;
    for (Py_ssize_t i = 0; i < size; i++) {
        entry->name[i] = (char)lower((uint8_t)name[i]);
        entry->hash = (entry->hash ^ (uint8_t)entry->name[i]) * PRIME;
    }
    return 1;
}

static PyObject *replace_names(Reader *reader, const Entry *entry) {
    Names *names = changed(reader->names, entry), *old = reader->names;
    if (!names) return PyErr_NoMemory();
    reader->names = names;
    names_release(old);
    Py_RETURN_NONE;
}

/* Methods */

int reader_is_usable(const Reader *reader) {
    if (!reader->names) PyErr_SetString(PyExc_RuntimeError, "the registry of this reader is being deleted");
    return reader->names != NULL;
}

static PyObject *reader_set(PyObject *self, PyObject *args) {
    Reader *reader = (Reader *)self;
    Types *types = PyType_GetModuleState(Py_TYPE(self));
    Entry entry = {0};
    const char *name;
    Py_ssize_t size;
    PyObject *table, *type;
    if (!types || !PyArg_ParseTuple(args, "s#O!O!O!:set", &name, &size, types->table, &table, &PyType_Type, &type,
                                    &PyTuple_Type, &entry.parts))
        return NULL;
    entry.table = (Table *)table;
    entry.type = (PyTypeObject *)type;
    if (!set_name(&entry, name, size) || !reader_is_usable(reader)) return NULL;
    if (!PyType_IsSubtype(entry.type, types->url)) {
        PyErr_SetString(PyExc_TypeError, "type must be a subclass of Base");
        return NULL;
    }
    skip_name(&entry);
    return replace_names(reader, &entry);
}

static PyObject *reader_remove(PyObject *self, PyObject *name) {
    Entry entry = {0};
    Py_ssize_t size;
    const char *octets = PyUnicode_AsUTF8AndSize(name, &size);
    if (!octets || !set_name(&entry, octets, size) || !reader_is_usable((Reader *)self)) return NULL;
    return replace_names((Reader *)self, &entry);
}

/* Let Python parse, with the arguments as they came. */
static PyObject *slowly(Reader *reader, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    PyObject *positional = PyTuple_New(count), *by_name = named ? PyDict_New() : NULL, *result = NULL;
    if (!positional || (named && !by_name)) goto done;
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SetItem(positional, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; i < named; i++)
        if (PyDict_SetItem(by_name, PyTuple_GetItem(keywords, i), args[count + i]) < 0) goto done;
    result = PyObject_Call(reader->slow, positional, by_name);
done:
    Py_XDECREF(positional);
    Py_XDECREF(by_name);
    return result;
}

/* Find `type` and `limit` among the arguments. Return 0 for those that Python should judge. */
static int options(PyObject *const *args, Py_ssize_t count, PyObject *keywords, PyObject **type, Py_ssize_t *limit) {
    PyObject *number = count > 2 ? args[2] : NULL;
    Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    if (count < 1 || count > 3) return 0;
    if (count > 1) *type = args[1];
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GetItem(keywords, i);
        if (PyUnicode_CompareWithASCIIString(name, "limit") == 0 && count < 3)
            number = args[count + i];
        else if (PyUnicode_CompareWithASCIIString(name, "type") == 0 && count < 2)
            *type = args[count + i];
        else
            return 0;
    }
    if (!number) return 1;
    if (!PyLong_CheckExact(number)) return 0;
    *limit = PyLong_AsSsize_t(number);
    if (*limit == -1) PyErr_Clear();
    return *limit >= 0;
}

static PyObject *refuse(Reader *reader, PyObject *text, PyTypeObject *type) {
    PyObject *args = PyTuple_Pack(2, text, (PyObject *)type);
    if (args) {
        PyErr_SetObject(reader->error, args);
        Py_DECREF(args);
    }
    return NULL;
}

static PyObject *reader_parse(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Reader *reader = (Reader *)self;
    PyObject *wanted = reader->any;
    Py_ssize_t limit = reader->limit, size;
    if (!reader_is_usable(reader)) return NULL;
    if ((count != 1 || keywords) && !options(args, count, keywords, &wanted, &limit))
        return slowly(reader, args, count, keywords);
    PyObject *text = args[0];
    if (!PyUnicode_CheckExact(text)) return slowly(reader, args, count, keywords);
    const uint8_t *octets = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!octets) { /* a lone surrogate, or no memory */
        PyErr_Clear();
        return slowly(reader, args, count, keywords);
    }
    const Entry *entry = size <= limit && size <= LONGEST_URL ? find(reader->names, octets, size) : NULL;
    if (!entry || may_hold_long_number(octets, size)) return slowly(reader, args, count, keywords);
    int32_t registers[MOST_REGISTERS];
    Stop stop;
    if (!read_url(entry, octets, size, registers, &stop))
        return wanted == reader->any ? refuse(reader, text, entry->type) : slowly(reader, args, count, keywords);
    if (wanted != reader->any &&
        (!PyType_Check(wanted) || !PyType_IsSubtype(entry->type, (PyTypeObject *)wanted)))
        return slowly(reader, args, count, keywords);
    /* Making the object may run a finalizer, which may change the schemes. */
    PyTypeObject *type = (PyTypeObject *)Py_NewRef((PyObject *)entry->type);
    Table *table = (Table *)Py_NewRef((PyObject *)entry->table);
    PyObject *url = url_new(type, text, table, registers);
    Py_DECREF((PyObject *)type);
    Py_DECREF((PyObject *)table);
    return url;
}

/* A pickled `registry.parse` is the `parse` of the registry where the pickle is loaded, native or not. */
static PyObject *reader_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    if (!reader_is_usable((Reader *)self)) return NULL;
    PyObject *operator = PyImport_ImportModule("operator");
    PyObject *first = operator ? PyObject_CallMethod(operator, "itemgetter", "i", 0) : NULL;
    Py_XDECREF(operator);
    return first ? Py_BuildValue("(N((O)))", first, ((Reader *)self)->owner) : NULL; /* the first of one: the registry */
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"owner", "slow", "error", "any", "limit", NULL};
    PyObject *owner, *slow, *error, *any;
    Py_ssize_t limit;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOn:Reader", names, &owner, &slow, &error, &any, &limit))
        return NULL;
    if (!PyExceptionClass_Check(error)) {
        PyErr_SetString(PyExc_TypeError, "error must be a class of exceptions");
        return NULL;
    }
    Reader *reader = (Reader *)PyType_GenericAlloc(type, 0);
    if (!reader) return NULL;
    reader->owner = Py_NewRef(owner);
    reader->slow = Py_NewRef(slow);
    reader->error = Py_NewRef(error);
    reader->any = Py_NewRef(any);
    reader->limit = limit;
    Entry none = {0};
    reader->names = changed(NULL, &none);
    if (reader->names) return (PyObject *)reader;
    Py_DECREF((PyObject *)reader);
    return PyErr_NoMemory();
}

static int reader_traverse(PyObject *self, visitproc visit, void *arg) {
    Reader *reader = (Reader *)self;
    Py_VISIT((PyObject *)Py_TYPE(self));
    Py_VISIT(reader->owner);
    Py_VISIT(reader->slow);
    Py_VISIT(reader->error);
    Py_VISIT(reader->any);
    /* While `columns` runs it shares the names: what they hold is then referenced from elsewhere, too. */
    for (uint32_t slot = 0; reader->names && reader->names->uses == 1 && slot < reader->names->slots; slot++) {
        Py_VISIT((PyObject *)reader->names->entries[slot].type);
        Py_VISIT(reader->names->entries[slot].parts);
    }
    return 0;
}

static int reader_clear(PyObject *self) {
    Reader *reader = (Reader *)self;
    Names *old = reader->names;
    reader->names = NULL; /* what may still be called sees that the reader is cleared */
    names_release(old);
    Py_CLEAR(reader->owner);
    Py_CLEAR(reader->slow);
    Py_CLEAR(reader->error);
    Py_CLEAR(reader->any);
    return 0;
}

static void reader_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    reader_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

PyDoc_STRVAR(parse_doc,
             "parse($self, text, type=..., limit=65536)\n--\n\n"
             "Return the URL that `text` is: an object of its scheme's type, which must be `type` or a subclass, by\n"
             "default `URL`.\n\n"
             "A URL is returned if it is of that type already. `limit` bounds the number of characters. Raises\n"
             "InvalidURL, UnknownScheme (which says what is known of the name and what to install), PluginError if the\n"
             "plugin of the scheme is at fault.");
PyDoc_STRVAR(set_doc, "set($self, name, table, type, parts, /)\n--\n\nRead the scheme `name` by `table` from now on.");
PyDoc_STRVAR(remove_doc, "remove($self, name, /)\n--\n\nLeave the scheme `name` to Python from now on.");
PyDoc_STRVAR(columns_doc,
             "columns($self, offsets, data, validity, validity_offset, parts, explain, limit=65536)\n--\n\n"
             "Read the URLs of an Arrow array of strings.\n\n"
             "Returns (names, their numbers by rows, scheme, code, position, columns, rest).");
PyDoc_STRVAR(unknown_doc,
             "unknown($self, offsets, data, validity, validity_offset)\n--\n\n"
             "Return the scheme names in an Arrow array of strings that this reader does not read, at most 1,000.");

static PyMethodDef reader_methods[] = {
    {"parse", (PyCFunction)(void (*)(void))reader_parse, METH_FASTCALL | METH_KEYWORDS, parse_doc},
    {"set", reader_set, METH_VARARGS, set_doc},
    {"remove", reader_remove, METH_O, remove_doc},
    {"columns", (PyCFunction)(void (*)(void))reader_columns, METH_VARARGS | METH_KEYWORDS, columns_doc},
    {"unknown", (PyCFunction)(void (*)(void))reader_unknown, METH_VARARGS | METH_KEYWORDS, unknown_doc},
    {"__reduce__", reader_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(reader_doc,
             "Reader(owner, slow, error, any, limit)\n--\n\n"
             "The schemes of one registry that are read natively.\n\n"
             "`slow` parses what is not: it is the `parse` of the registry `owner`. `error` is raised as\n"
             "`error(text, type)` for a text that is no URL. `any` is the type of all URLs, `limit` the default limit.");

static PyType_Slot reader_slots[] = {
    {Py_tp_doc, (void *)reader_doc},      {Py_tp_new, reader_new},         {Py_tp_dealloc, reader_dealloc},
    {Py_tp_traverse, reader_traverse},    {Py_tp_clear, reader_clear},     {Py_tp_methods, reader_methods},
    {0, NULL},
};

PyType_Spec reader_spec = {
    "urlschemes_native.Reader", sizeof(Reader), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, reader_slots,
};
