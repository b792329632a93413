package objectstore_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/objectstore"
)

// The sender is the principal, if the event contains one, or else the account or service.
func TestObjectEventNamesSender(t *testing.T) {
	t.Parallel()
	for detail, sender := range map[string]string{
		`{"object":{"key":"drop/7/USER/-/a.csv"},"requester":"111122223333"}`:                                               "111122223333",
		`{"object":{"key":"drop/7/USER/-/a.csv"},"requester":"111122223333","userIdentity":{"principalId":"AWS:AIDA:ann"}}`: "AWS:AIDA:ann",
		`{"object":{"key":"drop/7/USER/-/a.csv","sender":"forged"}}`:                                                        "",
	} {
		e, err := objectstore.ParseCreated(time.Unix(1, 0), json.RawMessage(detail))
		require.NoError(t, err)
		require.Equal(t, sender, e.Sender)
		require.Equal(t, time.Unix(1, 0), e.At)
	}
	for _, detail := range []string{`{}`, `x`, `{"object":{}}`} {
		_, err := objectstore.ParseCreated(time.Unix(1, 0), json.RawMessage(detail))
		require.Error(t, err)
	}
}
