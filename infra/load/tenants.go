package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// tenant is the API client of an organisation.
type tenant struct {
	*rawclient.Client
	id       int64
	operator *rawclient.Client
	bucket   *s3.Client // nil in loads that do not use the drop folder
}

// manyRequests is a quota of requests that no load exceeds.
const manyRequests = 600_000

// createTenants creates the organisations and gets a token for each.
func createTenants(ctx context.Context, api string, n int) (heavy *tenant, others []*tenant, err error) {
	token, err := rawclient.LocalOperatorToken(ctx, api)
	if err != nil {
		return nil, nil, err
	}
	operator := rawclient.New(api, token)
	enrolled := make([]*tenant, 0, n+1)
	for i := range n + 1 {
		id := int64(largeTenant)
		if i > 0 {
			id = firstTenant + int64(i)
		}
		err := operator.Post(ctx, "/api/admin/organisations", map[string]any{
			"id": id, "name": fmt.Sprintf("Load %d", id), "quotas": map[string]any{"requestsPerMinute": manyRequests},
		}, nil)
		var refused *rawclient.Error
		if err != nil && (!errors.As(err, &refused) || refused.Status != http.StatusConflict) {
			return nil, nil, fmt.Errorf("load: create organisation %d: %w", id, err)
		}
		token, err := rawclient.LocalToken(ctx, api, id)
		if err != nil {
			return nil, nil, err
		}
		enrolled = append(enrolled, &tenant{Client: rawclient.New(api, token), id: id, operator: operator})
	}
	return enrolled[0], enrolled[1:], nil
}

// importSmall imports a small file and waits for its completion.
func (t *tenant) importSmall(ctx context.Context, name string, number int) (*rawclient.Job, error) {
	file := smallFile(name, number)
	j, err := t.Upload(ctx, rawclient.CreateRequest{ImportType: "USER", Filename: name + ".csv", SizeBytes: int64(len(file)), AutoStart: true}, strings.NewReader(file))
	if err != nil {
		return nil, err
	}
	return t.waitSmall(ctx, j.Identifier)
}

// waitSmall waits for the completion of a small file.
func (t *tenant) waitSmall(ctx context.Context, id string) (*rawclient.Job, error) {
	j, err := t.Wait(ctx, id, 100*time.Millisecond, nil, (*rawclient.Job).Ended)
	if err != nil {
		return nil, err
	}
	if j.Status != "COMPLETED" || j.SuccessCount != smallRows {
		return nil, fmt.Errorf("load: import %s is %s with %d of %d rows", j.Identifier, j.Status, j.SuccessCount, smallRows)
	}
	return j, nil
}

// importAll lets every tenant import its files, and returns their durations and end times.
func importAll(ctx context.Context, tenants []*tenant, name string, files int) (took Times, ended []time.Time, err error) {
	return workAll(ctx, tenants, name, files, (*tenant).importSmall)
}

// workAll is importAll by another way of importing a small file.
func workAll(ctx context.Context, tenants []*tenant, name string, files int, work func(t *tenant, ctx context.Context, name string, number int) (*rawclient.Job, error)) (took Times, ended []time.Time, err error) {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for _, t := range tenants {
		group.Go(func() error {
			for number := range files {
				begun := time.Now()
				j, err := work(t, ctx, name, number)
				if err != nil {
					return err
				}
				mu.Lock()
				took, ended = append(took, j.CompletedAt.Sub(begun)), append(ended, *j.CompletedAt)
				mu.Unlock()
			}
			return nil
		})
	}
	return took, ended, group.Wait()
}
