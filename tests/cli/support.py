"""What the tests of the command share: running it, a folder of inputs, and checking JSON against docs/schema."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

try:
    import jsonschema
except ImportError:  # the subset below then stands alone
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ["HEDDLE"]
SECONDS_MAX = 120


def some(items):
    """All of the cases; two of them under a sanitizer, where starting the command takes ten times as long."""
    items = list(items)
    return items[:2] if os.environ.get("HEDDLE_SANITIZE") else items


ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
ENVIRONMENT.update(LC_ALL="C", OMP_NUM_THREADS="2")


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def objects(self):
        """Standard output as JSON, one object a line."""
        assert self.out == "" or self.out.endswith("\n"), self.out
        return [json.loads(line) for line in self.out.splitlines()]


class Case(unittest.TestCase):
    """A test in a fresh folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heddle-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def heddle(self, *arguments, stdin="", environment=None):
        done = subprocess.run([HEDDLE, *arguments], cwd=self.folder, input=stdin.encode(), capture_output=True,
                              env={**ENVIRONMENT, **(environment or {})}, timeout=SECONDS_MAX, check=False)
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        process = subprocess.Popen([HEDDLE, *arguments], cwd=self.folder, env=ENVIRONMENT, **options)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                self.addCleanup(stream.close)
        return process

    def expect_valid(self, value, schema_name):
        problems = list(problems_of(value, schema_name))
        self.assertEqual(problems, [], json.dumps(value))


def load_schema(name):
    return json.loads((ROOT / "docs" / "schema" / f"{name}.json").read_text(encoding="utf-8"))


def problems_of(value, schema_name):
    schema = load_schema(schema_name)
    yield from subset_problems(value, schema, schema, "$")
    if jsonschema is not None:
        for error in jsonschema.Draft7Validator(schema).iter_errors(value):
            yield error.message


TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}
KNOWN = {"$schema", "$id", "$ref", "title", "description", "type", "required", "additionalProperties", "properties",
         "const", "enum", "minimum", "minItems", "minProperties", "pattern", "items", "allOf", "if", "then",
         "definitions"}


def subset_problems(value, schema, root, where):
    """The part of JSON Schema draft-07 that docs/schema uses. A keyword it does not know is a problem too."""
    for keyword in set(schema) - KNOWN:
        yield f"{where}: unknown keyword {keyword}"
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        yield from subset_problems(value, target, root, where)
        return
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[name](value) for name in types):
        yield f"{where}: not of type {types}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{where}: not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: not one of {schema['enum']}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{where}: less than {schema['minimum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where}: does not match {schema['pattern']}"
    if isinstance(value, dict):
        yield from object_problems(value, schema, root, where)
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{where}: too few items"
        for index, item in enumerate(value):
            yield from subset_problems(item, schema.get("items", {}), root, f"{where}[{index}]")
    for part in schema.get("allOf", []):
        yield from subset_problems(value, part, root, where)
    if "if" in schema and not list(subset_problems(value, schema["if"], root, where)):
        yield from subset_problems(value, schema.get("then", {}), root, where)


def object_problems(value, schema, root, where):
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    if len(value) < schema.get("minProperties", 0):
        yield f"{where}: too few members"
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}: {name} is missing"
    for name, item in value.items():
        if name in properties:
            yield from subset_problems(item, properties[name], root, f"{where}.{name}")
        elif others is False:
            yield f"{where}: {name} is not allowed"
        else:
            yield from subset_problems(item, others if isinstance(others, dict) else {}, root, f"{where}.{name}")
