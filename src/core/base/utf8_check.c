/*
 * Skips ASCII byte by byte and decodes the rest; overlong forms, surrogates and numbers beyond
 * U+10FFFF are refused.
 */
#include "core/base/utf8_check.h"

/* The bytes of a character after its first, and the least that so many may stand for. */
static bool read_character(const uint8_t **next, const uint8_t *end)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	const uint8_t *p = *next;
	size_t more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
	uint32_t x = more ? *p & (0x3fu >> more) : *p;

	if ((*p >= 0x80 && *p < 0xc0) || *p >= 0xf8 || (size_t)(end - p) <= more)
		return false;
	for (size_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return false;
		x = x << 6 | (p[i] & 0x3fu);
	}
	*next = p + more + 1;
	return x >= least[more] && x <= 0x10ffff && (x < 0xd800 || x > 0xdfff);
}

bool sotto_utf8_is_valid(const uint8_t *bytes, size_t n)
{
	const uint8_t *next = bytes, *end = n ? bytes + n : bytes;

	while (next < end)
		if (*next < 0x80)
			next++;
		else if (!read_character(&next, end))
			return false;
	return true;
}
