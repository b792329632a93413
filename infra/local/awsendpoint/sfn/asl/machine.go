// Package asl reads definitions in the Amazon States Language (JSONPath query
// language) and finds their faults, as CreateStateMachine would. What AWS
// allows and this package does not know (Parallel, Map, JSONata, variables,
// other service integrations) is a fault that names it.
// Facts: https://states-language.net/spec.html and
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-amazon-states-language.html
package asl

import (
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// Machine is a valid definition.
type Machine struct {
	StartAt string
	// Timeout bounds a whole execution; 0 is no bound.
	Timeout time.Duration
	States  map[string]*State
}

// State is one state of a machine.
type State struct {
	Name string
	// Next is the state that follows; "" where the execution ends, and for a
	// Choice, which has its own.
	Next string
	// Input and Output are InputPath and OutputPath.
	Input, Output Selector
	Action        Action
}

// Action is what a state does: *Task, *Choice, *Pass, *Wait, *Succeed or *Fail.
type Action interface {
	// Type is the value of the state's "Type".
	Type() string
}

// Selector takes a part of a state's data.
type Selector struct {
	Path jsonpath.Path
	// Discard is the path null: the data is replaced by {}.
	Discard bool
}

// Placement is ResultPath: where a result goes in the state's input.
type Placement struct {
	Path jsonpath.Reference
	// Discard is the path null: the result is dropped, the input stays.
	Discard bool
}

// Seconds is a duration that stands in the definition or in the state's data.
// Both fields are zero where there is none.
type Seconds struct {
	Value int64
	Path  *jsonpath.Path
}

// Task invokes a Lambda function.
type Task struct {
	Resource       Resource
	Parameters     *Template // nil: the input as it is
	ResultSelector *Template // nil: the result as it is
	Result         Placement
	Timeout        Seconds
	Heartbeat      Seconds
	Retry          []Retrier
	Catch          []Catcher
}

// Choice goes one of several ways.
type Choice struct {
	Rules []Branch
	// Default is the state when no rule matches, or "".
	Default string
}

// Branch is one rule of a Choice and the state it leads to.
type Branch struct {
	Rule Rule
	Next string
}

// Pass hands its input on, or a constant.
type Pass struct {
	Parameters *Template
	// HasResult tells a Result of null from none.
	HasResult bool
	Result    any
	Place     Placement
}

// Wait waits for a time or until one. One of its fields is set.
type Wait struct {
	Seconds       Seconds
	Timestamp     time.Time
	TimestampPath *jsonpath.Path
}

// Succeed ends an execution well.
type Succeed struct{}

// Fail ends an execution badly. An absent Error or Cause is nil.
type Fail struct {
	Error, Cause         *string
	ErrorPath, CausePath intrinsic.Expression
}

// Type is "Task".
func (*Task) Type() string { return "Task" }

// Type is "Choice".
func (*Choice) Type() string { return "Choice" }

// Type is "Pass".
func (*Pass) Type() string { return "Pass" }

// Type is "Wait".
func (*Wait) Type() string { return "Wait" }

// Type is "Succeed".
func (*Succeed) Type() string { return "Succeed" }

// Type is "Fail".
func (*Fail) Type() string { return "Fail" }
