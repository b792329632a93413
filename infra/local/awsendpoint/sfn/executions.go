package sfn

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

type stopRequest struct {
	ExecutionARN string  `json:"executionArn"`
	Error        *string `json:"error"`
	Cause        *string `json:"cause"`
}

type stopResponse struct {
	StopDate history.Timestamp `json:"stopDate"`
}

// stopExecution aborts an execution; a closed one remains unchanged.
func (s *Service) stopExecution(r stopRequest) (*stopResponse, error) {
	key, err := parseExecutionARN(r.ExecutionARN)
	if err != nil {
		return nil, err
	}
	failure, err := checkFailure(r.Error, r.Cause)
	if err != nil {
		return nil, err
	}
	var stopped time.Time
	err = s.advance(key, func(t *interp.Turn, x *interp.Execution) error {
		if x.Status == interp.Running {
			t.Abort(failure)
		}
		stopped = x.Stopped
		return nil
	})
	if errors.Is(err, errExecutionNotFound) {
		return nil, executionNotFound(r.ExecutionARN)
	}
	return &stopResponse{StopDate: history.Timestamp(stopped)}, err
}

// checkFailure returns an error and its cause if they are not too long.
func checkFailure(name, cause *string) (interp.Failure, error) {
	if name != nil {
		if err := checkLength(*name, "error", maxError); err != nil {
			return interp.Failure{}, err
		}
	}
	if cause != nil {
		if err := checkLength(*cause, "cause", maxCause); err != nil {
			return interp.Failure{}, err
		}
	}
	return interp.Failure{Error: name, Cause: cause}, nil
}

// readExecution reads an execution.
func (s *Service) readExecution(arn string, read func(l store, key string, x *interp.Execution) error) error {
	key, err := parseExecutionARN(arn)
	if err != nil {
		return err
	}
	return s.db.View(func(tx *bbolt.Tx) error {
		l := openStore(tx)
		x, err := l.execution(key)
		if err != nil {
			return err
		}
		if x == nil || timeoutExpired(x, time.Now()) {
			return executionNotFound(arn)
		}
		return read(l, key, x)
	})
}

type describeRequest struct {
	ExecutionARN string `json:"executionArn"`
	IncludedData string `json:"includedData"`
}

type included struct {
	Included bool `json:"included"`
}

type describeResponse struct {
	ExecutionARN        string             `json:"executionArn"`
	StateMachineARN     string             `json:"stateMachineArn"`
	Name                string             `json:"name"`
	Status              interp.Status      `json:"status"`
	StartDate           history.Timestamp  `json:"startDate"`
	StopDate            *history.Timestamp `json:"stopDate,omitempty"`
	Input               string             `json:"input,omitempty"`
	InputDetails        *included          `json:"inputDetails,omitempty"`
	Output              string             `json:"output,omitempty"`
	OutputDetails       *included          `json:"outputDetails,omitempty"`
	TraceHeader         string             `json:"traceHeader,omitempty"`
	Error               *string            `json:"error,omitempty"`
	Cause               *string            `json:"cause,omitempty"`
	RedriveCount        int                `json:"redriveCount"`
	RedriveStatus       string             `json:"redriveStatus"`
	RedriveStatusReason string             `json:"redriveStatusReason"`
}

func (s *Service) describeExecution(r describeRequest) (*describeResponse, error) {
	withData, err := includesData(r.IncludedData)
	if err != nil {
		return nil, err
	}
	var response *describeResponse
	err = s.readExecution(r.ExecutionARN, func(_ store, _ string, x *interp.Execution) error {
		response = describeExecution(x, withData)
		return nil
	})
	return response, err
}

func includesData(asked string) (bool, error) {
	switch asked {
	case "", "ALL_DATA":
		return true, nil
	case "METADATA_ONLY":
		return false, nil
	}
	return false, validationError(asked, "includedData", "Member must satisfy enum value set: [ALL_DATA, METADATA_ONLY]")
}

func describeExecution(x *interp.Execution, withData bool) *describeResponse {
	r := &describeResponse{
		ExecutionARN: x.ARN, StateMachineARN: x.MachineARN, Name: x.Name, Status: x.Status,
		StartDate: history.Timestamp(x.Started), StopDate: stopDate(x.Stopped),
		TraceHeader: x.TraceHeader, Error: x.Failure.Error, Cause: x.Failure.Cause,
		RedriveStatus: "NOT_REDRIVABLE", RedriveStatusReason: redriveReason(x.Status),
	}
	if withData {
		r.Input, r.InputDetails = x.Input, &included{true}
	}
	if withData && x.Status == interp.Succeeded {
		r.Output, r.OutputDetails = x.Output, &included{true}
	}
	return r
}

// redriveReason explains why an execution cannot be redriven; AWS could redrive unsuccessful ones.
func redriveReason(status interp.Status) string {
	if status == interp.Running || status == interp.Succeeded {
		return fmt.Sprintf("Execution is %s and cannot be redriven", status)
	}
	return "The local Step Functions does not implement RedriveExecution"
}

func stopDate(stopped time.Time) *history.Timestamp {
	if stopped.IsZero() {
		return nil
	}
	date := history.Timestamp(stopped)
	return &date
}

type listRequest struct {
	StateMachineARN string `json:"stateMachineArn"`
	StatusFilter    string `json:"statusFilter"`
	MaxResults      int    `json:"maxResults"`
	NextToken       string `json:"nextToken"`
}

type listItem struct {
	ExecutionARN    string             `json:"executionArn"`
	StateMachineARN string             `json:"stateMachineArn"`
	Name            string             `json:"name"`
	Status          interp.Status      `json:"status"`
	StartDate       history.Timestamp  `json:"startDate"`
	StopDate        *history.Timestamp `json:"stopDate,omitempty"`
	RedriveCount    int                `json:"redriveCount"`
}

type listResponse struct {
	Executions []listItem `json:"executions"`
	NextToken  string     `json:"nextToken,omitempty"`
}

// listExecutions lists a machine's executions, the newest first.
func (s *Service) listExecutions(r listRequest) (*listResponse, error) {
	m, err := s.findMachine(r.StateMachineARN)
	if err != nil {
		return nil, err
	}
	limit, err := pageSize(r.MaxResults)
	if err != nil {
		return nil, err
	}
	if err := checkStatus(r.StatusFilter); err != nil {
		return nil, err
	}
	start, err := base64.StdEncoding.DecodeString(r.NextToken)
	if err != nil {
		return nil, invalidToken()
	}
	if r.NextToken == "" {
		start = nil
	}
	response := &listResponse{Executions: []listItem{}}
	err = s.db.View(func(tx *bbolt.Tx) error {
		entries, next, err := openStore(tx).listExecutions(m.Name, interp.Status(r.StatusFilter), start, limit)
		for _, e := range entries {
			response.Executions = append(response.Executions, listItemOf(m.Name, e))
		}
		response.NextToken = base64.StdEncoding.EncodeToString(next)
		return err
	})
	return response, err
}

func listItemOf(machine string, e listing) listItem {
	return listItem{
		ExecutionARN: executionARN(machine, e.Name), StateMachineARN: MachineARN(machine), Name: e.Name,
		Status: e.Status, StartDate: history.Timestamp(e.Started), StopDate: stopDate(e.Stopped),
	}
}

func checkStatus(filter string) error {
	switch filter {
	case "", "RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", "PENDING_REDRIVE":
		return nil
	}
	return validationError(filter, "statusFilter", "Member must satisfy enum value set: [SUCCEEDED, TIMED_OUT, PENDING_REDRIVE, ABORTED, FAILED, RUNNING]")
}
