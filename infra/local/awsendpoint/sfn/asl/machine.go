// Package asl reads definitions in the Amazon States Language (JSONPath query
// language) and finds what is wrong with them, as CreateStateMachine would. It knows what
// the import's state machine needs; all else that AWS allows is refused by its
// name: Wait, Parallel and Map, InputPath and OutputPath, heartbeats, every
// operator of a Choice but StringEquals, every intrinsic but States.Format, other
// integrations than lambda:invoke, variables, JSONata.
// Facts: https://states-language.net/spec.html and
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-amazon-states-language.html
package asl

import (
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// Machine is a valid definition.
type Machine struct {
	StartAt string
	States  map[string]*State
}

// State is one state of a machine.
type State struct {
	Name string
	// Next is the state that follows; "" where the execution ends, and for a
	// Choice, which has its own.
	Next   string
	Action Action
}

// Action is what a state does: *Task, *Choice, *Pass, *Succeed or *Fail.
type Action interface {
	// Type is the value of the state's "Type".
	Type() string
}

// Placement is ResultPath: where a result goes in the state's input.
type Placement struct {
	Path jsonpath.Path
	// Discard is the path null: the result is dropped, the input stays.
	Discard bool
}

// Pass hands its input on, or what its parameters make of it.
type Pass struct {
	Parameters *Template // nil: the input as it is
	Result     Placement
}

// Succeed ends an execution as successful.
type Succeed struct{}

// Fail ends an execution as failed. An absent Error or Cause is nil.
type Fail struct {
	Error, Cause         *string
	ErrorPath, CausePath intrinsic.Expression
}

// Type is "Pass".
func (*Pass) Type() string { return "Pass" }

// Type is "Succeed".
func (*Succeed) Type() string { return "Succeed" }

// Type is "Fail".
func (*Fail) Type() string { return "Fail" }
