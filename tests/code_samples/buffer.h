/* Copyright 2026 the authors. Licensed under the MIT licence. */
#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>

#define BUFFER_SIZE 4096
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* A run of bytes. */
typedef struct buffer {
    char *data;
    size_t length;
} buffer_t;

struct node {
    struct node *next;
    union {
        int number;
        char *text;
    } value;
};

enum colour { RED, GREEN };

typedef int (*compare_fn)(const void *, const void *);

#ifdef __cplusplus
extern "C" {
#endif

/* Makes room for more. */
int buffer_grow(buffer_t *self, size_t wanted);
char *buffer_text(const buffer_t *self);
extern const int buffer_version;

#ifdef __cplusplus
}
#endif

#endif
