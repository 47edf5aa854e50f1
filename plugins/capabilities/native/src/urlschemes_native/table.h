/* A table: the tagged deterministic automaton that the core compiles from the rules of one scheme. */
#ifndef URLSCHEMES_TABLE_H
#define URLSCHEMES_TABLE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum {
    DEAD = 0,
    START = 1,
    MOST_REGISTERS = 254,
    INLINE_TAGS = 16,     /* offsets that a URL object holds */
    NOWHERE = -1,         /* the value of a register that was never set */
    LONGEST_URL = 65534,  /* offsets within it fit 16 bits, beside 65535 for an absent part */
    MOST_DIGITS = 4000,   /* of a number: as `DIGITS` of the core */
};

typedef struct {
    uint8_t target, source;
} Move;

enum { ABSENT = 254, HERE = 255 }; /* sources of a Move that are no registers */

/* A step to a state that moves registers; or, for each state, whether it accepts, and what it moves then. */
typedef struct {
    uint16_t to;
    uint16_t count;
    uint32_t first;
} Step;

typedef struct {
    PyObject_HEAD
    PyObject *marks;        /* tuple of str: the part of the tags 2n and 2n + 1 */
    struct Faults *faults;  /* NULL before the first one */
    uint32_t states, edges, tags, registers;
    unsigned shift;         /* a row of `next` has 1 << shift cells */
    uint8_t class_of[256];  /* 0 beyond US-ASCII */
    uint8_t sets[256];      /* for each octet, the loops (bits) that it stays in */
    void *memory;           /* holds the arrays below */
    uint16_t *next;         /* [state << shift | class]: a state, or the number of states + an edge */
    uint8_t *loop;          /* the bit of the state's loop; 0 if it has none */
    Step *edge, *final;
    Move *moves, *final_moves;
} Table;

/* How a walk ended: `state` and the index `at` of the octet that cannot continue; `at` is the length for more octets. */
typedef struct {
    uint32_t state;
    Py_ssize_t at;
} Stop;

static inline void move(const Move *moves, uint32_t count, int32_t *registers, int32_t here) {
    for (uint32_t i = 0; i < count; i++) {
        uint8_t source = moves[i].source;
        registers[moves[i].target] = source == HERE ? here : source == ABSENT ? NOWHERE : registers[source];
    }
}

/* Read text[at:size] from `state`. Return 1 if the text is accepted; the first registers are then the tags. */
static inline int walk(const Table *table, const uint8_t *text, Py_ssize_t size, uint32_t state, Py_ssize_t at,
                       int32_t *registers, Stop *stop) {
    const uint8_t *p = text + at, *end = text + size;
    const uint16_t *next = table->next;
    const uint32_t states = table->states;
    const unsigned shift = table->shift;
    memset(registers, 0xFF, sizeof(int32_t) * table->registers);
    while (p < end) {
        uint32_t to = next[state << shift | table->class_of[*p]];
        if (to >= states) {
            const Step *edge = &table->edge[to - states];
            move(table->moves + edge->first, edge->count, registers, (int32_t)(p - text));
            to = edge->to;
        } else if (to == DEAD) {
            stop->state = state;
            stop->at = p - text;
            return 0;
        }
        state = to;
        p++;
        uint8_t bit = table->loop[state];
        if (bit)
            while (p < end && (table->sets[*p] & bit)) p++;
    }
    const Step *final = &table->final[state];
    if (!final->to) {
        stop->state = state;
        stop->at = size;
        return 0;
    }
    move(table->final_moves + final->first, final->count, registers, (int32_t)size);
    return 1;
}

static inline uint32_t next_of(const Table *table, uint32_t state, uint8_t octet) {
    return table->next[state << table->shift | table->class_of[octet]];
}

/* Return 1 if more digits follow one another than a number may have. Python decides if they are a number. */
static inline int may_hold_long_number(const uint8_t *text, Py_ssize_t size) {
    Py_ssize_t digits = 0;
    for (Py_ssize_t i = 0; size > MOST_DIGITS && i < size && digits <= MOST_DIGITS; i++)
        digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
    return digits > MOST_DIGITS;
}

/* Decode the escapes of `octets` into `decoded`, which has as much space. Return the size; -1 for a malformed escape. */
Py_ssize_t unescape(const uint8_t *octets, Py_ssize_t size, uint8_t *decoded);

extern PyType_Spec table_spec;

#endif
