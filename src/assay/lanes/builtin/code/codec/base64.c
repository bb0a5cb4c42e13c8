#include <stddef.h>
#include <stdint.h>

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* A view of bytes that somebody else owns. */
struct byte_span {
    const uint8_t *data;
    size_t length;
};

/* Length of the text that encodes that many bytes, padding included. */
size_t base64_encoded_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

/* Writes the text of the span; out must hold base64_encoded_length bytes. */
void base64_encode(struct byte_span span, char *out) {
    for (size_t at = 0; at < span.length; at += 3) {
        uint32_t block = (uint32_t)span.data[at] << 16;
        block |= at + 1 < span.length ? (uint32_t)span.data[at + 1] << 8 : 0;
        block |= at + 2 < span.length ? (uint32_t)span.data[at + 2] : 0;
        *out++ = ALPHABET[block >> 18 & 63];
        *out++ = ALPHABET[block >> 12 & 63];
        *out++ = at + 1 < span.length ? ALPHABET[block >> 6 & 63] : '=';
        *out++ = at + 2 < span.length ? ALPHABET[block & 63] : '=';
    }
}

/* The six bits of a character, or -1 when it is not of the alphabet. */
int base64_decode_char(char c) {
    for (int value = 0; value < 64; value++) {
        if (ALPHABET[value] == c) {
            return value;
        }
    }
    return -1;
}
