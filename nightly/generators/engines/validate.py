import json, sys
from jsonschema import Draft202012Validator

cases = json.load(sys.stdin)
print(json.dumps([Draft202012Validator(case["schema"]).is_valid(case["value"]) for case in cases]))
