package asl

import "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"

// Choice continues with the state of the first matching rule.
type Choice struct {
	Rules []Rule
	// Default is the state if no rule matches, or "".
	Default string
}

// Rule leads to a state if a variable equals a string.
type Rule struct {
	Variable jsonpath.Path
	Equals   string
	Next     string
}

// Type returns "Choice".
func (*Choice) Type() string { return "Choice" }

// choice parses a Choice. StringEquals is the only supported operator.
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
