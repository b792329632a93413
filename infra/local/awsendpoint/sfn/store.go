package sfn

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// Bucket names. An execution's key is "<machine>:<name>"; neither part contains a colon.
const (
	bucketExecutions  = "sfn.executions"  // key → interp.Execution
	bucketListing     = "sfn.listing"     // machine, newest start first → listing
	bucketHistory     = "sfn.history"     // key, event id → history.Event
	bucketDefinitions = "sfn.definitions" // revision → definition
	bucketMachines    = "sfn.machines"    // name → machine
	bucketSecrets     = "sfn.secrets"     // "token" → signing key of the task tokens
)

// store provides access to the stored data within one transaction.
type store struct{ tx *bbolt.Tx }

func openStore(tx *bbolt.Tx) store { return store{tx} }

func createStore(tx *bbolt.Tx) (store, error) {
	for _, name := range []string{bucketExecutions, bucketListing, bucketHistory, bucketDefinitions, bucketMachines, bucketSecrets} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return store{}, fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	return store{tx}, nil
}

func (l store) bucket(name string) *bbolt.Bucket { return l.tx.Bucket([]byte(name)) }

// machine is a state machine as stored and described.
type machine struct {
	Name     string    `json:"name"`
	Revision string    `json:"revision"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

// saveMachine stores a machine's definition, as a new machine or as an update.
func (l store) saveMachine(name, revision, definition string, now time.Time) (machine, error) {
	m := machine{Name: name, Created: now, Updated: now}
	if text := l.bucket(bucketMachines).Get([]byte(name)); text != nil {
		if err := json.Unmarshal(text, &m); err != nil {
			return m, fmt.Errorf("read machine: %w", err)
		}
	}
	if m.Revision == revision {
		return m, nil
	}
	m.Revision, m.Updated = revision, now
	if err := l.bucket(bucketDefinitions).Put([]byte(revision), []byte(definition)); err != nil {
		return m, fmt.Errorf("write definition: %w", err)
	}
	return m, putJSON(l.bucket(bucketMachines), []byte(name), m)
}

func (l store) definition(revision string) string {
	return string(l.bucket(bucketDefinitions).Get([]byte(revision)))
}

// signer returns the signer of task tokens; its key is generated once.
func (l store) signer() (signer, error) {
	b, name := l.bucket(bucketSecrets), []byte("token")
	if key := b.Get(name); key != nil {
		return signer{key: bytes.Clone(key)}, nil
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return signer{}, err
	}
	return signer{key: key}, b.Put(name, key)
}

// execution returns an execution, or nil if there is none.
func (l store) execution(key string) (*interp.Execution, error) {
	text := l.bucket(bucketExecutions).Get([]byte(key))
	if text == nil {
		return nil, nil
	}
	x := &interp.Execution{}
	if err := json.Unmarshal(text, x); err != nil {
		return nil, fmt.Errorf("read execution %s: %w", key, err)
	}
	return x, nil
}

// save stores an execution together with its new events and updates its listing.
func (l store) save(x *interp.Execution, events []history.Event) error {
	key := executionKey(x)
	if err := putJSON(l.bucket(bucketExecutions), []byte(key), x); err != nil {
		return err
	}
	b := l.bucket(bucketHistory)
	for _, e := range events {
		if err := putJSON(b, eventKey(key, e.ID), e); err != nil {
			return err
		}
	}
	isNew := len(events) > 0 && events[0].ID == 1
	if !isNew && x.Status == interp.Running {
		return nil
	}
	return putJSON(l.bucket(bucketListing), listingKey(x), listing{Name: x.Name, Status: x.Status, Started: x.Started, Stopped: x.Stopped})
}

// deleteExecution deletes an execution and its history.
func (l store) deleteExecution(x *interp.Execution) error {
	key := executionKey(x)
	b := l.bucket(bucketHistory)
	var err error
	for id := int64(1); id <= x.LastEvent; id++ {
		err = errors.Join(err, b.Delete(eventKey(key, id)))
	}
	return errors.Join(err, l.bucket(bucketListing).Delete(listingKey(x)), l.bucket(bucketExecutions).Delete([]byte(key)))
}

func putJSON(b *bbolt.Bucket, key []byte, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %T: %w", value, err)
	}
	return b.Put(key, text)
}

func executionKey(x *interp.Execution) string { return x.MachineName + ":" + x.Name }

// eventKey sorts the events of an execution by their ids.
func eventKey(key string, id int64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(key), 0), uint64(id))
}
