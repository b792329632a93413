package lambdafn

import (
	"context"
	"errors"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambda/messages"

	"github.com/loadbay/loadbay/shared/problem"
)

// transient names errors that the state machine tries again.
const transient = "Transient"

// toInvokeError logs an error whole and returns what the caller may see of it.
// A fault of the import keeps its code, which becomes the name of the failed
// state's error, and its message. All else may pass by itself: the state machine
// retries it.
func toInvokeError(ctx context.Context, log *slog.Logger, err error) error {
	var p *problem.Error
	if errors.As(err, &p) && p.Code != problem.Internal {
		log.WarnContext(ctx, "refused", "code", p.Code, "error", err)
		return messages.InvokeResponse_Error{Type: string(p.Code), Message: p.Message}
	}
	log.ErrorContext(ctx, "failed", "error", err)
	return messages.InvokeResponse_Error{Type: transient, Message: "The function failed; its log says why."}
}
