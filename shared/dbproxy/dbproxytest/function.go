// Package dbproxytest lets tests call the ledger function without AWS.
//
// Tested by shared/step/fetch: its tests reach the database through it, as those of shared/step/notify do.
package dbproxytest

import (
	"context"
	"encoding/json"

	"github.com/loadbay/loadbay/shared/dbproxy"
)

// Function is the function with database access. It is called with encoded events and
// responses, like the real function.
type Function struct{ *dbproxy.Step }

// Call runs the function.
func (i Function) Call(ctx context.Context, event []byte) ([]byte, error) {
	var r dbproxy.Request
	if err := json.Unmarshal(event, &r); err != nil {
		return nil, err
	}
	a, err := i.Run(ctx, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(a)
}
