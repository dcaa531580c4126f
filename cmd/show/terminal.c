/*
 * Asks the terminal and the environment (NO_COLOR, TERM) each time; for any other stream the
 * escape sequences are empty.
 */
#include "show/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is(FILE *stream)
{
	int fd = fileno(stream);

	return fd >= 0 && isatty(fd);
}

/* True for a terminal that has colours, unless the user has set NO_COLOR. */
static bool has_colours(FILE *stream)
{
	const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");

	if (no_colour && *no_colour)
		return false;
	return terminal_is(stream) && kind && strcmp(kind, "dumb") != 0;
}

unsigned terminal_width(FILE *stream)
{
	struct winsize size;

	if (!terminal_is(stream) || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 ||
	    size.ws_col == 0)
		return 80;
	return size.ws_col;
}

static const char *escape(FILE *stream, const char *sequence)
{
	return has_colours(stream) ? sequence : "";
}

const char *terminal_bold(FILE *stream)
{
	return escape(stream, "\033[1m");
}

const char *terminal_dim(FILE *stream)
{
	return escape(stream, "\033[2m");
}

const char *terminal_plain(FILE *stream)
{
	return escape(stream, "\033[0m");
}
