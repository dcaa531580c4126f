/*
 * progress.h - a bar on standard error for work that takes longer than a second
 *
 * Nothing is shown unless standard error is a terminal, nothing in the first second, and at most
 * ten times a second after that, so it may be called as often as is convenient.  The amount of
 * work is public: never pass a number that depends on private data.
 */
#ifndef SOTTO_PROGRESS_H
#define SOTTO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *stream;
	const char *label; /* borrowed */
	uint64_t total; /* 0 if unknown */
	int64_t start; /* milliseconds */
	int64_t next; /* when to draw again */
	bool silent;
	bool drawn;
};

void progress_begin(struct progress *p, const char *label, uint64_t total);
void progress_step(struct progress *p, uint64_t done);
void progress_end(struct progress *p); /* removes the bar */

/* Draws the bar, for total > 0: "label  [#####     ]  50 %", width columns. */
void progress_draw(FILE *stream, const char *label, uint64_t done, uint64_t total,
		   unsigned width);

#endif
