/*
 * Looks up the functions of libedit with dlopen and gives it a reader of its own, in which
 * Ctrl-C is let through only while it waits for a key.
 */
#include "shell/line_editor.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "frame/allocation.h"
#include "shell/line_completion.h"
#include "show/terminal.h"

enum { HISTORY_LENGTH = 1000 };

/* What is used of libedit. */
struct library {
	void *handle;
	EditLine *(*el_init)(const char *, FILE *, FILE *, FILE *);
	void (*el_end)(EditLine *);
	void (*el_reset)(EditLine *);
	const char *(*el_gets)(EditLine *, int *);
	int (*el_set)(EditLine *, int, ...);
	int (*el_wset)(EditLine *, int, ...);
	int (*el_source)(EditLine *, const char *);
	const LineInfo *(*el_line)(EditLine *);
	int (*el_insertstr)(EditLine *, const char *);
	History *(*history_init)(void);
	void (*history_end)(History *);
	int (*history)(History *, HistEvent *, int, ...);
};

struct line_editor {
	FILE *in, *out;
	line_complete complete;
	void *of;
	struct library lib;
	EditLine *edit; /* NULL: lines are read as they come */
	History *history;
	char *file; /* of the history; NULL: none */
	const char *prompt;
	char *line;
	size_t room;
};

/* ---- the library ---------------------------------------------------------------------------- */

static bool load(struct library *lib)
{
	const struct {
		const char *name;
		void *to;
	} wanted[] = {{"el_init", &lib->el_init},
		      {"el_end", &lib->el_end},
		      {"el_reset", &lib->el_reset},
		      {"el_gets", &lib->el_gets},
		      {"el_set", &lib->el_set},
		      {"el_wset", &lib->el_wset},
		      {"el_source", &lib->el_source},
		      {"el_line", &lib->el_line},
		      {"el_insertstr", &lib->el_insertstr},
		      {"history_init", &lib->history_init},
		      {"history_end", &lib->history_end},
		      {"history", &lib->history}};

	/* It stays loaded: what ncurses has allocated below it would otherwise be lost. */
	lib->handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	for (size_t i = 0; lib->handle && i < sizeof wanted / sizeof wanted[0]; i++) {
		void *found = dlsym(lib->handle, wanted[i].name);

		if (!found) {
			(void)dlclose(lib->handle);
			lib->handle = NULL;
		}
		memcpy(wanted[i].to, &found, sizeof found);
	}
	return lib->handle != NULL;
}

/* ---- completion ------------------------------------------------------------------------------ */

/* libedit hands its callbacks nothing but itself: the editor that reads a line now. */
static struct line_editor *reading;

static unsigned char on_tab(EditLine *edit, int key)
{
	struct line_editor *e = reading;
	const LineInfo *info = e->lib.el_line(edit);
	char *line = memory_text("%.*s", (int)(info->cursor - info->buffer), info->buffer);
	struct line_completion c;
	unsigned char result = CC_ERROR;

	(void)key;
	line_completion_init(&c, line);
	if (e->complete)
		e->complete(e->of, line, line_completion_offer, &c);
	if (c.insert && *c.insert) {
		if (e->lib.el_insertstr(edit, c.insert) == 0)
			result = CC_REFRESH;
	} else if (c.count > 1) {
		line_completion_list(&c, e->out, terminal_width(e->out));
		result = CC_REDISPLAY;
	}
	line_completion_release(&c);
	free(line);
	return result;
}

static char *show_prompt(EditLine *edit)
{
	(void)edit;
	return (char *)reading->prompt;
}

/* ---- history --------------------------------------------------------------------------------- */

/* $SOTTO_HISTORY, or a file at home; an empty $SOTTO_HISTORY: none.  NULL: none. */
static char *history_file(void)
{
	const char *named = getenv("SOTTO_HISTORY"), *home = getenv("HOME");

	if (named)
		return *named ? memory_copy_text(named) : NULL;
	return home && *home ? memory_text("%s/.sotto_history", home) : NULL;
}

static void open_history(struct line_editor *e)
{
	HistEvent event;

	e->history = e->lib.history_init();
	if (!e->history)
		return;
	(void)e->lib.history(e->history, &event, H_SETSIZE, HISTORY_LENGTH);
	(void)e->lib.history(e->history, &event, H_SETUNIQUE, 1);
	e->file = history_file();
	if (e->file)
		(void)e->lib.history(e->history, &event, H_LOAD, e->file);
	(void)e->lib.el_set(e->edit, EL_HIST, e->lib.history, e->history);
}

/* Readable by its owner alone from the start: libedit would take that from others once it is written. */
static void create_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);

	if (fd >= 0)
		(void)close(fd);
}

void line_editor_remember(struct line_editor *e, const char *entry)
{
	HistEvent event;

	if (!e->history || !*entry)
		return;
	(void)e->lib.history(e->history, &event, H_ENTER, entry);
	if (!e->file)
		return;
	create_file(e->file);
	(void)e->lib.history(e->history, &event, H_SAVE, e->file);
}

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t was_stopped;

static void note_stop(int number)
{
	(void)number;
	was_stopped = 1;
}

/*
 * Waits for input.  Ctrl-C is held back everywhere but here: one that came between two
 * waits would otherwise be noticed only with the next key.  False: it came.
 */
