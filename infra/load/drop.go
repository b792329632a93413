package load

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// openBucket returns a client of the local stack's bucket.
func openBucket(address string) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &address, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("local", "locallocal", ""),
	})
}

// drop stores a file of users in the organisation's drop folder.
func (t *tenant) drop(ctx context.Context, name, file, settings string) error {
	_, err := t.bucket.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(blueprint.LocalDeployment().Bucket(blueprint.New().Bucket.Name)), Key: aws.String(fmt.Sprintf("drop/%d/USER/-/%s", t.id, name)),
		Body: strings.NewReader(file), Metadata: map[string]string{"loadbay": settings},
	})
	return err
}

// dropSmall is importSmall through the drop folder.
func (t *tenant) dropSmall(ctx context.Context, name string, number int) (*rawclient.Job, error) {
	filename := fmt.Sprintf("%s-%d.csv", name, number)
	if err := t.drop(ctx, filename, smallFile(name, number), `{}`); err != nil {
		return nil, err
	}
	var found []struct {
		Identifier string `json:"identifier"`
	}
	for len(found) == 0 {
		if err := t.Get(ctx, "/api/imports?filename="+url.QueryEscape(filename), &found); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(attackPause):
		}
	}
	return t.waitSmall(ctx, found[0].Identifier)
}

// waitingOpenImports is the quota of the organisation with files that wait in the drop folder.
const waitingOpenImports = 5

// droppedFiles stores files far beyond the quota of open imports, which wait for a person.
func droppedFiles(ctx context.Context, hostile *tenant) error {
	if err := hostile.setOpenImports(ctx, waitingOpenImports); err != nil {
		return err
	}
	return repeat(ctx, 8, func(ctx context.Context, n int) error {
		return hostile.drop(ctx, fmt.Sprintf("waits-%d-%d.csv", n, time.Now().UnixNano()), smallFile("waits", n), `{"review":"always"}`)
	})
}

// setOpenImports sets the organisation's quota, as an operator.
func (t *tenant) setOpenImports(ctx context.Context, most int) error {
	return t.operator.Do(ctx, http.MethodPut, fmt.Sprintf("/api/admin/organisations/%d/quotas", t.id), "application/json",
		strings.NewReader(fmt.Sprintf(`{"openImports":%d,"requestsPerMinute":%d}`, most, manyRequests)), nil)
}
