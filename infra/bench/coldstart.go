package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// apiStart is the goal for the API's time from process start to its first response.
const apiStart = 50 * time.Millisecond

// coldStart holds the median times of starting a function.
type coldStart struct {
	Function string        `json:"function"`
	Ready    time.Duration `json:"ready"`     // until the first request for an invocation
	First    time.Duration `json:"first"`     // until the first response
	NineTen  time.Duration `json:"nineOfTen"` // 90th percentile of First
	Second   time.Duration `json:"second"`    // a repetition of the same invocation
	CPU      time.Duration `json:"cpu"`       // of the process, for both invocations
}

// missingJob is the event of an import that does not exist: a step has to query the database and
// then has nothing to do.
const missingJob = `"jobId":"00000000-0000-4000-8000-000000000000","organisationId":1,"phase":"ROWS","taskToken":"none"`

// coldStartEvents are the events for measuring the first response: each makes the function read
// something and changes nothing. Functions that are not listed get an empty event.
func coldStartEvents() (map[string]string, error) {
	chunk := events.SQSEvent{Records: []events.SQSMessage{{MessageId: "cold", Body: `{` + missingJob + `,"chunk":0}`}}}
	list := events.APIGatewayV2HTTPRequest{RawPath: "/api/imports", RawQueryString: "size=1"}
	list.RequestContext.HTTP.Method, list.RequestContext.HTTP.Path = http.MethodGet, list.RawPath
	list.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: gateway.Claims{gateway.OrganisationClaim: "1", gateway.ScopeClaim: "imports:read", "sub": "bench"}},
	}
	found := make(map[string]string)
	for _, step := range []string{"analyze", "resolve", "split", "await", "wholefile", "complete", "fail"} {
		found[step] = `{` + missingJob + `}`
	}
	for functions, event := range map[[2]string]any{{"process", "deadletter"}: chunk, {"api", "admin"}: list, {"export", "fetch"}: events.SQSEvent{}} {
		text, err := json.Marshal(event)
		if err != nil {
			return nil, fmt.Errorf("bench: event: %w", err)
		}
		for _, function := range functions {
			found[function] = string(text)
		}
	}
	return found, nil
}

// measureColdStarts measures the time of each function from process start to its first response.
// The first start of each is not counted; it loads the executable into memory.
func (b *bench) measureColdStarts(ctx context.Context, times int) error {
	called, err := coldStartEvents()
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\ncold starts with files in the page cache, median of %d each, in ms\n%-12s %9s %9s %9s %9s %9s\n", times, "", "ready", "answered", "9 of 10", "again", "CPU")
	for _, function := range slices.Sorted(maps.Keys(b.stack.Stats().Functions)) {
		c, err := b.measureStarts(ctx, function, []byte(called[function]), times)
		if err != nil {
			return fmt.Errorf("bench: cold starts: %w", err)
		}
		b.coldStartResults = append(b.coldStartResults, c)
		fmt.Fprintf(b.out, "%-12s %9.1f %9.1f %9.1f %9.1f %9.1f\n", function, formatMillis(c.Ready), formatMillis(c.First), formatMillis(c.NineTen), formatMillis(c.Second), formatMillis(c.CPU))
		if function == "api" {
			b.goals = append(b.goals, goal{What: "cold start of the API: milliseconds from process start to first response, median", Got: formatMillis(c.First), Want: formatMillis(apiStart), AtMost: true})
		}
	}
	return nil
}

// measureStarts starts a function the given number of times, one after the other.
func (b *bench) measureStarts(ctx context.Context, function string, event []byte, times int) (coldStart, error) {
	all := make([]lambdahost.ColdStart, 0, times)
	for n := range times + 1 {
		c, err := b.stack.Functions.ColdStart(ctx, function, event)
		if err != nil {
			return coldStart{}, err
		}
		if err := checkListed(function, c.Response); err != nil {
			return coldStart{}, err
		}
		if n > 0 {
			all = append(all, c)
		}
	}
	of := func(part func(lambdahost.ColdStart) time.Duration, at int) time.Duration {
		took := make([]time.Duration, len(all))
		for i := range all {
			took[i] = part(all[i])
		}
		slices.Sort(took)
		return took[at]
	}
	half, most := times/2, times*9/10
	first := func(c lambdahost.ColdStart) time.Duration { return c.FirstResponse }
	return coldStart{
		Function: function, First: of(first, half), NineTen: of(first, most),
		Ready:  of(func(c lambdahost.ColdStart) time.Duration { return c.Ready }, half),
		Second: of(func(c lambdahost.ColdStart) time.Duration { return c.SecondInvocation }, half),
		CPU:    of(func(c lambdahost.ColdStart) time.Duration { return c.CPU }, half),
	}, nil
}

// checkListed fails unless the API listed imports, because the time of an error response is
// meaningless.
func checkListed(function string, answer []byte) error {
	if function != "api" {
		return nil
	}
	var response events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(answer, &response); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("API response: %.300s", answer)
	}
	return nil
}

// formatMillis converts a duration to milliseconds.
func formatMillis(d time.Duration) float64 { return d.Seconds() * 1e3 }
