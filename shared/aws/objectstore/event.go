package objectstore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// maxRequester is the maximum length in bytes of the name of who stored an object.
const maxRequester = 2048

// ParseCreated parses the detail of EventBridge's "Object Created" event. Its keys
// are not encoded, unlike in S3's own notifications.
//
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
func ParseCreated(detail json.RawMessage) (object.Created, error) {
	var d struct {
		Object       object.Created `json:"object"`
		Requester    string         `json:"requester"` // an account or a service
		UserIdentity struct {
			PrincipalID string `json:"principalId"`
		} `json:"userIdentity"` // in S3's own notifications and from other senders of events
	}
	if err := json.Unmarshal(detail, &d); err != nil {
		return object.Created{}, fmt.Errorf("not an object event: %w", err)
	}
	if d.Object.Key == "" {
		return object.Created{}, errors.New("the event contains no object")
	}
	if name := cmp.Or(d.UserIdentity.PrincipalID, d.Requester); len(name) <= maxRequester && pgtext.ValidText(name) {
		d.Object.Requester = name
	}
	return d.Object, nil
}
