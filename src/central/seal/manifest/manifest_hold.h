/*
 * manifest_hold.h - what a question reads stays there until it is answered
 *
 * A question finds the copies by a manifest and opens them later, after it was charged.  Sealing replaces the
 * manifest and takes away what the new one does not name: only after all have let go of the old one.
 */
#ifndef SOTTO_MANIFEST_HOLD_H
#define SOTTO_MANIFEST_HOLD_H

#include <stdbool.h>

/* The manifest that the folder has now; -1: none that can be read. */
int sotto_manifest_hold(const char *folder);
bool sotto_manifest_is_held(int held, const char *folder); /* and is still the folder's */
void sotto_manifest_let_go(int *held); /* -1 afterwards; may be -1 */

/* The manifest before it is replaced, for the next one; -1: there is none. */
int sotto_manifest_mark(const char *folder);

/* Waits until nobody holds it, for a minute at most: false if somebody still does.  Closes it. */
bool sotto_manifest_wait(int mark);

#endif
