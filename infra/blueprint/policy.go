package blueprint

// Policy is an IAM policy document, as its JSON is written. This package makes
// all that speak of what Loadbay's functions may touch: the CDK app writes them
// into templates, and the local stack enforces the same ones.
type Policy struct {
	Version   string
	Statement []Statement
}

// Statement allows or denies actions on resources. Conditions are values by
// operator and key, as {"Bool": {"aws:SecureTransport": "false"}}.
type Statement struct {
	Sid       string `json:",omitempty"`
	Effect    Effect
	Principal *Principal `json:",omitempty"` // of policies on resources
	Action    []Action
	Resource  []string
	Condition map[string]map[string]string `json:",omitempty"`
}

// Effect is what a statement does.
type Effect string

// The effects that there are. A denial outweighs every permission.
const (
	Allow Effect = "Allow"
	Deny  Effect = "Deny"
)

// Principal is whom a policy on a resource speaks of: everybody ("*") as AWS, or
// a service of AWS.
type Principal struct {
	AWS     string `json:",omitempty"`
	Service string `json:",omitempty"`
}

// EventsService is EventBridge as the principal of policies.
const EventsService = "events.amazonaws.com"

func newPolicy(statements []Statement) Policy {
	return Policy{Version: "2012-10-17", Statement: statements}
}

// RolePolicy is what a function may do in a place: its grants, and for one that
// gets object events handing over those that it has given up, which Lambda does
// in its name. What being run takes on AWS beside that (logs, traces, keys, the
// network, the database) is the CDK app's.
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

// resourceARN is what a grant is for, as an ARN, with "*" for the names that jobs give.
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

// QueuePolicy is the policy on a queue: nobody without TLS, and of EventBridge
// the rules of the bus that send it events.
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

// BucketPolicy is the policy on the bucket: nobody without TLS.
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
