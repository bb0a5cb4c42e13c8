#include "buffer.h"

const int buffer_version = 3;
static int grown = 0;
static int counter;

static int round_up(size_t wanted);

int buffer_grow(buffer_t *self, size_t wanted) {
    int local = round_up(wanted);
    return local;
}

char *buffer_text(const buffer_t *self) { return self->data; }

static int round_up(size_t wanted)
{
    return (int) wanted;
}
