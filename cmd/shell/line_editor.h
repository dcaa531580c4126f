/*
 * line_editor.h - reads lines from a person: a prompt with history and completion
 *
 * libedit does the editing; it is loaded if there is a terminal.  Without a terminal, or without
 * libedit, lines are read as they come.
 */
#ifndef SOTTO_LINE_EDITOR_H
#define SOTTO_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Calls offer(context, word) for every word that could stand at the end of line. */
typedef void (*line_offer)(void *context, const char *word);
typedef void (*line_complete)(void *of, const char *line, line_offer offer, void *context);

struct line_editor;

/* Makes an editor.  complete may be NULL; `of` is passed to it. */
struct line_editor *line_editor_new(FILE *in, FILE *out, line_complete complete, void *of);
void line_editor_free(struct line_editor *e);

enum line_result {
	LINE_READ,
	LINE_STOPPED, /* Ctrl-C: the typed text is dropped */
	LINE_END
};

/*
 * Reads one line without its newline, borrowed until the next call.  The prompt is shown only on
 * a terminal.
 */
enum line_result line_editor_read(struct line_editor *e, const char *prompt, const char **line);

/* Adds an entry to the history and to its file. */
void line_editor_remember(struct line_editor *e, const char *entry);

/* True if a person types, so that prompts make sense. */
bool line_editor_is_terminal(const struct line_editor *e);

#endif
