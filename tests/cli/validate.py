"""Validates YAML files: validate.py SCHEMA FILE... prints a line for each, "good" or "bad: why"."""

import json
import re
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2, as editors and the reader have it: only true and false are booleans."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:bool"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), "tf")

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for name in sys.argv[2:]:
    with open(name) as file:
        # Numeric keys (of expect.rows) are strings in JSON.
        document = json.loads(json.dumps(yaml.load(file, Loader)))
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    where = ".".join(map(str, error.absolute_path)) if error else ""
    print(f"bad: {where}: {error.message[:150]}" if error else "good")
