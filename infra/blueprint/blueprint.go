// Package blueprint describes the parts of Loadbay as plain data: functions, queues, the bucket,
// the table, schedules, and the permissions of each function. The CDK app turns it into AWS
// resources and the local stack into processes on one machine, so that both have the same parts.
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

// Function is one Lambda function: the folder of its main package under functions/, its size,
// and its permissions.
type Function struct {
	Name    string // also the folder under functions/
	Purpose string // one sentence, shown in the console
	Memory  int    // MiB
	Timeout time.Duration
	// Concurrency is the maximum number of concurrent instances; 0 means the account's limit on AWS
	// and LocalConcurrency on one machine.
	Concurrency int
	// ReservedConcurrency reserves instances of the account's limit in stages with retained data,
	// so that other functions cannot use them up; it is also the function's maximum. 0 reserves
	// none. Unlike functions with Concurrency, such a function connects through the proxy.
	ReservedConcurrency int
	// Disk is the size of /tmp in MiB; 0 is Lambda's default of 512.
	Disk   int
	Env    []Env
	Grants []Grant
	// Database is the role that the function connects as, or "".
	Database DatabaseRole
	// Streams gives the function a URL of its own for streamed responses: for responses beyond the
	// limits of the HTTP API (6 MB, 29 s). Requests must be signed by a role that may invoke the
	// function.
	Streams bool
}

// LocalConcurrency limits functions on one machine that have no limit on AWS.
const LocalConcurrency = 4

// Env is one environment variable. Value is literal, unless Ref names a resource with an address
// that is known only at deployment.
type Env struct {
	Name  string
	Value string
	Ref   Ref
	// RefName is the name of the queue for QueueURL, and of the function for FunctionURL and
	// FunctionName.
	RefName string
}

// Ref is an address that the CDK app and the local stack resolve.
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
	// Setting is the deployer's value for the variable of that name. Without one, the variable is
	// not set and the function uses its default.
	Setting    Ref = "setting"
	SecretName Ref = "secret-name"
)

// DatabaseRole is a role in Postgres. Its policies determine which rows it can see.
type DatabaseRole string

// The roles that the migrate function creates (package schema).
const (
	// NoDatabase is for functions that do not connect to the database.
	NoDatabase DatabaseRole = ""
	// AppRole works for one organisation per transaction, under row level security.
	AppRole DatabaseRole = "loadbay_app"
	// MaintenanceRole sees the bookkeeping of all organisations, but no entities.
	MaintenanceRole DatabaseRole = "loadbay_maintenance"
	// OperatorRole manages organisations and the records that their files refer to, and sees the
	// state of all imports and exports, but no entities.
	OperatorRole DatabaseRole = "loadbay_operator"
	// AdminRole owns the schema; only migrate uses it.
	AdminRole DatabaseRole = "admin"
)

// Grant is one permission: actions on one resource.
type Grant struct {
	Actions  []Action
	Resource Resource
	// ResourceName narrows the resource: a queue's or a function's name, or a key prefix of the
	// bucket ("uploads/"). Without it, OnBucket is the bucket itself, for s3:ListBucket: without
	// that permission, S3 responds with 403 instead of 404 for a missing object.
	ResourceName string
}

// Action is an IAM action, as in "s3:GetObject".
type Action string

// Resource is the kind of resource that a grant applies to.
type Resource string

// The resources of grants.
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
	// DeadLetter is the queue that receives a message after MaxReceive receives; "" for none.
	DeadLetter string
	MaxReceive int
}

// EventSource makes a queue invoke a function, with partial batch responses.
type EventSource struct {
	Queue, Function string
	BatchSize       int
	// MaxConcurrency is the maximum number of concurrent invocations of this mapping (2–1000 on
	// AWS).
	MaxConcurrency int
	// LocalConcurrency is MaxConcurrency on one machine.
	LocalConcurrency int
}

// ObjectEvent sends EventBridge's "Object Created" of keys under Prefix to a function. An event
// that the function finally fails to handle goes to the queue DeadLetter, because no other event
// would report that object.
type ObjectEvent struct {
	Prefix, Function, DeadLetter string
}

// EventBus is the EventBridge bus on which events of imports are published.
type EventBus struct {
	Name  string
	Rules []EventRule
}

// EventRule sends complete events with this source from the bus to a queue. Undeliverable
// events go to the queue's dead-letter queue.
type EventRule struct {
	Name, Source, Queue string
}

// Schedule invokes a function at times in EventBridge syntax: "rate(1 minute)",
// "cron(0 2 * * ? *)", in UTC.
type Schedule struct {
	Name, Expression, Function string
}

// Bucket is the single bucket for files.
type Bucket struct {
	Name  string
	Rules []LifecycleRule
}

// LifecycleRule expires objects that the purge should have deleted long before, or that an
// operator has tagged.
type LifecycleRule struct {
	Name string
	// Prefix selects objects by key; Tag, as "name=value", selects tagged objects with any key.
	Prefix, Tag string
	// ExpireDays counts from creation; AbortUploadDays applies to incomplete multipart uploads,
	// which have no tags.
	ExpireDays      int
	AbortUploadDays int
}

// Table is the DynamoDB table for task tokens and idempotency keys.
type Table struct {
	Name                           string
	PartitionKey, SortKey, TTLAttr string
}

// Secret is the secret in Secrets Manager: keys by their ids, and "current" with the id of the
// key in use. It is created with its first key.
type Secret struct {
	Name string
}

// The members of a new Secret, and the length of its key in letters and digits.
const (
	SecretCurrent  = "current"
	SecretFirstKey = "1"
	SecretLength   = 64
)

// StateMachine runs infra/statemachine/import.asl.json. A placeholder ${Name} in the definition
// is the ARN of the function with that name.
type StateMachine struct {
	Name string
}

// Settings returns the names of the variables that a deployer may set, without duplicates.
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

// Function returns the function with that name and whether it exists.
func (b *Blueprint) Function(name string) (Function, bool) {
	for _, f := range b.Functions {
		if f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}

// Queue returns the queue with that name and whether it exists.
func (b *Blueprint) Queue(name string) (Queue, bool) {
	for _, q := range b.Queues {
		if q.Name == name {
			return q, true
		}
	}
	return Queue{}, false
}

// DeadLetterQueue returns the queue for object events that the function could not handle, or ""
// for a function without object events.
func (b *Blueprint) DeadLetterQueue(function string) string {
	for _, e := range b.ObjectEvents {
		if e.Function == function {
			return e.DeadLetter
		}
	}
	return ""
}
