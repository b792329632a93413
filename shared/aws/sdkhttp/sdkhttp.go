// Package sdkhttp sends the AWS SDK's requests without a race between the SDK
// and net/http that ends connections during responses.
//
// The SDK closes a request's body as soon as a response begins; net/http may then
// still look whether there is more of it, takes the end that a closed body's
// WriteTo reports for a failure, and closes the connection while the response is
// read: "use of closed network connection". The SDK repeats such a request, which
// AWS has served: a message is sent twice, a task completed twice.
// https://github.com/aws/aws-sdk-go-v2/issues/2737
package sdkhttp

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Client sends requests whose bodies have nothing but Read.
type Client struct{ client aws.HTTPClient }

// New returns a client that sends through another one, the SDK's own if that is nil.
func New(client aws.HTTPClient) Client {
	if client == nil {
		client = awshttp.NewBuildableClient()
	}
	return Client{client: client}
}

// Do sends a request.
func (c Client) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(struct{ io.Reader }{r.Body})
	}
	return c.client.Do(r)
}
