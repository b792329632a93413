package blueprint

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// visibilityFactor is the minimum ratio of a queue's visibility timeout to the function's
// timeout, so that no message returns while it is being processed.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
const visibilityFactor = 6

// Validate reports every error in the blueprint: unknown names, missing or excessive
// permissions, and sizes that AWS rejects.
func (b *Blueprint) Validate() error {
	var errs []error
	for _, check := range []func() []error{
		b.checkNames, b.checkFunctions, b.checkEnv, b.checkGrants,
		b.checkQueues, b.checkEventSources, b.checkObjectEvents, b.checkEventBus, b.checkSchedules,
	} {
		errs = append(errs, check()...)
	}
	return errors.Join(errs...)
}

func (b *Blueprint) checkNames() []error {
	var errs []error
	seen := map[string]bool{}
	once := func(kind, name string) {
		key := kind + " " + name
		if name == "" || seen[key] {
			errs = append(errs, fmt.Errorf("%s %q: the name is empty or already used", kind, name))
		}
		seen[key] = true
	}
	for _, f := range b.Functions {
		once("function", f.Name)
	}
	for _, q := range b.Queues {
		once("queue", q.Name)
	}
	for _, s := range b.Schedules {
		once("schedule", s.Name)
	}
	for _, r := range b.Bucket.Rules {
		once("lifecycle rule", r.Name)
		if (r.Prefix == "") == (r.Tag == "") || r.ExpireDays < 1 || r.Tag != "" && (r.AbortUploadDays != 0 || !strings.Contains(r.Tag, "=")) {
			errs = append(errs, fmt.Errorf("lifecycle rule %q: it needs a prefix, or a tag name=value without uploads, and an expiry in days", r.Name))
		}
	}
	return errs
}

func (b *Blueprint) checkFunctions() []error {
	var errs []error
	for _, f := range b.Functions {
		if f.Memory < 128 || f.Memory > 10240 {
			errs = append(errs, fmt.Errorf("function %s: memory of %d MiB, want 128 to 10240", f.Name, f.Memory))
		}
		if f.Timeout < time.Second || f.Timeout > 15*time.Minute {
			errs = append(errs, fmt.Errorf("function %s: timeout of %s, want 1 s to 15 min", f.Name, f.Timeout))
		}
		if f.Disk != 0 && (f.Disk < 512 || f.Disk > 10240) {
			errs = append(errs, fmt.Errorf("function %s: disk of %d MiB, want 512 to 10240", f.Name, f.Disk))
		}
		if f.ReservedConcurrency < 0 || f.ReservedConcurrency > 0 && f.Concurrency > 0 {
			errs = append(errs, fmt.Errorf("function %s: room for %d, not 0 or more without a concurrency", f.Name, f.ReservedConcurrency))
		}
		if f.Concurrency < 0 {
			errs = append(errs, fmt.Errorf("function %s: negative concurrency", f.Name))
		}
	}
	return errs
}

func (b *Blueprint) checkEnv() []error {
	var errs []error
	for _, f := range b.Functions {
		seen := map[string]bool{}
		for _, e := range f.Env {
			if seen[e.Name] {
				errs = append(errs, fmt.Errorf("function %s: %s is set twice", f.Name, e.Name))
			}
			seen[e.Name] = true
			if err := b.checkRef(e); err != nil {
				errs = append(errs, fmt.Errorf("function %s: %s: %w", f.Name, e.Name, err))
			}
		}
	}
	return errs
}

func (b *Blueprint) checkRef(e Env) error {
	switch e.Ref {
	case "", BucketName, TableName, StateMachineARN, EventBusName, Setting, SecretName:
		return nil
	case QueueURL:
		return b.requireQueue(e.RefName)
	case FunctionName:
		_, err := b.requireFunction(e.RefName)
		return err
	case FunctionURL:
		target, err := b.requireFunction(e.RefName)
		if err == nil && !target.Streams {
			return fmt.Errorf("function %s has no function URL", e.RefName)
		}
		return err
	default:
		return fmt.Errorf("unknown reference %q", e.Ref)
	}
}

// service returns the prefix of the actions for a resource.
func (r Resource) service() string {
	switch r {
	case OnBucket:
		return "s3:"
	case OnQueue:
		return "sqs:"
	case OnTable:
		return "dynamodb:"
	case OnStateMachine, OnExecutions:
		return "states:"
	case OnFunction:
		return "lambda:"
	case OnEventBus:
		return "events:"
	case OnSecret:
		return "secretsmanager:"
	case OnMailIdentities:
		return "ses:"
	default:
		return ""
	}
}

func (b *Blueprint) checkGrants() []error {
	var errs []error
	for _, f := range b.Functions {
		for _, g := range f.Grants {
			if err := b.checkGrant(g); err != nil {
				errs = append(errs, fmt.Errorf("function %s: %w", f.Name, err))
			}
		}
	}
	return errs
}

