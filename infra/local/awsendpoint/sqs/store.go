package sqs

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// store is one queue in the database. Its two buckets are keyed by message number: the
// sent message, which never changes, and its state, which is small and changes with
// every receive.
type store struct {
	db   *bbolt.DB
	name string
}

// Names in the database: rootBucket/<queue>/{messagesBucket,stateBucket,createdKey,settingsKey}.
const (
	rootBucket     = "sqs"
	messagesBucket = "sent"
	stateBucket    = "state"
	createdKey     = "created"
	settingsKey    = "settings"
)

// sentMessage is a message as sent.
type sentMessage struct {
	ID         string
	Body       string
	At         int64                // milliseconds of Unix time
	Group      string               `json:",omitempty"` // MessageGroupId, which identifies the tenant
	Attributes map[string]Attribute `json:",omitempty"`
	// Source is the ARN of the queue in which the message could not be delivered.
	Source string `json:",omitempty"`
}

// messageState is the changing state of a message. Times are milliseconds of Unix
// time; 0 is never.
type messageState struct {
	VisibleAt     int64 // hidden until this time: delayed or in flight
	FirstReceived int64
	Receives      uint32
	// Carried is how many of Receives happened in the queue from which the message was redriven.
	Carried uint32
}

const stateSize = 8 + 8 + 4 + 4

func (s messageState) encode() []byte {
	out := make([]byte, 0, stateSize)
	out = binary.BigEndian.AppendUint64(out, uint64(s.VisibleAt))
	out = binary.BigEndian.AppendUint64(out, uint64(s.FirstReceived))
	out = binary.BigEndian.AppendUint32(out, s.Receives)
	return binary.BigEndian.AppendUint32(out, s.Carried)
}

func decodeState(in []byte) (messageState, error) {
	if len(in) != stateSize {
		return messageState{}, fmt.Errorf("a message's state has %d bytes", len(in))
	}
	return messageState{
		VisibleAt:     int64(binary.BigEndian.Uint64(in)),
		FirstReceived: int64(binary.BigEndian.Uint64(in[8:])),
		Receives:      binary.BigEndian.Uint32(in[16:]),
		Carried:       binary.BigEndian.Uint32(in[20:]),
	}, nil
}

// open creates missing buckets and returns when the queue was first opened.
func (s store) open() (created time.Time, err error) {
	err = s.db.Update(func(tx *bbolt.Tx) error {
		root, err := tx.CreateBucketIfNotExists([]byte(rootBucket))
		if err != nil {
			return err
		}
		queue, err := root.CreateBucketIfNotExists([]byte(s.name))
		if err != nil {
			return err
		}
		for _, bucket := range []string{messagesBucket, stateBucket} {
			if _, err := queue.CreateBucketIfNotExists([]byte(bucket)); err != nil {
				return err
			}
		}
		if creation := queue.Get([]byte(createdKey)); creation != nil {
			return created.UnmarshalBinary(creation)
		}
		created = time.Now().Truncate(time.Second)
		creation, err := created.MarshalBinary()
		if err != nil {
			return err
		}
		return queue.Put([]byte(createdKey), creation)
	})
	return created, err
}

// settings holds the attributes changed since the queue was created; the zero value means none.
type settings struct {
	DelaySeconds int   // default for messages without their own
	Modified     int64 // seconds of Unix time
}

func (s store) settings() (now settings, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		kept := s.bucket(tx).Get([]byte(settingsKey))
		if kept == nil {
			return nil
		}
		return json.Unmarshal(kept, &now)
	})
	return now, err
}

func (s store) change(to settings) error {
	kept, err := json.Marshal(to)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error { return s.bucket(tx).Put([]byte(settingsKey), kept) })
}

// forEach calls visit for every message.
func (s store) forEach(visit func(number uint64, message sentMessage, st messageState)) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		in := s.in(tx)
		return in.messages.ForEach(func(key, value []byte) error {
			var message sentMessage
			if err := json.Unmarshal(value, &message); err != nil {
				return err
			}
			st, err := decodeState(in.state.Get(key))
			if err != nil {
				return err
			}
			visit(binary.BigEndian.Uint64(key), message, st)
			return nil
		})
	})
}

// in returns the queue's buckets within a transaction.
func (s store) in(tx *bbolt.Tx) buckets {
	queue := s.bucket(tx)
	return buckets{messages: queue.Bucket([]byte(messagesBucket)), state: queue.Bucket([]byte(stateBucket))}
}

func (s store) bucket(tx *bbolt.Tx) *bbolt.Bucket {
	return tx.Bucket([]byte(rootBucket)).Bucket([]byte(s.name))
}

// buckets holds a queue's buckets within one transaction.
type buckets struct{ messages, state *bbolt.Bucket }

// add stores a message under a new number.
func (b buckets) add(message sentMessage, st messageState) (uint64, error) {
	number, err := b.messages.NextSequence()
	if err != nil {
		return 0, err
	}
	value, err := json.Marshal(message)
	if err != nil {
		return 0, err
	}
	return number, errors.Join(b.messages.Put(numberKey(number), value), b.setState(number, st))
}

func (b buckets) get(number uint64) (sentMessage, error) {
	var message sentMessage
	if err := json.Unmarshal(b.messages.Get(numberKey(number)), &message); err != nil {
		return sentMessage{}, fmt.Errorf("read message %d: %w", number, err)
	}
	return message, nil
}

func (b buckets) setState(number uint64, st messageState) error {
	return b.state.Put(numberKey(number), st.encode())
}

func (b buckets) remove(number uint64) error {
	return errors.Join(b.messages.Delete(numberKey(number)), b.state.Delete(numberKey(number)))
}

func numberKey(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }
