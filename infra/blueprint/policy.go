package blueprint

// Policy is an IAM policy document in its JSON form. This package creates all policies about the
// permissions of Loadbay's functions: the CDK app writes them into templates, and the local
// stack enforces the same ones.
type Policy struct {
	Version   string
	Statement []Statement
}

// Statement allows or denies actions on resources. Conditions maps operators to keys and
// values, as in {"Bool": {"aws:SecureTransport": "false"}}.
type Statement struct {
	Sid       string `json:",omitempty"`
	Effect    Effect
	Principal *Principal `json:",omitempty"` // for policies on resources
	Action    []Action
	Resource  []string
	Condition map[string]map[string]string `json:",omitempty"`
}

// Effect is the effect of a statement.
type Effect string

// The effects. Deny overrides Allow.
const (
	Allow Effect = "Allow"
	Deny  Effect = "Deny"
)

// Principal is the subject of a policy on a resource: everyone ("*") as AWS, or a service of
// AWS.
type Principal struct {
	AWS     string `json:",omitempty"`
	Service string `json:",omitempty"`
}

// EventsService is the service principal of EventBridge.
const EventsService = "events.amazonaws.com"

func newPolicy(statements []Statement) Policy {
	return Policy{Version: "2012-10-17", Statement: statements}
}

// RolePolicy returns the permissions of a function in a deployment: its grants and, for a
// function with object events, sending failed ones to the dead-letter queue, which Lambda does
// with the function's role. The CDK app adds the permissions for running on AWS (logs, traces,
// keys, the network, the database).
func (b *Blueprint) RolePolicy(f Function, p Deployment) Policy {
	var statements []Statement
	for _, g := range f.Grants {
		statements = append(statements, Statement{Effect: Allow, Action: g.Actions, Resource: []string{b.resourceARN(g, p)}})
	}
	if queue := b.DeadLetterQueue(f.Name); queue != "" {
		statements = append(statements, Statement{
			Sid: "GiveUp", Effect: Allow, Action: []Action{"sqs:SendMessage"}, Resource: []string{p.QueueARN(queue)},
		})
	}
	return newPolicy(statements)
}

// resourceARN returns the ARN of a grant's resource, with "*" for the names of jobs.
func (b *Blueprint) resourceARN(g Grant, p Deployment) string {
	switch g.Resource {
	case OnBucket:
		if g.ResourceName == "" {
			return p.BucketARN(b.Bucket.Name)
		}
		return p.BucketARN(b.Bucket.Name) + "/" + g.ResourceName + "*"
	case OnQueue:
		return p.QueueARN(g.ResourceName)
	case OnTable:
		return p.TableARN(b.Table.Name)
	case OnExecutions:
		return p.ExecutionARN(b.StateMachine.Name, "*")
	case OnFunction:
		return p.FunctionARN(g.ResourceName)
	case OnEventBus:
		return p.EventBusARN(b.EventBus.Name)
	case OnSecret:
		return p.SecretARN(b.Secret.Name)
	case OnMailIdentities:
		return p.MailIdentityARN("*")
	default:
		return p.StateMachineARN(b.StateMachine.Name)
	}
}

// WorkflowPolicy lets the state machine invoke the functions of its definition.
func (b *Blueprint) WorkflowPolicy(functions []string, p Deployment) Policy {
	s := Statement{Sid: "Invoke", Effect: Allow, Action: []Action{"lambda:InvokeFunction"}}
	for _, name := range functions {
		s.Resource = append(s.Resource, p.FunctionARN(name))
	}
	return newPolicy([]Statement{s})
}

// QueuePolicy is the policy of a queue: it denies access without TLS, and allows EventBridge to
// send events only by the rules of the bus for this queue.
func (b *Blueprint) QueuePolicy(queue string, p Deployment) Policy {
	arn := p.QueueARN(queue)
	statements := []Statement{denyInsecureTransport("sqs:*", arn)}
	for _, r := range b.EventBus.Rules {
		if r.Queue == queue {
			statements = append(statements, Statement{
				Effect: Allow, Principal: &Principal{Service: EventsService}, Action: []Action{"sqs:SendMessage"}, Resource: []string{arn},
				Condition: map[string]map[string]string{"ArnEquals": {"aws:SourceArn": p.RuleARN(b.EventBus.Name, r.Name)}},
			})
		}
	}
	return newPolicy(statements)
}

// BucketPolicy is the policy of the bucket: it denies access without TLS.
func (b *Blueprint) BucketPolicy(p Deployment) Policy {
	arn := p.BucketARN(b.Bucket.Name)
	return newPolicy([]Statement{denyInsecureTransport("s3:*", arn, arn+"/*")})
}

func denyInsecureTransport(actions Action, resources ...string) Statement {
	return Statement{
		Effect: Deny, Principal: &Principal{AWS: "*"}, Action: []Action{actions}, Resource: resources,
		Condition: map[string]map[string]string{"Bool": {"aws:SecureTransport": "false"}},
	}
}