func (b *Blueprint) checkGrant(g Grant) error {
	service := g.Resource.service()
	if service == "" || len(g.Actions) == 0 {
		return fmt.Errorf("grant on %q: unknown resource or no action", g.Resource)
	}
	for _, a := range g.Actions {
		if !strings.HasPrefix(string(a), service) || strings.Contains(string(a), "*") {
			return fmt.Errorf("grant on %s: %s is not an action of the resource", g.Resource, a)
		}
		if (a == "s3:ListBucket") != (g.Resource == OnBucket && g.ResourceName == "") {
			return fmt.Errorf("grant on %s %q: %s is for objects under a prefix, or is s3:ListBucket for the bucket", g.Resource, g.ResourceName, a)
		}
	}
	switch g.Resource {
	case OnQueue:
		return b.requireQueue(g.ResourceName)
	case OnFunction:
		_, err := b.requireFunction(g.ResourceName)
		return err
	default:
		return nil
	}
}

func (b *Blueprint) checkQueues() []error {
	var errs []error
	for _, q := range b.Queues {
		if (q.DeadLetter == "") != (q.MaxReceive == 0) {
			errs = append(errs, fmt.Errorf("queue %s: a dead-letter queue requires a number of receives, and vice versa", q.Name))
		}
		if q.DeadLetter == "" {
			continue
		}
		if err := b.requireQueue(q.DeadLetter); err != nil {
			errs = append(errs, fmt.Errorf("queue %s: dead letters: %w", q.Name, err))
		}
	}
	return errs
}

func (b *Blueprint) checkEventSources() []error {
	var errs []error
	for _, s := range b.EventSources {
		f, err := b.requireFunction(s.Function)
		errs = append(errs, err, b.requireQueue(s.Queue))
		q, _ := b.Queue(s.Queue)
		if q.Visibility < visibilityFactor*f.Timeout {
			errs = append(errs, fmt.Errorf("queue %s: visibility of %s is less than %d timeouts of %s", s.Queue, q.Visibility, visibilityFactor, s.Function))
		}
		if s.MaxConcurrency < 2 || s.MaxConcurrency > 1000 || (f.Concurrency > 0 && s.MaxConcurrency > f.Concurrency) {
			errs = append(errs, fmt.Errorf("queue %s: %d invocations of %s at a time, not 2 to 1000 and within its concurrency", s.Queue, s.MaxConcurrency, s.Function))
		}
		if !f.consumes(s.Queue) {
			errs = append(errs, fmt.Errorf("function %s: may not consume %s", s.Function, s.Queue))
		}
	}
	return errs
}

func (f Function) consumes(queue string) bool {
	for _, g := range f.Grants {
		for _, a := range g.Actions {
			if g.Resource == OnQueue && g.ResourceName == queue && a == "sqs:ReceiveMessage" {
				return true
			}
		}
	}
	return false
}

func (b *Blueprint) checkObjectEvents() []error {
	var errs []error
	for _, e := range b.ObjectEvents {
		_, err := b.requireFunction(e.Function)
		errs = append(errs, err, b.requireQueue(e.DeadLetter))
		if e.DeadLetter != b.DeadLetterQueue(e.Function) {
			errs = append(errs, fmt.Errorf("object events of %s: only one dead-letter queue is allowed", e.Function))
		}
	}
	return errs
}

func (b *Blueprint) checkEventBus() []error {
	var errs []error
	for _, r := range b.EventBus.Rules {
		if r.Name == "" || r.Source == "" || b.EventBus.Name == "" {
			errs = append(errs, fmt.Errorf("rule %q of bus %q: a name or the source is missing", r.Name, b.EventBus.Name))
		}
		if q, ok := b.Queue(r.Queue); !ok || q.DeadLetter == "" {
			errs = append(errs, fmt.Errorf("rule %s: no queue %q with dead letters", r.Name, r.Queue))
		}
	}
	return errs
}

func (b *Blueprint) checkSchedules() []error {
	var errs []error
	for _, s := range b.Schedules {
		if _, err := b.requireFunction(s.Function); err != nil {
			errs = append(errs, fmt.Errorf("schedule %s: %w", s.Name, err))
		}
		if !strings.HasPrefix(s.Expression, "rate(") && !strings.HasPrefix(s.Expression, "cron(") {
			errs = append(errs, fmt.Errorf("schedule %s: %q is neither a rate nor a cron expression", s.Name, s.Expression))
		}
	}
	return errs
}

func (b *Blueprint) requireFunction(name string) (Function, error) {
	f, ok := b.Function(name)
	if !ok {
		return Function{}, fmt.Errorf("unknown function %q", name)
	}
	return f, nil
}

func (b *Blueprint) requireQueue(name string) error {
	if _, ok := b.Queue(name); !ok {
		return fmt.Errorf("unknown queue %q", name)
	}
	return nil
}
