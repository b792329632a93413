package lambdafn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/invoke"
)

func response(status int) error {
	return &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: errors.New("body"),
	}}
}

func TestTemporaryErrorsAreRecognised(t *testing.T) {
	t.Parallel()
	_, refused := pgconn.Connect(t.Context(), "postgres://nobody@127.0.0.1:1/none?connect_timeout=1")
	require.Error(t, refused)
	for name, err := range map[string]error{
		"no server":                      refused,
		"too many connections":           &pgconn.PgError{Code: "53300"},
		"shutting down":                  &pgconn.PgError{Code: "57P01"},
		"starting":                       &pgconn.PgError{Code: "57P03"},
		"failed over":                    &pgconn.PgError{Code: "25006"},
		"connection ended":               io.ErrUnexpectedEOF,
		"deadlocks":                      &pgconn.PgError{Code: "40P01"},
		"no server for another function": &invoke.FunctionError{Function: "loadbay-ledger-dev", Type: transient},
		"connection reset":               &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET},
		"throttled":                      &retry.MaxAttemptsError{Attempt: 3, Err: &smithy.GenericAPIError{Code: "ThrottlingException"}},
		"slow down":                      &smithy.GenericAPIError{Code: "SlowDown"},
		"503":                            response(http.StatusServiceUnavailable),
	} {
		require.True(t, isTemporary(fmt.Errorf("step: %w", err)), name)
	}
	for name, err := range map[string]error{
		"a bug":           errors.New("index out of range"),
		"a constraint":    &pgconn.PgError{Code: "23505"},
		"a statement":     &pgconn.PgError{Code: "42P01"},
		"a slow query":    &pgconn.PgError{Code: "57014"},
		"own time limit":  context.DeadlineExceeded,
		"cancelled":       context.Canceled,
		"a bug elsewhere": &invoke.FunctionError{Function: "loadbay-ledger-dev", Type: unexpected},
		"denied":          &smithy.GenericAPIError{Code: "AccessDenied"},
		"403":             response(http.StatusForbidden),
	} {
		require.False(t, isTemporary(fmt.Errorf("step: %w", err)), name)
	}
}
