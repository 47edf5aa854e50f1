#include "module.h"

enum { NO_OFFSET = 0xFFFF };

/* A part as a property reads it. `slow` reads it from a URL of another table, or from one that Python code made. */
typedef struct {
    PyObject_HEAD
    PyTypeObject *url;
    Table *table;
    PyObject *absent, *decode, *slow;
    uint32_t mark;
    Form form;
    uint8_t separator;
} Part;

PyObject *url_new(PyTypeObject *type, PyObject *text, Table *table, const int32_t *registers) {
    Url *url = (Url *)PyType_GenericAlloc(type, 0);
    if (!url) return NULL;
    url->text = Py_NewRef(text);
    url->table = (Table *)Py_NewRef((PyObject *)table);
    for (uint32_t tag = 0; tag < table->tags; tag++) url->parts.offsets[tag] = (uint16_t)registers[tag];
    return (PyObject *)url;
}

static void url_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Url *url = (Url *)self;
    if (!url->table) Py_XDECREF(url->parts.match);
    Py_XDECREF((PyObject *)url->table);
    Py_XDECREF(url->text);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *unset(const char *name) {
    PyErr_SetString(PyExc_AttributeError, name);
    return NULL;
}

static PyObject *url_text(PyObject *self, void *closure) {
    PyObject *text = ((Url *)self)->text;
    (void)closure;
    return text ? Py_NewRef(text) : unset("_text");
}

/* The match of the text by the pattern of the type: what few operations need is matched again, not kept. */
static PyObject *url_match(PyObject *self, void *closure) {
    Url *url = (Url *)self;
    (void)closure;
    if (!url->table) return url->parts.match ? Py_NewRef(url->parts.match) : unset("_match");
    PyObject *syntax = PyObject_GetAttrString((PyObject *)Py_TYPE(self), "syntax");
    PyObject *fullmatch = syntax ? PyObject_GetAttrString(syntax, "fullmatch") : NULL;
    PyObject *match = fullmatch ? PyObject_CallFunctionObjArgs(fullmatch, url->text, NULL) : NULL;
    Py_XDECREF(syntax);
    Py_XDECREF(fullmatch);
    return match;
}

static int url_set_match(PyObject *self, PyObject *match, void *closure) {
    Url *url = (Url *)self;
    (void)closure;
    if (!match) {
        unset("_match");
        return -1;
    }
    PyObject *text = PyObject_GetAttrString(match, "string");
    if (!text) return -1;
    PyObject *old[] = {url->text, (PyObject *)url->table, url->table ? NULL : url->parts.match};
    url->text = text;
    url->table = NULL;
    url->parts.match = Py_NewRef(match);
    for (int i = 0; i < 3; i++) Py_XDECREF(old[i]);
    return 0;
}

static PyGetSetDef url_attributes[] = {
    {"_match", url_match, url_set_match, "The match of the text by the pattern of the type.", NULL},
    {"_text", url_text, NULL, "The text.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot url_slots[] = {
    {Py_tp_doc, "The base of all URL types."},
    {Py_tp_dealloc, url_dealloc},
    {Py_tp_getset, url_attributes},
    {0, NULL},
};

PyType_Spec url_spec = {
    "urlschemes_native.Base", sizeof(Url), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    url_slots,
};

/* Parts */

Form form_of(const char *name) {
    static const char *names[] = {"text", "raw", "lower", "number", "all", "all but the last", "last", "other"};
    int form = TEXT;
    while (form < FORMS && strcmp(name, names[form])) form++;
    if (form == FORMS) PyErr_Format(PyExc_ValueError, "no part has the form '%s'", name);
    return (Form)form;
}

int number_of(const uint8_t *octets, Py_ssize_t size, int64_t *value) {
    *value = 0;
    if (size < 1 || size > 18) return 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (octets[i] < '0' || octets[i] > '9') return 0;
        *value = 10 * *value + (octets[i] - '0');
    }
    return 1;
}

static int hexadecimal(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Py_ssize_t unescape(const uint8_t *octets, Py_ssize_t size, uint8_t *decoded) {
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (octets[i] != '%') {
            decoded[n++] = octets[i];
            continue;
        }
        int high = i + 2 < size ? hexadecimal(octets[i + 1]) : -1, low = i + 2 < size ? hexadecimal(octets[i + 2]) : -1;
        if (high < 0 || low < 0) return -1;
        decoded[n++] = (uint8_t)(16 * high + low);
        i += 2;
    }
    return n;
}

/* A text as a Python object: octets that are not UTF-8 become surrogates, as os.fsdecode() does it. */
static PyObject *decoded(PyObject *text, const uint8_t *octets, Py_ssize_t begin, Py_ssize_t end) {
    uint8_t small[256], *buffer = small;
    if (!memchr(octets + begin, '%', (size_t)(end - begin))) return PyUnicode_Substring(text, begin, end);
    if (end - begin > (Py_ssize_t)sizeof small && !(buffer = PyMem_Malloc((size_t)(end - begin))))
        return PyErr_NoMemory();
    Py_ssize_t size = unescape(octets + begin, end - begin, buffer);
    PyObject *value = NULL;
    if (size < 0)
        PyErr_SetString(PyExc_KeyError, "malformed escape"); /* as in Python */
    else
        value = PyUnicode_DecodeUTF8((const char *)buffer, size, "surrogateescape");
    if (buffer != small) PyMem_Free(buffer);
    return value;
}

