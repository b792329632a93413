package blueprint

import "slices"

// Deployment is the account, region and stage of a deployment. It determines all names: those of
// the blueprint are the same everywhere, those of a deployment end in its stage, so that several
// stages can share an account. Names and ARNs are built nowhere else: the CDK app passes
// CloudFormation's references as Partition, Region and Account, the local stack has
// LocalDeployment.
type Deployment struct {
	Partition, Region, Account string
	// Stage is the suffix of all names, such as "dev", or with a cell "dev-north": see StageName.
	Stage string
}

// StageName returns the name of a stage's cell. A stage without a cell has its own name; a cell is
// without hyphens, so that no two cells have the same name.
func StageName(stage, cell string) string {
	if cell == "" {
		return stage
	}
	return stage + "-" + cell
}

// LocalDeployment is the stack on one machine.
func LocalDeployment() Deployment {
	return Deployment{Partition: "aws", Region: "us-east-1", Account: "000000000000", Stage: "local"}
}

// Name returns the name of the queue, table, bus, state machine or alarm that the blueprint
// calls base.
func (p Deployment) Name(base string) string { return base + "-" + p.Stage }

// Function returns the name of a function.
func (p Deployment) Function(name string) string { return p.Name("loadbay-" + name) }

// Rule returns the name of a rule or schedule of EventBridge.
func (p Deployment) Rule(name string) string { return p.Name("loadbay-" + name) }

// Bucket returns the name of the bucket. Bucket names are global in AWS: the account makes the
// name unique, and the region allows a stage in several regions.
func (p Deployment) Bucket(base string) string {
	return p.Name(base) + "-" + p.Account + "-" + p.Region
}

func (p Deployment) arn(service, resource string) string {
	return "arn:" + p.Partition + ":" + service + ":" + p.Region + ":" + p.Account + ":" + resource
}

// BucketARN returns the ARN of the bucket; that of an object appends "/" and its key.
func (p Deployment) BucketARN(base string) string {
	return "arn:" + p.Partition + ":s3:::" + p.Bucket(base)
}

// QueueARN returns the ARN of a queue.
func (p Deployment) QueueARN(base string) string { return p.arn("sqs", p.Name(base)) }

// TableARN returns the ARN of the table.
func (p Deployment) TableARN(base string) string { return p.arn("dynamodb", "table/"+p.Name(base)) }

// StateMachineARN returns the ARN of the state machine.
func (p Deployment) StateMachineARN(base string) string {
	return p.arn("states", "stateMachine:"+p.Name(base))
}

// ExecutionARN returns the ARN of an execution of the state machine.
func (p Deployment) ExecutionARN(base, execution string) string {
	return p.arn("states", "execution:"+p.Name(base)+":"+execution)
}

// FunctionARN returns the ARN of a function.
func (p Deployment) FunctionARN(name string) string {
	return p.arn("lambda", "function:"+p.Function(name))
}

// EventBusARN returns the ARN of the bus.
func (p Deployment) EventBusARN(base string) string {
	return p.arn("events", "event-bus/"+p.Name(base))
}

// SecretARN returns the ARN of a secret as a pattern: Secrets Manager appends six random
// characters.
func (p Deployment) SecretARN(base string) string {
	return p.arn("secretsmanager", "secret:"+p.Name(base)+"-??????")
}

// MailIdentityARN returns the ARN of an address or a domain that SES may send from.
func (p Deployment) MailIdentityARN(identity string) string {
	return p.arn("ses", "identity/"+identity)
}

// RuleARN returns the ARN of a rule of a bus; "" is the account's default bus.
func (p Deployment) RuleARN(bus, rule string) string {
	if bus == "" {
		return p.arn("events", "rule/"+p.Rule(rule))
	}
	return p.arn("events", "rule/"+p.Name(bus)+"/"+p.Rule(rule))
}

// ForDeployment returns the blueprint with the deployment's names for queues, bucket, table, bus
// and state machine, including all references to them. Functions keep their names, which are
// also those of their folders.
func (b *Blueprint) ForDeployment(p Deployment) *Blueprint {
	at := *b
	at.Functions, at.Queues, at.EventSources = slices.Clone(b.Functions), slices.Clone(b.Queues), slices.Clone(b.EventSources)
	at.ObjectEvents, at.EventBus.Rules = slices.Clone(b.ObjectEvents), slices.Clone(b.EventBus.Rules)
	for i := range at.Functions {
		at.Functions[i] = at.Functions[i].forDeployment(p)
	}
	for i := range at.Queues {
		p.rename(&at.Queues[i].Name, &at.Queues[i].DeadLetter)
	}
	for i := range at.EventSources {
		p.rename(&at.EventSources[i].Queue)
	}
	for i := range at.ObjectEvents {
		p.rename(&at.ObjectEvents[i].DeadLetter)
	}
	for i := range at.EventBus.Rules {
		p.rename(&at.EventBus.Rules[i].Queue)
	}
	p.rename(&at.EventBus.Name, &at.Table.Name, &at.Secret.Name, &at.StateMachine.Name)
	at.Bucket.Name = p.Bucket(b.Bucket.Name)
	return &at
}

func (f Function) forDeployment(p Deployment) Function {
	f.Env, f.Grants = slices.Clone(f.Env), slices.Clone(f.Grants)
	for i := range f.Env {
		if f.Env[i].Ref == QueueURL {
			p.rename(&f.Env[i].RefName)
		}
	}
	for i := range f.Grants {
		if f.Grants[i].Resource == OnQueue {
			p.rename(&f.Grants[i].ResourceName)
		}
	}
	return f
}

func (p Deployment) rename(names ...*string) {
	for _, name := range names {
		if *name != "" {
			*name = p.Name(*name)
		}
	}
}
