package sfn

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// listing is an execution as it appears in lists. Entries are stored in the order
// in which ListExecutions returns them.
type listing struct {
	Name    string        `json:"name"`
	Status  interp.Status `json:"status"`
	Started time.Time     `json:"started"`
	Stopped time.Time     `json:"stopped,omitzero"`
}

// listingKey sorts by machine, then by start time, newest first.
func listingKey(x *interp.Execution) []byte {
	key := binary.BigEndian.AppendUint64(listingPrefix(x.MachineName), ^uint64(x.Started.UnixNano()))
	return append(key, x.Name...)
}

func listingPrefix(machine string) []byte { return append([]byte(machine), 0) }

// runningExecutions returns the keys of all running executions.
func (l store) runningExecutions() ([]string, error) {
	return l.findExecutions(math.MaxInt, func(entry listing) bool { return entry.Status == interp.Running })
}

// findExecutions returns the keys of up to most executions, of all machines, for
// which wanted returns true.
func (l store) findExecutions(most int, wanted func(listing) bool) ([]string, error) {
	var keys []string
	cursor := l.bucket(bucketListing).Cursor()
	for key, text := cursor.First(); key != nil && len(keys) < most; key, text = cursor.Next() {
		entry, err := readListing(text)
		if err != nil {
			return nil, err
		}
		if wanted(entry) {
			machine, _, _ := bytes.Cut(key, []byte{0})
			keys = append(keys, string(machine)+":"+entry.Name)
		}
	}
	return keys, nil
}

// listExecutions returns up to limit entries of a machine with the given status ("" for
// any), starting at the key, and the key of the next entry, or nil.
func (l store) listExecutions(machine string, status interp.Status, from []byte, limit int) ([]listing, []byte, error) {
	prefix := listingPrefix(machine)
	if from == nil {
		from = prefix
	}
	entries := []listing{}
	cursor := l.bucket(bucketListing).Cursor()
	for key, text := cursor.Seek(from); bytes.HasPrefix(key, prefix); key, text = cursor.Next() {
		entry, err := readListing(text)
		if err != nil {
			return nil, nil, err
		}
		if status != "" && entry.Status != status {
			continue
		}
		if len(entries) == limit {
			return entries, bytes.Clone(key), nil
		}
		entries = append(entries, entry)
	}
	return entries, nil, nil
}

func readListing(text []byte) (listing, error) {
	var entry listing
	if err := json.Unmarshal(text, &entry); err != nil {
		return entry, fmt.Errorf("read listing: %w", err)
	}
	return entry, nil
}
