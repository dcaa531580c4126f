/*
 * help.h - prints --help and "sotto help"
 */
#ifndef SOTTO_HELP_H
#define SOTTO_HELP_H

#include <stdio.h>

#include "frame/command.h"

/* Prints the whole help of one command; path is how it is called, "sotto noise laplace". */
void help_print(FILE *out, const struct command *command, const char *path);

/*
 * Every command and option below root, one per line, tabs between the fields:
 *
 *	command <path> <summary>
 *	option <path> --<name> -<letter> <argument> <help>
 *
 * with "-" for what is absent.  tools/check-docs compares it with the manual.
 */
void help_dump(FILE *out, const struct command *root);

#endif
