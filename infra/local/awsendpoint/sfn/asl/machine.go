// Package asl parses definitions in the Amazon States Language (JSONPath query language) and
// reports their errors as CreateStateMachine does. It supports the features that the import's
// state machine needs; all others are rejected with an error that names them: Wait, Parallel and
// Map, InputPath and OutputPath, heartbeats, operators of a Choice other than StringEquals,
// intrinsics other than States.Format, integrations other than lambda:invoke, variables, JSONata.
// Source: https://states-language.net/spec.html and
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
	// Next is the following state; "" if the execution ends, and for a Choice, which has its own
	// transitions.
	Next   string
	Action Action
}

// Action is the behaviour of a state: *Task, *Choice, *Pass, *Succeed or *Fail.
type Action interface {
	// Type is the value of the state's "Type".
	Type() string
}

// Placement is ResultPath: the position of a result in the state's input.
type Placement struct {
	Path jsonpath.Path
	// Discard is the path null: the result is dropped, the input remains.
	Discard bool
}

// Pass returns its input, or its evaluated parameters.
type Pass struct {
	Parameters *Template // nil: the unchanged input
	Result     Placement
}

// Succeed ends an execution as successful.
type Succeed struct{}

// Fail ends an execution as failed. An absent Error or Cause is nil.
type Fail struct {
	Error, Cause         *string
	ErrorPath, CausePath intrinsic.Expression
}

// Type returns "Pass".
func (*Pass) Type() string { return "Pass" }

// Type returns "Succeed".
func (*Succeed) Type() string { return "Succeed" }

// Type returns "Fail".
func (*Fail) Type() string { return "Fail" }
