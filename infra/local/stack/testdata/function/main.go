// Every function of the stack's tests: it prints its event, and responds or fails
// depending on its name and the event.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() { lambda.Start(handle) }

func handle(_ context.Context, event json.RawMessage) (any, error) {
	fmt.Println(string(event))
	if strings.Contains(string(event), "poison") {
		return nil, errors.New("this event is poison")
	}
	if os.Getenv("AWS_LAMBDA_FUNCTION_NAME") != "loadbay-api-local" {
		return map[string]any{}, nil
	}
	env, err := json.Marshal(os.Environ())
	return map[string]any{"statusCode": 200, "body": string(env)}, err
}
