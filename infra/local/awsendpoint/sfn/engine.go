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

// retryPersist is how soon an execution is looked at again whose turn could
// not be stored.
const retryPersist = time.Second

// retention is how long a closed execution is kept and its name taken.
const retention = 90 * 24 * time.Hour

// errExecutionNotFound says that there is no such execution.
var errExecutionNotFound = errors.New("no such execution")

// advance lets something happen to an execution: it is read, changed and stored
// with its events in one transaction; then the function that the turn asks for
// is invoked. Turns of all executions follow one another.
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

// step is one turn of an execution within a transaction. The alarm is set
// inside it, so that alarms are set in the order of the turns.
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

// definition returns the machine of a revision, which an execution keeps to
// its end although the machine has been changed since.
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

// wakeExecution is called when an execution's time has come.
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
