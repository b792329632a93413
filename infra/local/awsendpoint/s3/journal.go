package s3

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// ObjectCreated contains the properties of an object in EventBridge's "Object Created".
type ObjectCreated struct {
	Bucket string
	Key    string
	Size   int64
	ETag   string // without quotes
	// Reason is the operation: PutObject, CopyObject, CompleteMultipartUpload or "POST Object".
	Reason string
	Time   time.Time
	// Sequencer orders the events of one key, as strings.
	Sequencer string
}

// intent is a started upload of an announced key, with an outcome that is still unknown.
type intent struct {
	Bucket, Key, Reason string
	At                  time.Time
}

// entry is the journal's entry for one id: an intent, then its event.
type entry struct {
	Intent intent
	Event  *ObjectCreated
}

// journal stores intents and undelivered events.
type journal struct{ db *bbolt.DB }

// eventsBucket is the journal's bucket in the database.
const eventsBucket = "s3-events"

func openJournal(db *bbolt.DB) (*journal, error) {
	err := db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists([]byte(eventsBucket))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open event journal: %w", err)
	}
	return &journal{db: db}, nil
}

// addIntent records an upload before it is forwarded.
func (j *journal) addIntent(i intent) (uint64, error) {
	var id uint64
	err := j.db.Update(func(tx *bbolt.Tx) error {
		events := tx.Bucket([]byte(eventsBucket))
		var err error
		if id, err = events.NextSequence(); err != nil {
			return err
		}
		return putEntry(events, id, entry{Intent: i})
	})
	return id, err
}

// recordEvent replaces an intent with its event and returns the stored event. Without an intent
// (id 0) it creates a new entry.
func (j *journal) recordEvent(id uint64, event ObjectCreated) (uint64, ObjectCreated, error) {
	err := j.db.Update(func(tx *bbolt.Tx) error {
		events := tx.Bucket([]byte(eventsBucket))
		// A separate number: the order is that of completion, not of the start.
		sequence, err := events.NextSequence()
		if err != nil {
			return err
		}
		if id == 0 {
			id = sequence
		}
		event.Sequencer = fmt.Sprintf("%016X", sequence)
		return putEntry(events, id, entry{Event: &event})
	})
	return id, event, err
}

// remove deletes a failed upload or a delivered event.
func (j *journal) remove(id uint64) error {
	if id == 0 {
		return nil
	}
	return j.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(eventsBucket)).Delete(entryKey(id))
	})
}

// get returns one entry and whether it exists.
func (j *journal) get(id uint64) (e entry, found bool, err error) {
	err = j.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket([]byte(eventsBucket)).Get(entryKey(id))
		if value == nil {
			return nil
		}
		found = true
		return json.Unmarshal(value, &e)
	})
	return e, found, err
}

// all returns the ids of every entry, oldest first.
func (j *journal) all() (ids []uint64, err error) {
	err = j.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(eventsBucket)).ForEach(func(key, _ []byte) error {
			ids = append(ids, binary.BigEndian.Uint64(key))
			return nil
		})
	})
	return ids, err
}

func putEntry(events *bbolt.Bucket, id uint64, e entry) error {
	value, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return events.Put(entryKey(id), value)
}

func entryKey(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }
