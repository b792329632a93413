package sqs

import (
	"errors"
	"regexp"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// batchOutput holds the result of every entry of a batch.
type batchOutput[Success any] struct {
	Successful []Success
	Failed     []failedEntry
}

type failedEntry struct {
	ID          string `json:"Id"`
	Code        string
	Message     string
	SenderFault bool
}

func newBatchOutput[Success any]() batchOutput[Success] {
	return batchOutput[Success]{Successful: []Success{}, Failed: []failedEntry{}}
}

// successEntry is the result of an operation that returns nothing else.
type successEntry struct {
	ID string `json:"Id"`
}

// addFailure adds a failed entry. An internal error of the service fails the whole batch.
func (o *batchOutput[Success]) addFailure(id string, err error) error {
	var e *awsjson.Error
	if !errors.As(err, &e) {
		return err
	}
	code, _, _ := strings.Cut(e.Query, ";")
	o.Failed = append(o.Failed, failedEntry{ID: id, Code: code, Message: e.Message, SenderFault: true})
	return nil
}

// checkBatch rejects batches that SQS rejects as a whole.
func checkBatch(ids []string) error {
	if len(ids) == 0 {
		return newError(codeEmptyBatch, "There should be at least one entry in the request.")
	}
	if len(ids) > maxBatch {
		return newError(codeBigBatch, "Maximum number of entries per request are 10. You have sent %d.", len(ids))
	}
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if !valid.MatchString(id) {
			return newError(codeBadID, "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.")
		}
		if seen[id] {
			return newError(codeSameIDs, "Id %s repeated.", id)
		}
		seen[id] = true
	}
	return nil
}

// runBatch calls do for every entry.
func runBatch[Entry any](entries []Entry, id func(Entry) string, do func(Entry) error) (batchOutput[successEntry], error) {
	out := newBatchOutput[successEntry]()
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = id(e)
	}
	if err := checkBatch(ids); err != nil {
		return out, err
	}
	for i, e := range entries {
		if err := do(e); err != nil {
			if err := out.addFailure(ids[i], err); err != nil {
				return out, err
			}
			continue
		}
		out.Successful = append(out.Successful, successEntry{ID: ids[i]})
	}
	return out, nil
}
