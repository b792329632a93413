package objectstore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/job/object"
)

// ParseCreated parses the time and the detail of EventBridge's "Object Created" event. Its keys
// are not encoded, unlike in S3's own notifications.
//
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
func ParseCreated(at time.Time, detail json.RawMessage) (object.Event, error) {
	var d struct {
		Object       object.Created `json:"object"`
		Requester    string         `json:"requester"` // an account or a service
		UserIdentity struct {
			PrincipalID string `json:"principalId"`
		} `json:"userIdentity"` // of notifications by S3 itself
	}
	if err := json.Unmarshal(detail, &d); err != nil {
		return object.Event{}, fmt.Errorf("not an object event: %w", err)
	}
	e := object.Event{Created: d.Object, At: at}
	e.Sender = cmp.Or(d.UserIdentity.PrincipalID, d.Requester)
	if !e.Valid() {
		return object.Event{}, errors.New("the event contains no object")
	}
	return e, nil
}
