package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// attack is what a hostile organisation does within its quotas, until the context ends. Refused
// requests are part of it; only errors of the connection end it.
type attack struct {
	name string
	run  func(ctx context.Context, hostile *tenant) error
	// work imports a small file of an ordinary organisation; nil for an upload.
	work func(t *tenant, ctx context.Context, name string, number int) (*rawclient.Job, error)
}

// attacks are the ways in which one organisation can take the slots of others.
func attacks() []attack {
	return []attack{
		{name: "expensive patterns in imports", run: patternImports},
		{name: "expensive patterns in previews", run: patternPreviews},
		{name: "a webhook that says nothing", run: silentWebhook},
		{name: "servers that do not answer", run: deadFetches},
		{name: "requests that wait", run: longPolls},
		// The last one: its files wait longer than the attack.
		{name: "dropped files beyond the quota", run: droppedFiles, work: (*tenant).dropSmall},
	}
}

// expensiveMapping applies patterns, which fail late, to the e-mail addresses, which identify the
// rows: splitting, processing and previews all run them. A repetition is 8 instructions.
func expensiveMapping(patterns, repetitions int) string {
	step := fmt.Sprintf(`{"op":"extract","pattern":"(?:a*a*a*a*){%d}b","otherwise":"keep"},`, repetitions)
	steps := strings.TrimSuffix(strings.Repeat(step, patterns), ",")
	return `{"fields":[{"field":"EMAIL","from":["email"],"transforms":[` + steps + `]},{"field":"NAME","from":["name"]}]}`
}

// expensiveFile has rows, up to about that size, for patterns that use up each row's budget of work
// but do not exceed it: those that exceed it do not run.
func expensiveFile(size, cell int) []byte {
	var out strings.Builder
	out.WriteString("email,name\n")
	for i := 0; out.Len() < size; i++ {
		fmt.Fprintf(&out, "%s%d@example.org,x\n", strings.Repeat("a", cell), i)
	}
	return []byte(out.String())
}

func patternImports(ctx context.Context, hostile *tenant) error {
	file := expensiveFile(3<<20, 20)
	fields := map[string]string{"importType": "USER", "autoStart": "true", "mapping": expensiveMapping(3, 14)}
	return repeat(ctx, 3, func(ctx context.Context, _ int) error {
		var j rawclient.Job
		if err := hostile.PostForm(ctx, http.MethodPost, "/api/imports", "patterns.csv", file, fields, &j); err != nil {
			return err
		}
		_, err := hostile.Wait(ctx, j.Identifier, 500*time.Millisecond, nil, (*rawclient.Job).Ended)
		return err
	})
}

func patternPreviews(ctx context.Context, hostile *tenant) error {
	var j rawclient.Job
	err := hostile.PostForm(ctx, http.MethodPost, "/api/imports", "preview.csv", expensiveFile(1<<20, 32_000), map[string]string{"importType": "USER", "review": "always"}, &j)
	if err != nil {
		return err
	}
	if _, err = hostile.Wait(ctx, j.Identifier, 100*time.Millisecond, nil, func(j *rawclient.Job) bool { return j.WaitingFor != "" || j.Ended() }); err != nil {
		return err
	}
	return repeat(ctx, 8, func(ctx context.Context, _ int) error {
		begun := time.Now()
		err := hostile.Post(ctx, "/api/imports/"+j.Identifier+"/mapping/preview?limit=50", json.RawMessage(expensiveMapping(1, 12)), nil)
		pauseUnlessSlow(ctx, begun)
		return err
	})
}

func silentWebhook(ctx context.Context, hostile *tenant) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close() // connections stay in the backlog: the server accepts them and says nothing
	if err := hostile.Do(ctx, http.MethodPut, "/api/webhook", "application/json", strings.NewReader(`{"url":"http://`+listener.Addr().String()+`/"}`), nil); err != nil {
		return err
	}
	return repeat(ctx, 2, func(ctx context.Context, _ int) error {
		var j rawclient.Job
		if err := hostile.Post(ctx, "/api/imports", rawclient.CreateRequest{ImportType: "USER", Filename: "never.csv", SizeBytes: 1}, &j); err != nil {
			return err
		}
		return hostile.Do(ctx, http.MethodDelete, "/api/imports/"+j.Identifier, "", nil, nil)
	})
}

func deadFetches(ctx context.Context, hostile *tenant) error {
	return repeat(ctx, 1, func(ctx context.Context, n int) error {
		// Local fetches refuse servers on this machine; a name that leads nowhere takes seconds by design.
		return hostile.Post(ctx, "/v1/imports", map[string]any{"resource_type": "users", "url": fmt.Sprintf("https://nowhere-%d.invalid/users.csv", n)}, nil)
	})
}

// longPolls waits for imports that wait for the organisation's own large one.
func longPolls(ctx context.Context, hostile *tenant) error {
	if _, err := hostile.importLarge(ctx, 500_000); err != nil {
		return err
	}
	patient := &tenant{Client: hostile.WithPreferWait(15 * time.Second)}
	return repeat(ctx, 6, func(ctx context.Context, n int) error {
		fields := map[string]string{"importType": "USER", "autoStart": "true"}
		begun := time.Now()
		err := patient.PostForm(ctx, http.MethodPost, "/api/imports", "wait.csv", []byte(smallFile("wait", n)), fields, nil)
		pauseUnlessSlow(ctx, begun)
		return err
	})
}

// pauseUnlessSlow waits if the request was answered, or refused, within a second.
func pauseUnlessSlow(ctx context.Context, begun time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second - time.Since(begun)):
	}
}

// attackPause follows every request, so that the attack is one on slots and not a flood of requests,
// which its quota of requests would stop.
const attackPause = 50 * time.Millisecond

// repeat runs a request, some at a time, until the context ends. The API may refuse it, but not as
// invalid: that would be no attack.
func repeat(ctx context.Context, atOnce int, do func(ctx context.Context, n int) error) error {
	var group errgroup.Group
	for range atOnce {
		group.Go(func() error {
			for n := 0; ; n++ {
				var refused *rawclient.Error
				if err := do(ctx, n); errors.As(err, &refused) && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusUnprocessableEntity) {
					return err // otherwise refused, late or ended: the next one follows
				}
				select {
				case <-ctx.Done():
					return nil
				case <-time.After(attackPause):
				}
			}
		})
	}
	return group.Wait()
}
