package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/client"
)

// Errors of the API name flags and commands, and no endpoints.
func TestAPIErrorsNameFlagsAndCommands(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("import", pflag.ContinueOnError)
	for _, name := range []string{"type", "context-id", "period", "option", "max-errors"} {
		flags.String(name, "", "")
	}
	a := &app{flags: flags}
	refused := &client.Error{}
	require.NoError(t, json.Unmarshal([]byte(`{"detail": "Unknown import type \"USR\".", "requestId": "r1", "errors": [
		{"field": "importType", "message": "One of the types in GET /api/import-types."},
		{"field": "contextId", "message": "The id of a membership period, a number: 12"},
		{"field": "options.dateOrder", "message": "One of dmy, mdy or ymd."},
		{"field": "maxErrors", "message": "A number or a percentage."},
		{"field": "label", "message": "At most 100 characters."}]}`), &refused.Problem))
	require.Equal(t, `users.csv: Unknown import type "USR".
  --type: One of the types that loadbay types lists.
  --context-id: The id of a membership period, a number: 12
  --option dateOrder: One of dmy, mdy or ymd.
  --max-errors: A number or a percentage.
  label: At most 100 characters.
Use its name instead: --period, --event or --belongs-to. See loadbay contexts TYPE.
Request ID: r1`, a.describeError(fmt.Errorf("users.csv: %w", refused)), "this command has no flag --label")
	require.Equal(t, "no such file", a.describeError(errors.New("no such file")))
}
