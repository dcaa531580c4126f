/*
 * record_machine.h - decides whether a line starts a well-formed record
 *
 * A machine starts at the beginning of a line, is fed bytes, and is told where each line ends; it
 * then gives its verdict on what it has seen so far.  It keeps no text, so a record may have any
 * length, and it does not depend on anything before its first line.
 */
#ifndef SOTTO_RECORD_MACHINE_H
#define SOTTO_RECORD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SOTTO_RECORD_MAX = 16 << 20, /* bytes of a record, line breaks included */
	SOTTO_CELL_MAX = 1 << 20, /* bytes of one value */
	SOTTO_JSON_DEPTH = 100,
};

enum sotto_record_verdict {
	SOTTO_LINE_EMPTY, /* neither a record nor a mistake: a blank line, a lone bracket */
	SOTTO_LINE_RECORD, /* a record ends here */
	SOTTO_LINE_SEVERAL, /* several records share these lines */
	SOTTO_LINE_OPEN, /* a record continues in the next line */
	SOTTO_LINE_BROKEN, /* no record begins at the machine's line */
};

/* Why a record is malformed; texts for the owner come from the list. */
#define SOTTO_FLAWS(X)                                                                         \
	X(NONE, "nothing is wrong")                                                            \
	X(UNCLOSED, "a quote is opened and not closed")                                        \
	X(AFTER_QUOTE, "text follows a closing quote")                                         \
	X(FEW, "too few cells")                                                                \
	X(MANY, "too many cells")                                                              \
	X(UTF8, "bytes that are not UTF-8")                                                    \
	X(LONG, "longer than 16 MiB")                                                          \
	X(LONG_CELL, "a value longer than 1 MiB")                                              \
	X(NO_OBJECT, "no JSON object")                                                         \
	X(SYNTAX, "not well-formed JSON")                                                      \
	X(DEPTH, "JSON nested deeper than 100 levels")                                         \
	X(SURROGATE, "half a character (a lone surrogate)")                                    \
	X(SHARED, "several records in one line")                                               \
	X(VALUE, "a value that cannot be read")

enum sotto_flaw {
#define SOTTO_FLAW_ENUM(name, text) SOTTO_FLAW_##name,
	SOTTO_FLAWS(SOTTO_FLAW_ENUM)
#undef SOTTO_FLAW_ENUM
};

const char *sotto_flaw_text(enum sotto_flaw flaw);

enum sotto_text_kind {
	SOTTO_TEXT_CSV,
	SOTTO_TEXT_JSON, /* an array, or objects one after another */
	SOTTO_TEXT_JSON_LINES,
};

/* What is known about a text before it is read. */
struct sotto_dialect {
	enum sotto_text_kind kind;
	char delimiter; /* of CSV */
	size_t columns; /* of CSV */
};

struct sotto_machine {
	const struct sotto_dialect *dialect;
	enum sotto_flaw broken; /* of the structure */
	enum sotto_flaw content; /* a flaw in a record whose structure is well-formed */
	uint64_t length; /* of the record */
	uint64_t cell; /* length of the value */
	uint32_t state;
	uint32_t cells; /* CSV: seen; JSON: objects seen */
	uint32_t utf8; /* bytes of a character that are still to come, and their range */
	bool blank; /* only line ends so far */
	/* JSON only */
	uint8_t depth, escape; /* hexadecimal digits still to come */
	uint16_t unit; /* of an escape */
	bool high; /* a surrogate that waits for its other half */
	bool key; /* the current string is a name */
	const char *literal; /* what is left of true, false, null */
	uint64_t objects[2]; /* one bit a level: an object, not an array */
};

void sotto_machine_start(struct sotto_machine *m, const struct sotto_dialect *d);
void sotto_machine_feed(struct sotto_machine *m, const char *bytes, size_t n);

/* last: the text ends here.  After any verdict but OPEN, feed nothing more. */
enum sotto_record_verdict sotto_machine_end_line(struct sotto_machine *m, bool last);

/* ---- the two kinds ------------------------------------------------------------------------ */

void sotto_csv_feed(struct sotto_machine *m, const char *bytes, size_t n);
enum sotto_record_verdict sotto_csv_end_line(struct sotto_machine *m, bool last);
void sotto_json_feed(struct sotto_machine *m, const char *bytes, size_t n);
enum sotto_record_verdict sotto_json_end_line(struct sotto_machine *m, bool last);

/*
 * True if the last byte fed closed the outermost JSON object.  Feed one byte at a time if you ask
 * this.
 */
bool sotto_json_is_closed(const struct sotto_machine *m);

/* Takes one byte of a value: checks UTF-8 and counts the length. */
void sotto_machine_check(struct sotto_machine *m, unsigned char c);

/* Takes n bytes of a value that need no further check. */
void sotto_machine_pass(struct sotto_machine *m, size_t n);

#endif
