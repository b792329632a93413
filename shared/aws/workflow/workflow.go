// Package workflow starts and stops executions, and completes waiting tasks, of the import state
// machine in Step Functions.
//
// Tested by infra/tests/conformance: executions at the local endpoint.
package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"github.com/loadbay/loadbay/shared/job"
)

// Workflow is one state machine. Its executions are named after the UUIDs of the jobs.
type Workflow struct {
	client *sfn.Client
	arn    string
}

// New returns the workflow of the state machine.
func New(client *sfn.Client, stateMachineARN string) *Workflow {
	return &Workflow{client: client, arn: stateMachineARN}
}

// Settings identifies the state machine.
type Settings struct {
	StateMachineARN string `env:"STATE_MACHINE_ARN,required"`
}

// Open returns the workflow of the configured state machine.
func Open(c aws.Config, s Settings) *Workflow {
	return New(sfn.NewFromConfig(c), s.StateMachineARN)
}

// Start starts the job's execution. An execution that already exists, running or closed,
// counts as started.
func (w *Workflow) Start(ctx context.Context, ref job.Ref) error {
	input, err := json.Marshal(ref)
	if err != nil {
		return fmt.Errorf("start job %s: %w", ref.JobID, err)
	}
	_, err = w.client.StartExecution(ctx, &sfn.StartExecutionInput{
		StateMachineArn: &w.arn, Name: aws.String(string(ref.JobID)), Input: aws.String(string(input)),
	})
	var exists *types.ExecutionAlreadyExists
	if err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("start job %s: %w", ref.JobID, err)
	}
	return nil
}

// Stop stops the job's execution if it is running.
func (w *Workflow) Stop(ctx context.Context, jobID job.ID, reason string) error {
	_, err := w.client.StopExecution(ctx, &sfn.StopExecutionInput{
		ExecutionArn: aws.String(w.ExecutionARN(jobID)), Error: aws.String(string(job.Cancelled)), Cause: &reason,
	})
	var gone *types.ExecutionDoesNotExist
	if err != nil && !errors.As(err, &gone) {
		return fmt.Errorf("stop job %s: %w", jobID, err)
	}
	return nil
}

// Status returns the status of the job's execution: RUNNING, ABSENT, or the status with
// which it was closed.
func (w *Workflow) Status(ctx context.Context, jobID job.ID) (job.ExecutionStatus, error) {
	out, err := w.client.DescribeExecution(ctx, &sfn.DescribeExecutionInput{ExecutionArn: aws.String(w.ExecutionARN(jobID))})
	var gone *types.ExecutionDoesNotExist
	if errors.As(err, &gone) {
		return job.ExecutionAbsent, nil
	}
	if err != nil {
		return "", fmt.Errorf("read status of job %s: %w", jobID, err)
	}
	return job.ExecutionStatus(out.Status), nil
}

// ExecutionARN returns the ARN of the job's execution.
func (w *Workflow) ExecutionARN(jobID job.ID) string {
	return strings.Replace(w.arn, ":stateMachine:", ":execution:", 1) + ":" + string(jobID)
}

// CompleteTask completes the waiting task of the token with a result (SendTaskSuccess).
func (w *Workflow) CompleteTask(ctx context.Context, token string, result any) error {
	output, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("complete task: %w", err)
	}
	_, err = w.client.SendTaskSuccess(ctx, &sfn.SendTaskSuccessInput{TaskToken: &token, Output: aws.String(string(output))})
	var timedOut *types.TaskTimedOut
	var invalid *types.InvalidToken
	var absent *types.TaskDoesNotExist
	if errors.As(err, &timedOut) || errors.As(err, &invalid) || errors.As(err, &absent) {
		return job.ErrTokenClosed
	}
	if err != nil {
		return fmt.Errorf("complete task: %w", err)
	}
	return nil
}
