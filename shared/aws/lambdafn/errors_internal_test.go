package lambdafn

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// The state machine distinguishes errors by name; their causes must not reach its
// history.
func TestInvokeErrorHasStateMachineName(t *testing.T) {
	t.Parallel()
	secret := errors.New("password=secret")
	for name, c := range map[string]struct {
		err   error
		kind  string
		says  string
		level string
	}{
		"error in the import":                {problem.Wrap(secret, problem.FileEmpty, "The file is empty."), "FILE_EMPTY", "The file is empty.", "WARN"},
		"wrapped error in the import":        {fmt.Errorf("secret analyze: %w", problem.New(problem.TooManyRows, "Too many.")), "TOO_MANY_ROWS", "Too many.", "WARN"},
		"transient error":                    {errors.Join(secret, &pgconn.PgError{Code: "57P01"}), "Transient", "see its log", "ERROR"},
		"unexpected error":                   {secret, "Lambda.Unknown", "see its log", "ERROR"},
		"internal error":                     {problem.Wrap(secret, problem.Internal, "secret"), "Lambda.Unknown", "see its log", "ERROR"},
		"internal error with a hidden cause": {problem.From(secret), "Lambda.Unknown", "see its log", "ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			var invokeError messages.InvokeResponse_Error
			require.ErrorAs(t, toInvokeError(t.Context(), telemetry.NewLogger(&log, slog.LevelInfo), c.err), &invokeError)
			require.Equal(t, c.kind, invokeError.Type)
			require.Contains(t, invokeError.Message, c.says)
			require.NotContains(t, invokeError.Message, "secret")
			require.Contains(t, log.String(), `"level":"`+c.level+`"`)
			if errors.Is(c.err, secret) {
				require.Contains(t, log.String(), "secret", "the log contains the whole error")
			}
		})
	}
}
