// Package statemachine contains the definition of the workflow that takes an import from its
// file to its result: the file that Step Functions runs on AWS and that the local stack interprets.
//
// Tested by infra/local/awsendpoint/sfn: every path through the definition.
package statemachine

import (
	_ "embed"
	"regexp"
	"slices"
)

// Import is import.asl.json, with ${function} as the placeholder of a function's ARN.
//
//go:embed import.asl.json
var Import string

var placeholder = regexp.MustCompile(`\$\{(\w+)\}`)

// Functions returns the names of the functions that the workflow invokes, in the
// order of its definition.
func Functions() []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(Import, -1) {
		if !slices.Contains(names, match[1]) {
			names = append(names, match[1])
		}
	}
	return names
}
