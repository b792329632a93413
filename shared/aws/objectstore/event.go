package objectstore

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/job/object"
)

// ParseCreated parses the detail of EventBridge's "Object Created" event. Its keys
// are not encoded, unlike in S3's own notifications.
//
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
func ParseCreated(detail json.RawMessage) (object.Created, error) {
	var d struct {
		Object object.Created `json:"object"`
	}
	if err := json.Unmarshal(detail, &d); err != nil {
		return object.Created{}, fmt.Errorf("not an object event: %w", err)
	}
	if d.Object.Key == "" {
		return object.Created{}, errors.New("the event contains no object")
	}
	return d.Object, nil
}
