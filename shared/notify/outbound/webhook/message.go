package webhook

import (
	"encoding/json"
	"fmt"
	"time"
)

// TestEventType is the type of a message that only tests a webhook.
const TestEventType = "webhook.test"

// Body returns the body of a message: its type, its time, and its data.
func Body(kind string, when time.Time, data any) (string, error) {
	body, err := json.Marshal(struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      any       `json:"data"`
	}{kind, when.UTC(), data})
	if err != nil {
		return "", fmt.Errorf("encode message of type %s: %w", kind, err)
	}
	return string(body), nil
}
