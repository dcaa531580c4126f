/* Printable ASCII goes through as it is; everything else is looked at character by character. */
#include "show/printable.h"

#include "frame/allocation.h"
#include "show/utf8.h"

/* A control character or a stray byte is shown as \xNN, one of U+0080.. as \uNNNN. */
static size_t escape_rune(const char *text, struct utf8_rune rune, char escaped[8])
{
	if (!rune.valid || rune.code < 0x80)
		return (size_t)snprintf(escaped, 8, "\\x%02x", (unsigned char)*text);
	return (size_t)snprintf(escaped, 8, "\\u%04x", (unsigned)rune.code);
}

/* How many of the first bytes are printable ASCII, one column each: mostly all. */
static size_t count_plain(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] <= '~')
		n++;
	return n;
}

size_t printable_print(const char *text, FILE *out)
{
	size_t width = count_plain(text);
	struct utf8_rune rune;
	char escaped[8];

	if (out)
		fwrite(text, 1, width, out);
	for (text += width; (rune = utf8_next(text)).length; text += rune.length) {
		if (!rune.valid || utf8_is_control(rune.code)) {
			width += escape_rune(text, rune, escaped);
			if (out)
				fputs(escaped, out);
		} else {
			width += utf8_rune_width(rune.code);
			if (out)
				fwrite(text, 1, rune.length, out);
		}
	}
	return width;
}

char *printable_text(const char *text)
{
	char *made = NULL;
	size_t size;
	FILE *out = open_memstream(&made, &size);

	if (!out)
		memory_fail();
	printable_print(text, out);
	if (fclose(out) != 0)
		memory_fail();
	return made;
}
