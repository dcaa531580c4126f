"""Compares what commands printed with docs/schema.

    python3 schema.py SCHEMAS PROGRAM SAMPLES

SAMPLES holds N.json, what was printed, and N.command, what was asked.  Keys that a schema does
not describe fail, although the schemas themselves allow them: a later version may add some.
"""
import glob, json, os, subprocess, sys

import jsonschema


def strict(schema):
    """The same schema, with no other keys than those it describes."""
    if isinstance(schema, list):
        return [strict(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {k: strict(v) for k, v in schema.items()}
    if "properties" in copy and isinstance(copy["properties"], dict):
        copy.setdefault("additionalProperties", False)
    return copy


def commands(program):
    """The commands that have --format."""
    dump = subprocess.run([program, "help", "--dump"], capture_output=True, text=True, check=True).stdout
    lines = [line.split("\t") for line in dump.splitlines()]
    return [x[1].removeprefix("sotto ") for x in lines if x[0] == "option" and x[2] == "--format"]


def schema_of(names, asked):
    """The longest command that the words begin with."""
    fits = [name for name in names if (asked + " ").startswith(name + " ")]
    return max(fits, key=len) if fits else None


def main():
    folder, program, samples = sys.argv[1:]
    names, failed, seen = commands(program), False, set()
    for path in sorted(glob.glob(os.path.join(samples, "*.command"))):
        asked = open(path).read().strip()
        name = schema_of(names, asked)
        seen.add(name)
        with open(os.path.join(folder, name.replace(" ", "-") + ".json")) as f:
            schema = json.load(f)
        jsonschema.Draft7Validator.check_schema(schema)
        text = open(path[:-8] + ".json").read()
        resolver = jsonschema.RefResolver("file://" + os.path.abspath(folder) + "/", schema)
        resolver.store.update({"file://" + os.path.abspath(p): strict(json.load(open(p)))
                               for p in glob.glob(os.path.join(folder, "*.json"))})
        at = 0
        while text[at:].strip():
            if not text[at:].lstrip().startswith("{"):
                at = text.index("\n", at) + 1  # a line for people, from the shell
                continue
            at += len(text[at:]) - len(text[at:].lstrip())
            value, end = json.JSONDecoder().raw_decode(text, at)
            at = end
            errors = list(jsonschema.Draft7Validator(strict(schema), resolver=resolver).iter_errors(value))
            if list(value)[0] != "version":
                errors.append("version is not the first key")
            for error in errors[:3]:
                failed = True
                if isinstance(error, jsonschema.ValidationError):
                    deepest = jsonschema.exceptions.best_match([error])
                    error = "/".join(map(str, deepest.absolute_path)) + ": " + deepest.message
                print(f"{asked}: {error[:300]}", file=sys.stderr)
    for name in names:
        if name not in seen:
            print("not asked:", name)
        if not os.path.exists(os.path.join(folder, name.replace(" ", "-") + ".json")):
            failed = True
            print("no schema:", name, file=sys.stderr)
    sys.exit(failed)


main()
