package iam

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Request is one action on one resource, with the context of conditions by key, such as
// "aws:SourceArn".
type Request struct {
	Action   blueprint.Action
	Resource string // an ARN
	Context  map[string]string
}

// decision is the result of evaluating policies for a request.
type decision struct {
	allowed bool
	denied  bool // explicitly
	// grant is the resource of the statement that allowed the request, as in the policy.
	grant string
}

// evaluate applies the policies of the caller and those on the resource, as within one account:
// any denial is final, otherwise one permission is enough. Policies on resources refer to
// principals; service is "" for a role.
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

// apply takes a statement into account if it applies to the request.
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

// operators are the condition operators in the blueprint's policies. Each compares the policy's
// value with that of the request.
var operators = map[string]func(want, have string) bool{
	"StringEquals": func(want, have string) bool { return want == have },
	"StringLike":   matchPattern,
	"ArnEquals":    arnMatches, // the same as ArnLike, according to IAM's reference
	"ArnLike":      arnMatches,
	"Bool":         strings.EqualFold,
}

// conditionsMet reports whether all conditions of a statement are met. A condition on a key that
// the request does not have is not met.
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

// checkPolicy rejects elements that evaluate does not support.
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

// matchPattern compares text with a pattern in which * matches any text, including slashes and
// colons, and ? any one character.
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
		case star >= 0: // extend the match of the last star
			resume++
			p, t = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// arnMatches compares the six parts of ARNs one by one, so that a * matches only within its part.
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