static bool wait_for_input(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	sigset_t open;

	(void)pthread_sigmask(SIG_SETMASK, NULL, &open);
	(void)sigdelset(&open, SIGINT);
	while (!was_stopped && ppoll(&p, 1, NULL, &open) < 0)
		if (errno != EINTR)
			break;
	return !was_stopped;
}

/* libedit's way to read: a letter, which may have several bytes.  1: read, 0: the end, -1: not. */
static int read_letter(EditLine *edit, wchar_t *out)
{
	int fd = fileno(reading->in);
	mbstate_t state = {0};
	wchar_t letter;
	char byte;

	(void)edit;
	for (;;) {
		size_t n;
		ssize_t got;

		if (!wait_for_input(fd))
			return -1;
		got = read(fd, &byte, 1);
		if (got <= 0)
			return (int)got;
		n = mbrtowc(&letter, &byte, 1, &state);
		if (n == (size_t)-2)
			continue;
		*out = n == (size_t)-1 ? L'?' : letter;
		return 1;
	}
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Letters outside ASCII are edited as letters; nothing else follows the locale. */
static void use_utf8(void)
{
	const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);

		if (!value || !*value)
			continue;
		if (strcasestr(value, "utf-8") || strcasestr(value, "utf8"))
			(void)setlocale(LC_CTYPE, "C.UTF-8");
		return;
	}
}

static void open_edit(struct line_editor *e)
{
	use_utf8();
	e->edit = e->lib.el_init("sotto", e->in, e->out, stderr);
	if (!e->edit)
		return;
	(void)e->lib.el_set(e->edit, EL_EDITOR, "emacs");
	(void)e->lib.el_set(e->edit, EL_PROMPT, show_prompt);
	(void)e->lib.el_set(e->edit, EL_SIGNAL, 0);
	(void)e->lib.el_set(e->edit, EL_GETCFN, read_letter);
	/* The wide form: the other one copies both texts and never frees them. */
	(void)e->lib.el_wset(e->edit, EL_ADDFN, L"sotto-complete", L"complete a name", on_tab);
	(void)e->lib.el_set(e->edit, EL_BIND, "^I", "sotto-complete", NULL);
	(void)e->lib.el_set(e->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
	open_history(e);
	(void)e->lib.el_source(e->edit, NULL);
}

struct line_editor *line_editor_new(FILE *in, FILE *out, line_complete complete, void *of)
{
	struct line_editor *e = memory_new(1, sizeof *e);

	*e = (struct line_editor){.in = in, .out = out, .complete = complete, .of = of};
	if (line_editor_is_terminal(e) && load(&e->lib))
		open_edit(e);
	return e;
}

void line_editor_free(struct line_editor *e)
{
	if (!e)
		return;
	if (e->history)
		e->lib.history_end(e->history);
	if (e->edit)
		e->lib.el_end(e->edit);
	if (e->lib.handle)
		(void)dlclose(e->lib.handle);
	free(e->file);
	free(e->line);
	free(e);
}

bool line_editor_is_terminal(const struct line_editor *e)
{
	return terminal_is(e->in) && terminal_is(e->out);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum line_result keep(struct line_editor *e, size_t length, const char **line)
{
	while (length > 0 && strchr("\r\n", e->line[length - 1]))
		length--;
	e->line[length] = '\0';
	*line = e->line;
	return LINE_READ;
}

static enum line_result read_edited(struct line_editor *e, const char **line)
{
	int n = 0;
	const char *text = e->lib.el_gets(e->edit, &n);

	if (was_stopped) {
		e->lib.el_reset(e->edit);
		fputs("^C\n", e->out);
		return LINE_STOPPED;
	}
	if (!text || n <= 0)
		return LINE_END;
	e->line = memory_resize(e->line, (size_t)n + 1, 1);
	memcpy(e->line, text, (size_t)n);
	return keep(e, (size_t)n, line);
}

static enum line_result read_plain(struct line_editor *e, const char **line)
{
	ssize_t n;

	if (line_editor_is_terminal(e)) {
		fputs(e->prompt, e->out);
		fflush(e->out);
		if (!wait_for_input(fileno(e->in))) {
			fputc('\n', e->out);
			return LINE_STOPPED;
		}
	}
	n = getline(&e->line, &e->room, e->in);
	return n < 0 ? LINE_END : keep(e, (size_t)n, line);
}

enum line_result line_editor_read(struct line_editor *e, const char *prompt, const char **line)
{
	struct sigaction stop = {.sa_handler = note_stop}, before;
	bool terminal = line_editor_is_terminal(e);
	enum line_result result;
	sigset_t held, open;

	e->prompt = prompt;
	reading = e;
	was_stopped = 0;
	(void)sigemptyset(&stop.sa_mask);
	(void)sigemptyset(&held);
	(void)sigaddset(&held, SIGINT);
	if (terminal) {
		(void)pthread_sigmask(SIG_BLOCK, &held, &open);
		(void)sigaction(SIGINT, &stop, &before);
	}
	fflush(e->out);
	result = e->edit ? read_edited(e, line) : read_plain(e, line);
	if (terminal) {
		(void)pthread_sigmask(SIG_SETMASK, &open, NULL);
		(void)sigaction(SIGINT, &before, NULL);
	}
	return result;
}
