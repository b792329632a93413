// Package iam implements IAM for the local endpoint: it identifies the roles of the blueprint's
// functions by their access keys, and allows each exactly what its policy allows on AWS. A
// request is denied in the format of the requested service.
//
// A role is a pair of keys that persists over restarts; sessions, which need tokens that the
// object store rejects, do not exist here. Administrator, the identity of the developer and the
// tests, may do everything. The policies are those of package blueprint; evaluate supports every
// element that they use.
package iam

import (
	"fmt"
	"sync"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Administrator is the principal without restrictions.
const Administrator = "administrator"

// Workflow is the role of the state machine.
const Workflow = "workflow"

// Config contains the principals and their permissions.
type Config struct {
	Keys Keys
	// AccessKey and SecretKey are the administrator's.
	AccessKey, SecretKey string
	// Roles are the policies of roles by name: functions', and Workflow.
	Roles map[string]blueprint.Policy
	// Resources are the policies on resources, by ARN. The policy of a bucket also applies to its
	// objects.
	Resources map[string]blueprint.Policy
	// Deployment is the deployment of the resources.
	Deployment blueprint.Deployment
	// Record is called once for each distinct use; nil disables recording.
	Record func(Use)
}

// Use is an action by a role, allowed or denied.
type Use struct {
	Role    string
	Action  blueprint.Action
	Allowed bool
	// Resource is the resource of the grant that allowed the action, as in the policy, or the exact
	// resource of a denied action.
	Resource string
}

// Denied is the error for a denied request.
type Denied struct {
	Principal string // an ARN
	Request
	// Explicit reports whether a policy denies the action; otherwise no policy allows it.
	Explicit bool
}

// Error returns AWS's message.
func (d *Denied) Error() string {
	because := "no identity-based policy allows the " + string(d.Action) + " action"
	if d.Explicit {
		because = "of an explicit deny"
	}
	return fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s because %s", d.Principal, d.Action, d.Resource, because)
}

// Authorizer decides whether a principal may perform an action.
type Authorizer struct {
	config Config

	mu       sync.Mutex
	recorded map[Use]bool
}

// New checks that all policies can be evaluated.
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

// AuthorizeRole returns nil if a role may perform an action, otherwise *Denied.
func (a *Authorizer) AuthorizeRole(name string, action blueprint.Action, resource string) error {
	return a.authorize(name, Request{Action: action, Resource: resource})
}

// AuthorizeService returns nil if a service of AWS may act for one of our resources, with the ARN
// source, otherwise *Denied. Only policies on resources refer to services.
func (a *Authorizer) AuthorizeService(name string, action blueprint.Action, resource, source string) error {
	r := a.withContext(Request{Action: action, Resource: resource, Context: map[string]string{"aws:SourceArn": source}})
	d := evaluate(r, name, nil, a.resourcePolicies(resource))
	if !d.allowed {
		return &Denied{Principal: name, Request: r, Explicit: d.denied}
	}
	return nil
}

// authorize returns nil if a principal may perform an action.
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

// withContext adds the context of every request: it counts as sent over TLS, which the local
// endpoint does not have.
func (a *Authorizer) withContext(r Request) Request {
	context := map[string]string{"aws:SecureTransport": "true"}
	for key, value := range r.Context {
		context[key] = value
	}
	r.Context = context
	return r
}

// resourcePolicies returns the policies on a resource.
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

// principalARN returns the ARN of a role with a session, as AWS formats it.
func (a *Authorizer) principalARN(role string) string {
	p := a.config.Deployment
	return fmt.Sprintf("arn:%s:sts::%s:assumed-role/%s/%s", p.Partition, p.Account, p.Function(role), p.Function(role))
}
