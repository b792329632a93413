// Package blueprint says, as plain data, what Loadbay is made of: functions,
// queues, the bucket, the table, schedules, and the permissions of each function. The
// CDK app turns it into AWS resources and the local stack into processes on
// one machine, so that neither can have what the other lacks.
package blueprint

import (
	"slices"
	"time"
)

// Blueprint is the whole service.
type Blueprint struct {
	Functions    []Function
	Queues       []Queue
	EventSources []EventSource
	ObjectEvents []ObjectEvent
	EventBus     EventBus
	Schedules    []Schedule
	Bucket       Bucket
	Table        Table
	Secret       Secret
	StateMachine StateMachine
}

// Function is one Lambda function: the folder of its main package under
// functions/, its size, and what it may touch.
type Function struct {
	Name    string // also the folder under functions/
	Purpose string // one sentence, shown in the console
	Memory  int    // MiB
	Timeout time.Duration
	// Concurrency is the most instances at a time; 0 is the account's limit on
	// AWS and LocalConcurrency on one machine.
	Concurrency int
	// Room is how many instances of the account's are kept for the function where data lasts,
	// so that the others, however many, leave it as many: also the most that it has. 0 is none.
	// Unlike what Concurrency bounds, it goes to the database through the proxy.
	ReservedConcurrency int
	// Disk is /tmp in MiB; 0 is Lambda's default of 512.
	Disk   int
	Env    []Env
	Grants []Grant
	// Database names the role that the function connects as, or "".
	Database DatabaseRole
	// Streams gives the function a URL of its own, through which it responds
	// as a stream: for responses beyond what the HTTP API can carry (6 MB, 29 s).
	// Only callers with a signature of a role that may invoke it get through.
	Streams bool
}

// LocalConcurrency bounds, on one machine, functions that AWS does not bound.
const LocalConcurrency = 4

// Env is one environment variable. Value is literal, unless Ref names a
// resource whose address is only known where it runs.
type Env struct {
	Name  string
	Value string
	Ref   Ref
	// Of is the name of the queue for QueueURL, of the function for FunctionURL and FunctionName.
	RefName string
}

// Ref is an address that the cloud and the local stack fill in.
type Ref string

// The addresses that functions need.
const (
	BucketName      Ref = "bucket-name"
	QueueURL        Ref = "queue-url"
	TableName       Ref = "table-name"
	StateMachineARN Ref = "state-machine-arn"
	FunctionURL     Ref = "function-url"
	FunctionName    Ref = "function-name"
	EventBusName    Ref = "event-bus-name"
	// Setting is what whoever deploys has set for the variable's own name. Where
	// nothing is set, there is no variable, and the function has its default.
	Setting    Ref = "setting"
	SecretName Ref = "secret-name"
)

// DatabaseRole is a role in Postgres. Each sees what its policies let it see.
type DatabaseRole string

// The roles that the migrate function creates (package schema).
const (
	// NoDatabase is for functions that do not connect.
	NoDatabase DatabaseRole = ""
	// AppRole works for one organisation a transaction, under row level security.
	AppRole DatabaseRole = "loadbay_app"
	// MaintenanceRole sees the bookkeeping of all organisations, and none of their entities.
	MaintenanceRole DatabaseRole = "loadbay_maintenance"
	// OperatorRole makes organisations and what their files refer to, and sees where the
	// imports and exports of all stand, but no entities.
	OperatorRole DatabaseRole = "loadbay_operator"
	// AdminRole owns the schema; only migrate uses it.
	AdminRole DatabaseRole = "admin"
)

// Grant is one permission: actions on one resource.
type Grant struct {
	Actions  []Action
	Resource Resource
	// Of narrows the resource: a queue's or a function's name, or a key prefix of
	// the bucket ("uploads/"). Without it, OnBucket is the bucket itself, for
	// s3:ListBucket: without that, S3 responds with 403 where an object is missing, not 404.
	ResourceName string
}

// Action is an IAM action, as in "s3:GetObject".
type Action string

// Resource is what a grant is for.
type Resource string

