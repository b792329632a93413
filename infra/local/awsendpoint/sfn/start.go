package sfn

import (
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

const maxTraceHeader = 256

type startRequest struct {
	StateMachineARN string  `json:"stateMachineArn"`
	Name            *string `json:"name"`
	Input           *string `json:"input"`
	TraceHeader     string  `json:"traceHeader"`
}

type startResponse struct {
	ExecutionARN string            `json:"executionArn"`
	StartDate    history.Timestamp `json:"startDate"`
}

// startExecution starts an execution. While an execution runs, a request with the same
// name and input returns that execution; otherwise a name stays taken for 90 days.
func (s *Service) startExecution(r startRequest) (*startResponse, error) {
	m, err := s.findMachine(r.StateMachineARN)
	if err != nil {
		return nil, err
	}
	x, err := newExecution(m, r)
	if err != nil {
		return nil, err
	}
	key := executionKey(x)
	var invocation *interp.Invocation
	err = s.db.Update(func(tx *bbolt.Tx) error {
		l := openStore(tx)
		former, err := l.execution(key)
		if err != nil {
			return err
		}
		if former != nil && !timeoutExpired(former, time.Now()) {
			if former.Status != interp.Running || former.Input != x.Input {
				return awsjson.Errorf("ExecutionAlreadyExists", "Execution Already Exists: '%s'", x.ARN)
			}
			x = former
			return nil
		}
		if former != nil {
			if err := l.deleteExecution(former); err != nil {
				return err
			}
		}
		invocation, err = s.step(l, x, func(t *interp.Turn, _ *interp.Execution) error { return t.Start() })
		return err
	})
	if err != nil {
		return nil, err
	}
	s.invoke(key, invocation)
	return &startResponse{ExecutionARN: x.ARN, StartDate: history.Timestamp(x.Started)}, nil
}

// newExecution validates a request and returns the execution that it would start.
func newExecution(m machine, r startRequest) (*interp.Execution, error) {
	name, input := uuid.NewString(), "{}"
	if r.Name != nil {
		name = *r.Name
	}
	if r.Input != nil {
		input = *r.Input
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	if len(input) > interp.MaxData {
		return nil, awsjson.Errorf("ValidationException",
			"1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to %d", interp.MaxData)
	}
	if _, err := jsonpath.Decode([]byte(input)); err != nil {
		return nil, awsjson.Errorf("InvalidExecutionInput", "Invalid State Machine Execution Input: '%v'", err)
	}
	if err := checkLength(r.TraceHeader, "traceHeader", maxTraceHeader); err != nil {
		return nil, err
	}
	return &interp.Execution{
		ARN: executionARN(m.Name, name), Name: name, MachineARN: MachineARN(m.Name), MachineName: m.Name,
		RoleARN: rolePrefix + m.Name, Revision: m.Revision, Input: input, TraceHeader: r.TraceHeader,
	}, nil
}
