package e2e

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/events"
	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// TestSampleEvents invokes each deployed binary through
// Lambda's API. The samples refer to a job that does not exist: the functions of the
// state machine must report that, all others must have nothing to do.
func TestSampleEvents(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	functions := lambda.NewFromConfig(r.AWSConfig())
	ofJob := map[string]bool{
		"analyze": true, "await": true, "resolve": true, "split": true, "complete": true, "fail": true, "wholefile": true,
	}
	for _, f := range blueprint.New().Functions {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			event, err := events.Sample(f.Name)
			require.NoError(t, err)
			answer, err := functions.Invoke(context.WithoutCancel(ctx), &lambda.InvokeInput{FunctionName: aws.String(lambdahost.Name(f.Name)), Payload: event})
			require.NoError(t, err)
			if !ofJob[f.Name] {
				require.Nil(t, answer.FunctionError, "%s", answer.Payload)
				return
			}
			require.NotNil(t, answer.FunctionError, "%s", answer.Payload)
			var refused struct{ ErrorType string }
			require.NoError(t, json.Unmarshal(answer.Payload, &refused))
			require.Equal(t, "NOT_FOUND", refused.ErrorType)
		})
	}
}
