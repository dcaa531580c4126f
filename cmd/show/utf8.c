/*
 * Decodes strictly: overlong forms, surrogates and truncated sequences count as one broken byte
 * each, so that reading always goes on.
 */
#include "show/utf8.h"

#include <wchar.h>

static const struct utf8_rune broken = {0xFFFD, 1, false};

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xC0) == 0x80;
}

/* Bytes in the sequence that starts with lead; 0 if none can. */
static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xC2 && lead <= 0xDF)
		return 2;
	if (lead >= 0xE0 && lead <= 0xEF)
		return 3;
	if (lead >= 0xF0 && lead <= 0xF4)
		return 4;
	return 0;
}

struct utf8_rune utf8_next(const char *text)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *byte = (const unsigned char *)text;
	size_t length = sequence_length(byte[0]);
	uint32_t code;

	if (byte[0] == '\0')
		return (struct utf8_rune){0, 0, true};
	if (length < 2)
		return length ? (struct utf8_rune){byte[0], 1, true} : broken;
	code = byte[0] & (0x7Fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (!is_continuation(byte[i]))
			return broken;
		code = code << 6 | (byte[i] & 0x3Fu);
	}
	if (code < lowest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		return broken;
	return (struct utf8_rune){code, length, true};
}

size_t utf8_rune_width(uint32_t code)
{
	int width = wcwidth((wchar_t)code);

	return width >= 0 ? (size_t)width : 1;
}

bool utf8_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}
