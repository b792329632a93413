package iam

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Request is what somebody wants to do: one action on one resource, and what
// conditions may ask about it, by key, as "aws:SourceArn".
type Request struct {
	Action   blueprint.Action
	Resource string // an ARN
	Context  map[string]string
}

// decision is what policies say to a request.
type decision struct {
	allowed bool
	denied  bool // in so many words
	// grant is the resource of the statement that allowed it, as it is written.
	grant string
}

// evaluate asks the policies of who asks and those on what is asked for, as
// within one account: a denial anywhere is final, else one permission is enough.
// Policies on resources speak of principals; service is "" for a role.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func evaluate(r Request, service string, identity, resource []blueprint.Policy) decision {
	var d decision
	for _, p := range identity {
		for _, s := range p.Statement {
			d.apply(r, s)
		}
	}
	for _, p := range resource {
		for _, s := range p.Statement {
			if s.Principal != nil && (s.Principal.AWS == "*" || service != "" && s.Principal.Service == service) {
				d.apply(r, s)
			}
		}
	}
	d.allowed = d.allowed && !d.denied
	return d
}

// apply takes a statement into account, if it is about the request.
func (d *decision) apply(r Request, s blueprint.Statement) {
	named := false
	for _, a := range s.Action {
		named = named || matchPattern(strings.ToLower(string(a)), strings.ToLower(string(r.Action)))
	}
	if !named || !conditionsMet(s.Condition, r.Context) {
		return
	}
	for _, pattern := range s.Resource {
		switch {
		case !matchPattern(pattern, r.Resource):
		case s.Effect == blueprint.Deny:
			d.denied = true
		case !d.allowed:
			d.allowed, d.grant = true, pattern
		}
	}
}

// operators are the tests of conditions that the blueprint's policies use, each
// of a policy's value against that of the request.
var operators = map[string]func(want, have string) bool{
	"StringEquals": func(want, have string) bool { return want == have },
	"StringLike":   matchPattern,
	"ArnEquals":    arnMatches, // the same as ArnLike, says IAM's reference
	"ArnLike":      arnMatches,
	"Bool":         strings.EqualFold,
}

// conditionsMet tells whether all conditions of a statement are met. A key that a request
// does not have meets none.
func conditionsMet(conditions map[string]map[string]string, context map[string]string) bool {
	for operator, values := range conditions {
		for key, want := range values {
			have, known := context[key]
			if !known || !operators[operator](want, have) {
				return false
			}
		}
	}
	return true
}

// checkPolicy refuses what evaluate would not understand.
func checkPolicy(p blueprint.Policy) error {
	for _, s := range p.Statement {
		if s.Effect != blueprint.Allow && s.Effect != blueprint.Deny {
			return fmt.Errorf("statement %q: the effect %q is neither Allow nor Deny", s.Sid, s.Effect)
		}
		for operator := range s.Condition {
			if operators[operator] == nil {
				return fmt.Errorf("statement %q: conditions with %s are not evaluated here", s.Sid, operator)
			}
		}
	}
	return nil
}

// matchPattern compares text with a pattern in which * is any text, also with slashes
// and colons, and ? any one character.
func matchPattern(pattern, text string) bool {
	star, resume := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0: // let the last star take one more
			resume++
			p, t = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// arnMatches compares the six parts of ARNs one by one, so that no * reaches
// beyond its own.
func arnMatches(want, have string) bool {
	patterns, parts := strings.SplitN(want, ":", 6), strings.SplitN(have, ":", 6)
	if len(patterns) != len(parts) {
		return false
	}
	for i := range parts {
		if !matchPattern(patterns[i], parts[i]) {
			return false
		}
	}
	return true
}
