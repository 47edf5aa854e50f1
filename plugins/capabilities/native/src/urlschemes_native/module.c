#include "reader.h"

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type && PyModule_AddType(module, (PyTypeObject *)type) < 0) Py_CLEAR(type);
    return (PyTypeObject *)type;
}

static int module_exec(PyObject *module) {
    Types *types = PyModule_GetState(module);
    types->part = (PyTypeObject *)PyType_FromModuleAndSpec(module, &part_spec, NULL);
    types->buffer = (PyTypeObject *)PyType_FromModuleAndSpec(module, &buffer_spec, NULL);
    if (!types->part || !types->buffer || !(types->table = add_type(module, &table_spec)) ||
        !(types->url = add_type(module, &url_spec)) || !(types->reader = add_type(module, &reader_spec)))
        return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    Types *types = PyModule_GetState(module);
    Py_VISIT(types->table);
    Py_VISIT(types->url);
    Py_VISIT(types->part);
    Py_VISIT(types->reader);
    Py_VISIT(types->buffer);
    return 0;
}

static int module_clear(PyObject *module) {
    Types *types = PyModule_GetState(module);
    Py_CLEAR(types->table);
    Py_CLEAR(types->url);
    Py_CLEAR(types->part);
    Py_CLEAR(types->reader);
    Py_CLEAR(types->buffer);
    return 0;
}

PyDoc_STRVAR(part_reader_doc,
             "part_reader($module, table, mark, form, separator, absent, decode, slow)\n--\n\n"
             "Return the function that reads a part of a URL: the occurrence `mark`, in one of the forms text, raw,\n"
             "lower, number, all, all but the last, last (elements between separators), and other, which `decode` returns.\n\n"
             "`slow` reads URLs that have another table.");

static PyMethodDef functions[] = {
    {"part_reader", (PyCFunction)(void (*)(void))part_reader, METH_VARARGS | METH_KEYWORDS, part_reader_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "urlschemes_native._native", NULL, sizeof(Types), functions, slots,
    module_traverse, module_clear, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
