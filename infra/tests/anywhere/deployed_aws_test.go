package anywhere

import (
	"cmp"
	"context"
	"encoding/base64"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cost"
)

const (
	// deployedVariable names the stage that `make deploy-check` has deployed to the account
	// in accountVariable.
	deployedVariable = "ANYWHERE_DEPLOYED"
	accountVariable  = "ANYWHERE_ACCOUNT"
	// throttledAttempts take about two minutes.
	throttledAttempts = 10
)

// TestDeployed runs the suite against a deployment in a real account: its functions, queues
// and state machine. The API is called through Lambda with the claims that a token would
// have, so that no issuer is needed.
func TestDeployed(t *testing.T) {
	stage, account := os.Getenv(deployedVariable), os.Getenv(accountVariable)
	if stage == "" || account == "" {
		t.Skipf("%s and %s are not set: use make deploy-check", deployedVariable, accountVariable)
	}
	// A new account allows ten concurrent executions, of which the queues may use all for a while.
	c, err := config.LoadDefaultConfig(t.Context(), config.WithRetryMaxAttempts(throttledAttempts))
	require.NoError(t, err)
	there := blueprint.Deployment{Partition: "aws", Region: c.Region, Account: account, Stage: stage}
	functions := &measuredFunctions{client: lambda.NewFromConfig(c), place: there}
	output, failure, err := functions.Invoke(t.Context(), blueprint.OperatorFunction, []byte(`{"organisation":{"id":1,"name":"One","quotas":{"requestsPerMinute":600000}}}`))
	require.NoError(t, err)
	require.Empty(t, failure, "%s", output)
	p := &installation{
		Client: serveAPI(t, functions), states: sfn.NewFromConfig(c), machine: there.StateMachineARN(blueprint.New().StateMachine.Name),
	}
	began := time.Now()
	p.runSuite(t)
	t.Logf("the suite took %s", time.Since(began).Round(time.Second))
	functions.report(t)
}

// measuredFunctions invokes functions of an installation and records their durations.
type measuredFunctions struct {
	client *lambda.Client
	place  blueprint.Deployment

	mu    sync.Mutex
	calls []invocation
}

// invocation holds the duration of one invocation, as seen by its caller and as billed.
type invocation struct {
	duration time.Duration
	billed   time.Duration
	memory   int // MiB
	cold     bool
}

// Invoke runs a function and waits for its response.
func (m *measuredFunctions) Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error) {
	began := time.Now()
	out, err := m.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(m.place.Function(function)), Payload: payload, LogType: types.LogTypeTail})
	if err != nil {
		return nil, "", err
	}
	made := parseReport(aws.ToString(out.LogResult))
	made.duration = time.Since(began)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, made)
	return out.Payload, aws.ToString(out.FunctionError), nil
}

var (
	billedPattern    = regexp.MustCompile(`Billed Duration: (\d+) ms\s+Memory Size: (\d+) MB`)
	coldStartPattern = regexp.MustCompile(`Init Duration: `)
)

// parseReport parses the base64 tail of an invocation's log, in which Lambda reports usage.
func parseReport(tail string) invocation {
	text, err := base64.StdEncoding.DecodeString(tail)
	if err != nil {
		return invocation{}
	}
	found := billedPattern.FindSubmatch(text)
	if found == nil {
		return invocation{}
	}
	milliseconds, _ := strconv.Atoi(string(found[1])) // digits, by the pattern
	memory, _ := strconv.Atoi(string(found[2]))
	return invocation{billed: time.Duration(milliseconds) * time.Millisecond, memory: memory, cold: coldStartPattern.Match(text)}
}

// report prints the latency and the cost of the API calls; for the rest of the bill see
// docs/cost.md.
func (m *measuredFunctions) report(t *testing.T) {
	t.Helper()
	b, cold := cost.Bill{Name: "calls of the API"}, 0
	seconds := 0.0
	for _, c := range m.calls {
		seconds += c.billed.Seconds() * float64(c.memory) / 1024
		if c.cold {
			cold++
		}
	}
	b.Lines = []cost.Line{
		{Part: "duration", Item: "Lambda, arm64", Amount: seconds},
		{Part: "requests", Item: "Lambda, requests", Amount: float64(len(m.calls)) / 1e6},
	}
	prices, err := cost.LoadPrices()
	require.NoError(t, err)
	list, _, err := b.Total(prices)
	require.NoError(t, err)
	slices.SortFunc(m.calls, func(x, y invocation) int { return cmp.Compare(x.duration, y.duration) })
	at := func(share float64) time.Duration {
		return m.calls[int(share*float64(len(m.calls)-1))].duration.Round(time.Millisecond)
	}
	t.Logf("latency of %d calls, %d of them cold: p50 %s, p95 %s, maximum %s", len(m.calls), cold, at(0.5), at(0.95), at(1))
	t.Logf("cost of these calls: $%.6f", list)
}

func TestParseLambdaReport(t *testing.T) {
	t.Parallel()
	tail := "START RequestId: 1 Version: $LATEST\nEND RequestId: 1\nREPORT RequestId: 1\tDuration: 12.34 ms\tBilled Duration: 113 ms\tMemory Size: 512 MB\tMax Memory Used: 60 MB\tInit Duration: 99.9 ms\t\n"
	require.Equal(t, invocation{billed: 113 * time.Millisecond, memory: 512, cold: true}, parseReport(base64.StdEncoding.EncodeToString([]byte(tail))))
	require.Equal(t, invocation{}, parseReport("no base64"))
	require.Equal(t, invocation{}, parseReport(base64.StdEncoding.EncodeToString([]byte("START RequestId: 1"))))
}
