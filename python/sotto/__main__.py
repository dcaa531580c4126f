"""The program ``sotto`` that comes with the package."""
import os
import sys


def main() -> None:
    """Becomes the program."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib", "sotto")
    os.execv(program, ["sotto"] + sys.argv[1:])


if __name__ == "__main__":
    main()
