// Package iam is IAM in front of the local endpoint: it knows the roles of the
// blueprint's functions by their access keys, and lets each do what the policy
// says that it has on AWS, and nothing else. What is refused is answered as the
// service asked would answer.
//
// A role is a pair of keys that stays the same over restarts; sessions, whose
// tokens the object store refuses, do not exist here. Administrator, the person
// at the keyboard and the tests, may do everything. The policies are those that
// blueprint writes, of which evaluate knows every element that they use.
package iam

import (
	"fmt"
	"sync"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Administrator is the principal that no policy binds.
const Administrator = "administrator"

// Workflow is the role of the state machine.
const Workflow = "workflow"

// Config says who there is and what they may do.
type Config struct {
	Keys Keys
	// AccessKey and SecretKey are the administrator's.
	AccessKey, SecretKey string
	// Roles are the policies of roles by name: functions', and Workflow.
	Roles map[string]blueprint.Policy
	// Resources are the policies on resources, by ARN. One on a bucket is asked for
	// its objects too.
	Resources map[string]blueprint.Policy
	// Place is where the resources are.
	Deployment blueprint.Deployment
	// Record hears of each kind of use once; nil for nobody.
	Record func(Use)
}

// Use is what a role has done or was refused.
type Use struct {
	Role    string
	Action  blueprint.Action
	Allowed bool
	// Resource is the resource of the grant that allowed it, as the policy writes
	// it; of what was refused, the very resource.
	Resource string
}

// Denied is the refusal of a request.
type Denied struct {
	Principal string // an ARN
	Request
	// Explicit tells that a policy forbids it; else none allows it.
	Explicit bool
}

// Error is what AWS says.
func (d *Denied) Error() string {
	because := "no identity-based policy allows the " + string(d.Action) + " action"
	if d.Explicit {
		because = "of an explicit deny"
	}
	return fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s because %s", d.Principal, d.Action, d.Resource, because)
}

// Authorizer decides who may do what.
type Authorizer struct {
	config Config

	mu       sync.Mutex
	recorded map[Use]bool
}

// New checks that all of the policies can be evaluated.
func New(c Config) (*Authorizer, error) {
	for name, p := range c.Roles {
		if err := checkPolicy(p); err != nil {
			return nil, fmt.Errorf("local IAM: policy of role %s: %w", name, err)
		}
	}
	for arn, p := range c.Resources {
		if err := checkPolicy(p); err != nil {
			return nil, fmt.Errorf("local IAM: policy on %s: %w", arn, err)
		}
	}
	return &Authorizer{config: c, recorded: map[Use]bool{}}, nil
}

// AuthorizeRole lets a role do something, or returns *Denied.
func (a *Authorizer) AuthorizeRole(name string, action blueprint.Action, resource string) error {
	return a.authorize(name, Request{Action: action, Resource: resource})
}

// AuthorizeService lets a service of AWS do something for a resource of ours, whose ARN is
// source, or returns *Denied. Only policies on resources speak of services.
func (a *Authorizer) AuthorizeService(name string, action blueprint.Action, resource, source string) error {
	r := a.withContext(Request{Action: action, Resource: resource, Context: map[string]string{"aws:SourceArn": source}})
	d := evaluate(r, name, nil, a.resourcePolicies(resource))
	if !d.allowed {
		return &Denied{Principal: name, Request: r, Explicit: d.denied}
	}
	return nil
}

// authorize lets a principal do something.
func (a *Authorizer) authorize(principal string, r Request) error {
	if principal == Administrator {
		return nil
	}
	r = a.withContext(r)
	policy, known := a.config.Roles[principal]
	var d decision
	if known {
		d = evaluate(r, "", []blueprint.Policy{policy}, a.resourcePolicies(r.Resource))
	}
	a.record(principal, r, d)
	if !d.allowed {
		return &Denied{Principal: a.principalARN(principal), Request: r, Explicit: d.denied}
	}
	return nil
}

// withContext says what is so of every request: the local endpoint stands for one
// with TLS, although it has none.
func (a *Authorizer) withContext(r Request) Request {
	context := map[string]string{"aws:SecureTransport": "true"}
	for key, value := range r.Context {
		context[key] = value
	}
	r.Context = context
	return r
}

// resourcePolicies are the policies on a resource.
func (a *Authorizer) resourcePolicies(resource string) []blueprint.Policy {
	var found []blueprint.Policy
	for arn, p := range a.config.Resources {
		if matchPattern(arn, resource) || matchPattern(arn+"/*", resource) {
			found = append(found, p)
		}
	}
	return found
}

func (a *Authorizer) record(principal string, r Request, d decision) {
	if a.config.Record == nil {
		return
	}
	use := Use{Role: principal, Action: r.Action, Allowed: d.allowed, Resource: r.Resource}
	if d.allowed {
		use.Resource = d.grant
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.recorded[use] {
		a.recorded[use] = true
		a.config.Record(use)
	}
}

// principalARN is a role as AWS calls it, with a session.
func (a *Authorizer) principalARN(role string) string {
	p := a.config.Deployment
	return fmt.Sprintf("arn:%s:sts::%s:assumed-role/%s/%s", p.Partition, p.Account, p.Function(role), p.Function(role))
}