static PyObject *lower_case(PyObject *text, const uint8_t *octets, Py_ssize_t begin, Py_ssize_t end) {
    char small[256];
    Py_ssize_t first = begin;
    while (first < end && !is_capital(octets[first])) first++;
    if (first == end) return PyUnicode_Substring(text, begin, end);
    if (end - begin > (Py_ssize_t)sizeof small) {
        PyObject *part = PyUnicode_Substring(text, begin, end);
        PyObject *value = part ? PyObject_CallMethod(part, "lower", NULL) : NULL;
        Py_XDECREF(part);
        return value;
    }
    for (Py_ssize_t i = begin; i < end; i++) small[i - begin] = (char)lower(octets[i]);
    return PyUnicode_FromStringAndSize(small, end - begin);
}

/* The elements between separators as a tuple, with the last one or without it. */
static PyObject *elements(const Part *part, PyObject *text, const uint8_t *octets, Py_ssize_t begin, Py_ssize_t end) {
    Py_ssize_t count = part->form == ALL;
    for (Py_ssize_t i = begin; i < end; i++) count += octets[i] == part->separator;
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t n = 0; tuple && n < count; n++) {
        Py_ssize_t stop = begin;
        while (stop < end && octets[stop] != part->separator) stop++;
        PyObject *element = decoded(text, octets, begin, stop);
        if (!element || PyTuple_SetItem(tuple, n, element) < 0) Py_CLEAR(tuple);
        begin = stop + 1;
    }
    return tuple;
}

static PyObject *part_read(PyObject *self, PyObject *object) {
    Part *part = (Part *)self;
    if (!PyObject_TypeCheck(object, part->url) || ((Url *)object)->table != part->table)
        return PyObject_CallFunctionObjArgs(part->slow, object, NULL);
    Url *url = (Url *)object;
    Py_ssize_t begin = url->parts.offsets[2 * part->mark], end = url->parts.offsets[2 * part->mark + 1], size;
    if (begin == NO_OFFSET || end == NO_OFFSET || end < begin) return Py_NewRef(part->absent);
    const uint8_t *octets = (const uint8_t *)PyUnicode_AsUTF8AndSize(url->text, &size);
    int64_t value;
    if (!octets) return NULL;
    switch (part->form) {
    case LOWER:
        return lower_case(url->text, octets, begin, end);
    case NUMBER:
        if (number_of(octets + begin, end - begin, &value)) return PyLong_FromLongLong(value);
        break;
    case ALL:
    case ALL_BUT_THE_LAST:
        return elements(part, url->text, octets, begin, end);
    case LAST:
        for (Py_ssize_t i = end; i > begin; i--)
            if (octets[i - 1] == part->separator) {
                begin = i;
                break;
            }
        return decoded(url->text, octets, begin, end);
    case TEXT:
        return decoded(url->text, octets, begin, end);
    case RAW:
        return PyUnicode_Substring(url->text, begin, end);
    default:
        break;
    }
    PyObject *text = PyUnicode_Substring(url->text, begin, end);
    PyObject *other = text ? PyObject_CallFunctionObjArgs(part->decode, text, NULL) : NULL;
    Py_XDECREF(text);
    return other;
}

static int part_traverse(PyObject *self, visitproc visit, void *arg) {
    Part *part = (Part *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(part->url);
    Py_VISIT(part->absent);
    Py_VISIT(part->decode);
    Py_VISIT(part->slow);
    return 0;
}

static int part_clear(PyObject *self) {
    Part *part = (Part *)self;
    Py_CLEAR(part->url);
    Py_CLEAR(part->table);
    Py_CLEAR(part->absent);
    Py_CLEAR(part->decode);
    Py_CLEAR(part->slow);
    return 0;
}

static void part_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    part_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot part_slots[] = {
    {Py_tp_doc, "The part that a function of part_reader() reads."},
    {Py_tp_dealloc, part_dealloc},
    {Py_tp_traverse, part_traverse},
    {Py_tp_clear, part_clear},
    {0, NULL},
};

PyType_Spec part_spec = {
    "urlschemes_native.Part", sizeof(Part), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, part_slots,
};

static PyMethodDef read_method = {"read", part_read, METH_O, NULL};

PyObject *part_reader(PyObject *module, PyObject *args, PyObject *keywords) {
    static char *names[] = {"table", "mark", "form", "separator", "absent", "decode", "slow", NULL};
    Types *types = PyModule_GetState(module);
    PyObject *table, *mark, *absent, *decode, *slow;
    const char *name, *separator;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!UssOOO:part_reader", names, types->table, &table, &mark, &name,
                                     &separator, &absent, &decode, &slow))
        return NULL;
    Py_ssize_t place = PySequence_Index(((Table *)table)->marks, mark);
    Form form = form_of(name);
    if (place < 0 || form == FORMS) return NULL;
    Part *part = (Part *)PyType_GenericAlloc(types->part, 0);
    if (!part) return NULL;
    part->url = (PyTypeObject *)Py_NewRef((PyObject *)types->url);
    part->table = (Table *)Py_NewRef(table);
    part->absent = Py_NewRef(absent);
    part->decode = Py_NewRef(decode);
    part->slow = Py_NewRef(slow);
    part->mark = (uint32_t)place;
    part->form = form;
    part->separator = (uint8_t)separator[0];
    PyObject *read = PyCFunction_NewEx(&read_method, (PyObject *)part, NULL);
    Py_DECREF((PyObject *)part);
    return read;
}
