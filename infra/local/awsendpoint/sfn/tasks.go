package sfn

import (
	"errors"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

type taskSuccessRequest struct {
	TaskToken string  `json:"taskToken"`
	Output    *string `json:"output"`
}

func (s *Service) sendTaskSuccess(r taskSuccessRequest) (*emptyResponse, error) {
	if r.Output == nil {
		return nil, validationError("null", "output", "Member must not be null")
	}
	if len(*r.Output) > interp.MaxData {
		return nil, awsjson.Errorf("ValidationException",
			"1 validation error detected: Value at 'output' failed to satisfy constraint: Member must have length less than or equal to %d", interp.MaxData)
	}
	output, err := jsonpath.Decode([]byte(*r.Output))
	if err != nil {
		return nil, awsjson.Errorf("InvalidOutput", "Invalid Output: '%v'", err)
	}
	return s.completeTask(r.TaskToken, func(t *interp.Turn, attempt int64) (bool, error) {
		return t.CompleteTask(attempt, output, nil)
	})
}

type taskFailureRequest struct {
	TaskToken string  `json:"taskToken"`
	Error     *string `json:"error"`
	Cause     *string `json:"cause"`
}

func (s *Service) sendTaskFailure(r taskFailureRequest) (*emptyResponse, error) {
	failure, err := checkFailure(r.Error, r.Cause)
	if err != nil {
		return nil, err
	}
	return s.completeTask(r.TaskToken, func(t *interp.Turn, attempt int64) (bool, error) {
		return t.CompleteTask(attempt, nil, &failure)
	})
}

type heartbeatRequest struct {
	TaskToken string `json:"taskToken"`
}

// sendTaskHeartbeat only checks that the task is still waiting: no definition can
// require heartbeats.
func (s *Service) sendTaskHeartbeat(r heartbeatRequest) (*emptyResponse, error) {
	return s.completeTask(r.TaskToken, func(t *interp.Turn, attempt int64) (bool, error) {
		return t.IsCurrent(attempt), nil
	})
}

// completeTask applies a completion to the attempt that the token identifies.
func (s *Service) completeTask(token string, apply func(t *interp.Turn, attempt int64) (bool, error)) (*emptyResponse, error) {
	p, ok := s.signer.read(token)
	if !ok {
		return nil, invalidToken()
	}
	err := s.advance(p.key, func(t *interp.Turn, x *interp.Execution) error {
		if x.Started.UnixNano() != p.started {
			return errExecutionNotFound
		}
		open, err := apply(t, p.attempt)
		if err == nil && !open {
			return awsjson.Errorf("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'")
		}
		return err
	})
	if errors.Is(err, errExecutionNotFound) {
		return nil, awsjson.Errorf("TaskDoesNotExist", "Task Does Not Exist: 'the execution of this task is no longer kept'")
	}
	if err != nil {
		return nil, err
	}
	return &emptyResponse{}, nil
}
