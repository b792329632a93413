package anywhere

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// waitTimeout limits one import, on a slow endpoint and a busy machine.
const waitTimeout = 3 * time.Minute

// installation is an installation of Loadbay: its API, and the Step Functions that run its imports.
type installation struct {
	*rawclient.Client
	states  *sfn.Client
	machine string // ARN
	// ended is closed when a process on which the installation depends has ended; nil if
	// that is not known.
	ended <-chan struct{}
}

const (
	twoUsers = "email,name\nx1@example.org,One\nx2@example.org,Two\n"
	// faultyUsers has a row that cannot be imported and one that already exists.
	faultyUsers = "email,name\nx3@example.org,Three\nno address,Nobody\nx1@example.org,One\n"
)

// expectedPath returns the states of an import without questions.
func expectedPath() []string {
	return []string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}
}

// runSuite runs the tests that must pass on every installation.
func (p *installation) runSuite(t *testing.T) {
	ctx, cancel := p.context(t.Context(), 3*waitTimeout)
	defer cancel()
	first := p.importFile(ctx, t, twoUsers)
	require.Equal(t, "COMPLETED", first.Status)
	require.Equal(t, int64(2), first.SuccessCount)
	require.Equal(t, expectedPath(), p.executionPath(ctx, t, first.Identifier))

	second := p.importFile(ctx, t, faultyUsers)
	require.Equal(t, "COMPLETED", second.Status)
	require.Equal(t, int64(1), second.SuccessCount)
	require.Equal(t, int64(2), second.ErrorCount)
	results, err := p.Results(ctx, second.Identifier, "ERROR", 0, 10)
	require.NoError(t, err)
	require.Len(t, results, 2)

	broken := p.importFile(ctx, t, "%PDF-1.7\n")
	require.Equal(t, "FAILED", broken.Status)
	require.Equal(t, "UNSUPPORTED_FORMAT", broken.Failure.Code)
	require.Equal(t, []string{"Analyze", "Fail", "Failed"}, p.executionPath(ctx, t, broken.Identifier))

	p.testExports(ctx, t)
}

// context returns a context that ends with the installation, or after that time.
func (p *installation) context(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	go func() {
		select {
		case <-p.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// importFile uploads a file directly to the bucket and waits for the job's end.
func (p *installation) importFile(ctx context.Context, t *testing.T, file string) *rawclient.Job {
	t.Helper()
	ctx, cancel := p.context(ctx, waitTimeout)
	defer cancel()
	j, err := p.Upload(ctx, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", SizeBytes: int64(len(file)), AutoStart: true}, strings.NewReader(file))
	require.NoError(t, err)
	j, err = p.Wait(ctx, j.Identifier, 200*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	return j
}

// executionPath waits for the end of an import's execution, which follows shortly after the
// job's end, and returns the states that it has entered.
func (p *installation) executionPath(ctx context.Context, t *testing.T, jobID string) []string {
	t.Helper()
	arn := strings.Replace(p.machine, ":stateMachine:", ":execution:", 1) + ":" + jobID
	stacktest.Await(t, "the execution of "+jobID+" ends", func() bool {
		described, err := p.states.DescribeExecution(ctx, &sfn.DescribeExecutionInput{ExecutionArn: &arn})
		require.NoError(t, err)
		return described.Status != "RUNNING"
	})
	var states []string
	pages := sfn.NewGetExecutionHistoryPaginator(p.states, &sfn.GetExecutionHistoryInput{ExecutionArn: &arn})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		require.NoError(t, err)
		for _, e := range page.Events {
			if e.StateEnteredEventDetails != nil {
				states = append(states, *e.StateEnteredEventDetails.Name)
			}
		}
	}
	return states
}

// testExports exports the users through the queue and the bucket.
func (p *installation) testExports(ctx context.Context, t *testing.T) {
	t.Helper()
	_, file, err := p.Export(ctx, rawclient.ExportRequest{Resource: "users", Format: "csv"}, 200*time.Millisecond)
	require.NoError(t, err)
	for _, email := range []string{"x1@example.org", "x2@example.org", "x3@example.org"} {
		require.Equal(t, 1, bytes.Count(file, []byte(email)), email)
	}
}
