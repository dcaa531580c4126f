/*
 * What both dialects share: UTF-8 is checked byte by byte, and lengths of cells and records are
 * limited; the dialect's own automaton decides where a record ends.
 */
#include "central/seal/text/record_machine.h"

static const char *const texts[] = {
#define SOTTO_FLAW_TEXT(name, text) [SOTTO_FLAW_##name] = text,
	SOTTO_FLAWS(SOTTO_FLAW_TEXT)
#undef SOTTO_FLAW_TEXT
};

const char *sotto_flaw_text(enum sotto_flaw flaw)
{
	return texts[flaw];
}

void sotto_machine_start(struct sotto_machine *m, const struct sotto_dialect *d)
{
	*m = (struct sotto_machine){.dialect = d, .blank = true};
}

static void note(struct sotto_machine *m, enum sotto_flaw flaw)
{
	if (m->content == SOTTO_FLAW_NONE)
		m->content = flaw;
}

/*
 * UTF-8 by the table of the Unicode standard (3-7): m->utf8 holds how many bytes are
 * to come, and the lowest and highest that the next one may be.
 */
static void check_character(struct sotto_machine *m, unsigned char c)
{
	unsigned left = m->utf8 & 0xff, low = m->utf8 >> 8 & 0xff, high = m->utf8 >> 16;

	if (left > 0) {
		if (c < low || c > high) {
			note(m, SOTTO_FLAW_UTF8);
			m->utf8 = 0;
		} else {
			m->utf8 = left > 1 ? (left - 1) | 0x80u << 8 | 0xbfu << 16 : 0;
		}
		return;
	}
	if (c < 0x80)
		return;
	if (c >= 0xc2 && c <= 0xdf)
		m->utf8 = 1 | 0x80u << 8 | 0xbfu << 16;
	else if (c >= 0xe0 && c <= 0xef)
		m->utf8 = 2 | (c == 0xe0 ? 0xa0u : 0x80u) << 8 |
			  (c == 0xed ? 0x9fu : 0xbfu) << 16;
	else if (c >= 0xf0 && c <= 0xf4)
		m->utf8 = 3 | (c == 0xf0 ? 0x90u : 0x80u) << 8 |
			  (c == 0xf4 ? 0x8fu : 0xbfu) << 16;
	else
		note(m, SOTTO_FLAW_UTF8);
}

void sotto_machine_check(struct sotto_machine *m, unsigned char c)
{
	if (c >= 0x80 || m->utf8)
		check_character(m, c);
	sotto_machine_pass(m, 1);
}

void sotto_machine_pass(struct sotto_machine *m, size_t n)
{
	m->cell += n;
	if (m->cell > SOTTO_CELL_MAX)
		note(m, SOTTO_FLAW_LONG_CELL);
}

void sotto_machine_feed(struct sotto_machine *m, const char *bytes, size_t n)
{
	m->blank = m->blank && m->length + n <= 1 && (n == 0 || bytes[0] == '\r');
	m->length += n;
	if (m->dialect->kind == SOTTO_TEXT_CSV)
		sotto_csv_feed(m, bytes, n);
	else
		sotto_json_feed(m, bytes, n);
}

enum sotto_record_verdict sotto_machine_end_line(struct sotto_machine *m, bool last)
{
	enum sotto_record_verdict v = m->dialect->kind == SOTTO_TEXT_CSV
					      ? sotto_csv_end_line(m, last)
					      : sotto_json_end_line(m, last);

	m->length++;
	if (v == SOTTO_LINE_RECORD) {
		if (m->utf8)
			note(m, SOTTO_FLAW_UTF8);
		if (m->length > SOTTO_RECORD_MAX)
			note(m, SOTTO_FLAW_LONG);
	}
	return v;
}
