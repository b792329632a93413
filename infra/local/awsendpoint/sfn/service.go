// Package sfn emulates Step Functions on one machine: standard workflows in the
// JSONPath query language with Lambda functions as tasks. It implements the
// service's protocol, stores executions in bbolt and continues them after a
// restart.
//
// Differences from AWS:
//   - state machines are part of the program; there is no CreateStateMachine,
//     and no activities, versions, aliases, express workflows or redrive.
//     Unsupported features are rejected by name;
//   - members of encoded JSON objects are sorted by name, not in the order of
//     the input;
//   - after a restart, a function is invoked again if its response was lost, within
//     the same attempt (same token, no further event), and the attempt's
//     timeout restarts. So a function may run twice for one attempt, as it
//     may on AWS;
//   - a task that is completed before its function has returned ends the
//     attempt at once, without a TaskSubmitted event.
package sfn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/alarm"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// Machine is a state machine to serve.
type Machine struct {
	Name       string
	Definition string
	// Substitutions replaces ${name} in the definition, like CloudFormation's
	// DefinitionSubstitutions.
	Substitutions map[string]string
}

// Invoker runs Lambda functions. functionError is "" or the value of
// X-Amz-Function-Error; the output is then the error document. An err that is an
// *awsjson.Error is Lambda's rejection, for example of an unknown function.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error)
}

// Service serves the operations of Step Functions and runs its executions.
type Service struct {
	db          *bbolt.DB
	invoker     Invoker
	log         *slog.Logger
	random      func() float64
	signer      signer
	machines    map[string]machine // by name
	clock       *alarm.Clock
	invocations *invocationSet

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu          sync.Mutex
	definitions map[string]*asl.Machine // by revision
}

// Option configures a service.
type Option func(*Service)

// WithLogger sets the service's logger. Inputs and outputs are never logged.
func WithLogger(log *slog.Logger) Option { return func(s *Service) { s.log = log } }

// WithRandom replaces the source of jitter, a draw from [0, 1).
func WithRandom(random func() float64) Option { return func(s *Service) { s.random = random } }

// New validates the machines' definitions, as CreateStateMachine would, and
// stores them. Executions continue only after Resume.
func New(db *bbolt.DB, machines []Machine, invoker Invoker, options ...Option) (*Service, error) {
	if db == nil || invoker == nil {
		return nil, errors.New("new step functions: a database and an invoker are needed")
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Service{
		db: db, invoker: invoker, log: slog.Default(), random: rand.Float64,
		machines: map[string]machine{}, definitions: map[string]*asl.Machine{},
		clock: alarm.New(), invocations: newInvocationSet(), ctx: ctx, cancel: cancel,
	}
	for _, option := range options {
		option(s)
	}
	if err := s.open(machines); err != nil {
		cancel()
		return nil, fmt.Errorf("new step functions: %w", err)
	}
	return s, nil
}

// open prepares the database and loads the machines.
func (s *Service) open(machines []Machine) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		l, err := createStore(tx)
		if err != nil {
			return err
		}
		if s.signer, err = l.signer(); err != nil {
			return err
		}
		for _, m := range machines {
			if err := s.loadMachine(l, m); err != nil {
				return fmt.Errorf("state machine %s: %w", m.Name, err)
			}
		}
		return nil
	})
}

// loadMachine validates one machine and stores its definition as a revision.
func (s *Service) loadMachine(l store, m Machine) error {
	definition, err := m.substitute()
	if err != nil {
		return err
	}
	parsed, err := asl.Parse([]byte(definition))
	if err != nil {
		return err
	}
	if _, twice := s.machines[m.Name]; twice || checkName(m.Name) != nil {
		return fmt.Errorf("the name %q is already used or not allowed", m.Name)
	}
	revision := uuid.NewSHA1(uuid.NameSpaceOID, []byte(definition)).String()
	s.definitions[revision] = parsed
	s.machines[m.Name], err = l.saveMachine(m.Name, revision, definition, time.Now())
	return err
}

// substitute replaces the placeholders of a definition.
func (m Machine) substitute() (string, error) {
	definition := m.Definition
	for _, name := range slices.Sorted(maps.Keys(m.Substitutions)) {
		definition = strings.ReplaceAll(definition, "${"+name+"}", m.Substitutions[name])
	}
	if start := strings.Index(definition, "${"); start >= 0 {
		placeholder, _, _ := strings.Cut(definition[start:], "}")
		return "", fmt.Errorf("nothing is substituted for %s}", placeholder)
	}
	return definition, nil
}

// Resume continues all running executions and starts the clock. Call it once, when
// functions can be invoked.
func (s *Service) Resume() error {
	invocations := map[string]*interp.Invocation{}
	err := s.db.Update(func(tx *bbolt.Tx) error {
		l := openStore(tx)
		running, err := l.runningExecutions()
		if err != nil {
			return err
		}
		for _, key := range running {
			if s.invocations.has(key) {
				continue // started after New
			}
			if invocations[key], err = s.resumeExecution(l, key); err != nil {
				return fmt.Errorf("execution %s: %w", key, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("resume executions: %w", err)
	}
	for key, invocation := range invocations {
		s.invoke(key, invocation)
	}
	s.work.Go(func() { s.clock.Run(s.ctx, s.wakeExecution) })
	s.work.Go(s.purgeDaily)
	return nil
}

// resumeExecution sets an execution's alarm and returns the invocation that was in
// progress, if any.
func (s *Service) resumeExecution(l store, key string) (*interp.Invocation, error) {
	x, err := l.execution(key)
	if err != nil {
		return nil, err
	}
	return s.step(l, x, func(t *interp.Turn, _ *interp.Execution) error {
		t.Reinvoke()
		return nil
	})
}

// Close stops the clock and cancels the running invocations, which the next Resume
// repeats. It returns when the database is no longer in use.
func (s *Service) Close() {
	s.cancel()
	s.invocations.close()
	s.work.Wait()
}

// Target is the prefix of X-Amz-Target.
func (s *Service) Target() string { return "AWSStepFunctions" }

// Call runs one API operation.
func (s *Service) Call(_ context.Context, operation string, input []byte) (any, error) {
	switch operation {
	case "StartExecution":
		return runOperation(operation, input, s.startExecution)
	case "StopExecution":
		return runOperation(operation, input, s.stopExecution)
	case "DescribeExecution":
		return runOperation(operation, input, s.describeExecution)
	case "ListExecutions":
		return runOperation(operation, input, s.listExecutions)
	case "GetExecutionHistory":
		return runOperation(operation, input, s.getExecutionHistory)
	case "DescribeStateMachine":
		return runOperation(operation, input, s.describeStateMachine)
	case "DescribeStateMachineForExecution":
		return runOperation(operation, input, s.describeStateMachineForExecution)
	case "ListStateMachines":
		return runOperation(operation, input, s.listStateMachines)
	case "SendTaskSuccess":
		return runOperation(operation, input, s.sendTaskSuccess)
	case "SendTaskFailure":
		return runOperation(operation, input, s.sendTaskFailure)
	case "SendTaskHeartbeat":
		return runOperation(operation, input, s.sendTaskHeartbeat)
	}
	return nil, awsjson.Unsupported("Step Functions", operation)
}
