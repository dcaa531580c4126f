"""One conversation of sotto shell for many questions: the program and its engine start once."""
import re, subprocess


def is_plain(sql):
	"""Whether a conversation reads it as a command line does: as one question, with no command in it."""
	return not re.search(r"[;\\]|--|/\*|\$", sql)


class Conversation:
	"""sotto shell at the other end of two pipes."""

	def __init__(self, sotto, *options):
		self.shell = subprocess.Popen([sotto, "shell", "--format", "json", *options], text=True, stdin=subprocess.PIPE,
					      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
		self.say("\\fresh on")

	def say(self, text):
		"""What is printed from here to the answer to a command that follows it."""
		self.shell.stdin.write(f"{text}\n\\price off\n")
		self.shell.stdin.flush()
		lines = []
		for line in self.shell.stdout:
			if line == "price is off\n":
				return "".join(lines)
			lines.append(line)
		raise RuntimeError("the conversation has ended: " + "".join(lines))

	def set(self, epsilon, delta):
		self.say(f"\\epsilon {epsilon}\n\\delta {delta}")

	def _result(self, out):
		return (0, out, "") if out.startswith("{") else (1, "", out.strip())

	def explain(self, sql):
		"""Status, output and complaint, as of a command."""
		return self._result(self.say("\\explain " + " ".join(sql.split("\n"))))

	def query(self, sql):
		return self._result(self.say(sql.rstrip() + ";"))

	def end(self):
		"""The status: 0, or 1 if something was refused."""
		self.shell.stdin.close()
		return self.shell.wait()
