package lambdafn

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/outage"
)

// The names of errors that the state machine retries. Executions keep the definition with which
// they started for up to 90 days, so only names that all definitions retry are possible.
const (
	// transient is for errors that pass: retried for at least ten minutes.
	transient = "Transient"
	// unexpected is what Step Functions calls a function that ended without an answer: retried a few
	// times within a minute.
	unexpected = "Lambda.Unknown"
)

// toInvokeError logs the full error and returns the part that the caller may see.
// An error of the import keeps its code, which becomes the error name of the failed
// state, and its message. The state machine retries any other error, for a time that
// depends on its kind.
func toInvokeError(ctx context.Context, log *slog.Logger, err error) error {
	var p *problem.Error
	if errors.As(err, &p) && p.Code != problem.Internal {
		log.WarnContext(ctx, "refused", "code", p.Code, "error", err)
		return messages.InvokeResponse_Error{Type: string(p.Code), Message: p.Message}
	}
	log.ErrorContext(ctx, "failed", "error", err)
	name := unexpected
	if isTemporary(err) {
		name = transient
	}
	return messages.InvokeResponse_Error{Type: name, Message: "The function failed; see its log."}
}

// isTemporary reports whether the database or an AWS service was not available or refused a call
// because of too many, also in a function that this one has called, or whether transactions still
// conflicted after several attempts. The SDK has already tried a few times. A call that exceeded the
// time limit of its caller would exceed it again.
func isTemporary(err error) bool {
	var called interface{ IsTransient() bool }
	if outage.Database(err) || outage.Contended(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &called) && called.IsTransient() {
		return true
	}
	return !errors.Is(err, context.DeadlineExceeded) && retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary
}
