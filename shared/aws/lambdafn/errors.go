package lambdafn

import (
	"context"
	"errors"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambda/messages"

	"github.com/loadbay/loadbay/shared/problem"
)

// transient is the name of errors that the state machine retries.
const transient = "Transient"

// toInvokeError logs the full error and returns the part that the caller may see.
// An error of the import keeps its code, which becomes the error name of the failed
// state, and its message. Any other error may be temporary: the state machine
// retries it.
func toInvokeError(ctx context.Context, log *slog.Logger, err error) error {
	var p *problem.Error
	if errors.As(err, &p) && p.Code != problem.Internal {
		log.WarnContext(ctx, "refused", "code", p.Code, "error", err)
		return messages.InvokeResponse_Error{Type: string(p.Code), Message: p.Message}
	}
	log.ErrorContext(ctx, "failed", "error", err)
	return messages.InvokeResponse_Error{Type: transient, Message: "The function failed; see its log."}
}