// The resources that grants name.
const (
	OnBucket       Resource = "bucket"
	OnQueue        Resource = "queue"
	OnTable        Resource = "table"
	OnStateMachine Resource = "state-machine"
	OnExecutions   Resource = "executions"
	OnFunction     Resource = "function"
	OnEventBus     Resource = "event-bus"
	OnSecret       Resource = "secret"
	// OnMailIdentities are the addresses and domains that the account may send from.
	OnMailIdentities Resource = "mail-identities"
)

// Queue is one SQS queue.
type Queue struct {
	Name       string
	Visibility time.Duration
	Retention  time.Duration
	// DeadLetter is the queue that takes a message after MaxReceive receives; "" for none.
	DeadLetter string
	MaxReceive int
}

// EventSource makes a queue invoke a function, with partial batch responses.
type EventSource struct {
	Queue, Function string
	BatchSize       int
	// MaxConcurrency is the most invocations of this mapping at a time (2–1000 on AWS).
	MaxConcurrency int
	// LocalConcurrency is the same on one machine.
	LocalConcurrency int
}

// ObjectEvent sends EventBridge's "Object Created" of keys under Prefix to a
// function. An event that the function refuses for good goes to the queue
// DeadLetter: nothing else would ever report that object again.
type ObjectEvent struct {
	Prefix, Function, DeadLetter string
}

// EventBus is the EventBridge bus on which events of imports are published.
type EventBus struct {
	Name  string
	Rules []EventRule
}

// EventRule sends events of the bus that have this source to a queue, whole. One
// that cannot be sent goes to the queue's dead letters.
type EventRule struct {
	Name, Source, Queue string
}

// Schedule invokes a function at times given as EventBridge writes them:
// "rate(1 minute)", "cron(0 2 * * ? *)", in UTC.
type Schedule struct {
	Name, Expression, Function string
}

// Bucket is the one bucket for files.
type Bucket struct {
	Name  string
	Rules []LifecycleRule
}

// LifecycleRule expires what the database should have purged long before, or
// what a person has marked.
type LifecycleRule struct {
	Name string
	// Prefix is of the keys that the rule is for; or Tag, as "name=value", is what
	// the objects have to be marked with, whatever their keys.
	Prefix, Tag string
	// ExpireDays after creation; AbortUploadDays for multipart uploads never
	// completed, which have no tags.
	ExpireDays      int
	AbortUploadDays int
}

// Table is the DynamoDB table for task tokens and idempotency keys.
type Table struct {
	Name                           string
	PartitionKey, SortKey, TTLAttr string
}

// Secret is the one in Secrets Manager: keys by their ids, of which "current" names the
// one in use. The first is made with it.
type Secret struct {
	Name string
}

// The members of a new Secret, and the length of its key, of letters and digits.
const (
	SecretCurrent  = "current"
	SecretFirstKey = "1"
	SecretLength   = 64
)

// StateMachine runs infra/statemachine/import.asl.json. A placeholder
// ${Name} in the definition is the ARN of the function of that name.
type StateMachine struct {
	Name string
}

// Settings are the names of the variables that whoever deploys may set, each once.
func (b *Blueprint) Settings() []string {
	var names []string
	for _, f := range b.Functions {
		for _, e := range f.Env {
			if e.Ref == Setting {
				names = append(names, e.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Function returns the function of that name and whether there is one.
func (b *Blueprint) Function(name string) (Function, bool) {
	for _, f := range b.Functions {
		if f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}

// Queue returns the queue of that name and whether there is one.
func (b *Blueprint) Queue(name string) (Queue, bool) {
	for _, q := range b.Queues {
		if q.Name == name {
			return q, true
		}
	}
	return Queue{}, false
}

// DeadLetterQueue returns the queue that takes the object events which the function
// refuses for good, or "" for a function that gets none.
func (b *Blueprint) DeadLetterQueue(function string) string {
	for _, e := range b.ObjectEvents {
		if e.Function == function {
			return e.DeadLetter
		}
	}
	return ""
}
