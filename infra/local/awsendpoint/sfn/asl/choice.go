package asl

import "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"

// Choice goes on with the first state whose rule matches.
type Choice struct {
	Rules []Rule
	// Default is the state when no rule matches, or "".
	Default string
}

// Rule leads to a state if a variable is a certain string.
type Rule struct {
	Variable jsonpath.Path
	Equals   string
	Next     string
}

// Type is "Choice".
func (*Choice) Type() string { return "Choice" }

// choice reads a Choice. Of the operators only StringEquals is known.
func (o *object) choice() *Choice {
	o.require("Choices")
	c := &Choice{Default: o.text("Default")}
	list := o.list("Choices")
	if o.has("Choices") && len(list) == 0 {
		o.addErrorAt("Choices", "Array must have at least 1 element")
	}
	for _, r := range list {
		r.text("Comment")
		r.require("Variable", "StringEquals", "Next")
		c.Rules = append(c.Rules, Rule{Variable: r.path("Variable"), Equals: r.text("StringEquals"), Next: r.text("Next")})
		r.rejectUnknown("a Choice Rule")
	}
	return c
}
