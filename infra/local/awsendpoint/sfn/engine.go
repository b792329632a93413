package sfn

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// retryPersist is the delay after which an execution is retried if its turn could not be stored.
const retryPersist = time.Second

// retention is the time for which a closed execution is stored and its name reserved.
const retention = 90 * 24 * time.Hour

// errExecutionNotFound means that the execution does not exist.
var errExecutionNotFound = errors.New("no such execution")

// advance applies an event to an execution: it reads, changes and stores the execution and its
// history in one transaction, and then invokes the function that the turn requests. The turns of
// all executions are serialised.
func (s *Service) advance(key string, happen func(*interp.Turn, *interp.Execution) error) error {
	var invocation *interp.Invocation
	err := s.db.Update(func(tx *bbolt.Tx) error {
		l := openStore(tx)
		x, err := l.execution(key)
		if err != nil {
			return err
		}
		if x == nil || timeoutExpired(x, time.Now()) {
			return errExecutionNotFound
		}
		invocation, err = s.step(l, x, happen)
		return err
	})
	if err != nil {
		return err
	}
	s.invoke(key, invocation)
	return nil
}

// step runs one turn of an execution within a transaction. It sets the alarm inside, so that
// alarms are set in the order of the turns.
func (s *Service) step(l store, x *interp.Execution, happen func(*interp.Turn, *interp.Execution) error) (*interp.Invocation, error) {
	m, err := s.definition(l, x.Revision)
	if err != nil {
		return nil, err
	}
	t := interp.NewTurn(m, x, interp.Environment{
		Now: time.Now().Round(0), Random: s.random, Token: s.signer.token, RequestID: uuid.NewString,
	})
	if err := happen(t, x); err != nil {
		return nil, err
	}
	if err := l.save(x, t.Events); err != nil {
		return nil, fmt.Errorf("save execution %s: %w", x.ARN, err)
	}
	s.clock.Set(executionKey(x), x.Due())
	return t.Invocation, nil
}

// definition returns the machine of a revision. An execution uses its revision to the end, even
// if the machine has been changed since.
func (s *Service) definition(l store, revision string) (*asl.Machine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.definitions[revision]; ok {
		return m, nil
	}
	m, err := asl.Parse([]byte(l.definition(revision)))
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", revision, err)
	}
	s.definitions[revision] = m
	return m, nil
}

// wakeExecution is called when an execution is due.
func (s *Service) wakeExecution(key string) {
	err := s.advance(key, func(t *interp.Turn, _ *interp.Execution) error { return t.Wake() })
	if err == nil || errors.Is(err, errExecutionNotFound) {
		return
	}
	s.log.Error("wake execution", "execution", key, "error", err)
	s.clock.Set(key, time.Now().Add(retryPersist))
}

func timeoutExpired(x *interp.Execution, now time.Time) bool {
	return x.Status != interp.Running && now.Sub(x.Stopped) > retention
}
