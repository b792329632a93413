package wire

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/httpapi"
)

// Stream builds the stream function.
func Stream(ctx context.Context, env *Environment) (Handler[events.LambdaFunctionURLRequest, *events.LambdaFunctionURLStreamingResponse], error) {
	var c struct{ Database databaseSettings }
	_, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.NewStream(db, catalog.New(), env.Log)
	if err != nil {
		return nil, err
	}
	return lambdahttp.Handler(handler), nil
}
