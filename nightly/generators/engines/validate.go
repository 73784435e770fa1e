package main

import (
	"encoding/json"
	"os"

	"github.com/xeipuuv/gojsonschema"
)

type testCase struct {
	Schema json.RawMessage `json:"schema"`
	Value  json.RawMessage `json:"value"`
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, each := range cases {
		schema := gojsonschema.NewBytesLoader(each.Schema)
		result, err := gojsonschema.Validate(schema, gojsonschema.NewBytesLoader(each.Value))
		if err != nil {
			panic(err)
		}
		results = append(results, result.Valid())
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
