/*
 * shell.h - the state of a shell: its session, its settings, and the last question
 */
#ifndef SOTTO_SHELL_H
#define SOTTO_SHELL_H

#include "frame/command.h"
#include "query/ask.h"
#include "shell/line_editor.h"
#include "sotto/query.h"

struct shell_settings {
	struct ask_settings ask;
	bool price; /* say what a question costs before it is asked */
	bool chart; /* draw answers below their tables */
};

struct shell {
	struct shell_settings settings; /* the shell's own, which \epsilon and others change */
	struct sotto_session *session;
	struct sotto_tables *tables; /* for completion; NULL if they could not be read */
	struct line_editor *editor;
	enum format format;
	FILE *in, *out, *err;
	char *last; /* the SQL that was last asked or explained, or NULL */
	char *svg; /* file for a chart of the next answer, or NULL */
	bool failed; /* something was refused */
	bool done; /* \q */
};

/* Prints a complaint, and records that there was one. */
void shell_complain(struct shell *s, const struct sotto_error *err);

/* Prints a text in which "--epsilon" of the program is "\epsilon" of the shell. */
void shell_print_words(const char *text, FILE *out);

/* ---- shell_ask.c ----------------------------------------------------------------------------- */

/* Each prints an answer or a complaint. */
void shell_query(struct shell *s, const char *sql);
void shell_explain(struct shell *s, const char *sql);
void shell_preview(struct shell *s, const char *sql);

/* ---- shell_words.c --------------------------------------------------------------------------- */

/*
 * A line_complete whose `of` is the shell: offers names of the policy, words of SQL, backslash
 * commands.
 */
void shell_complete(void *shell, const char *line, line_offer offer, void *context);

/* ---- shell_meta.c ---------------------------------------------------------------------------- */

/* Runs a line that begins with a backslash. */
void shell_obey(struct shell *s, const char *line);

/* Returns the name of the i-th backslash command, or NULL after the last. */
const char *shell_command_name(size_t i);

#endif
