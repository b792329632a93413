// Package statemachine holds the definition of the import workflow: the very
// file that Step Functions runs on AWS and that the local stack interprets.
package statemachine

import _ "embed"

// Import is import.asl.json, with ${function} where a function's ARN belongs.
//
//go:embed import.asl.json
var Import string
