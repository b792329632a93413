// Package sdkhttp sends the AWS SDK's requests without a race between the SDK
// and net/http that closes connections during responses.
//
// The SDK closes a request's body as soon as a response begins; net/http may then
// still check whether there is more of it, interpret the EOF that a closed body's
// WriteTo reports as a failure, and close the connection while the response is
// read: "use of closed network connection". The SDK retries such a request, although
// AWS has processed it: a message is sent twice, a task completed twice.
// https://github.com/aws/aws-sdk-go-v2/issues/2737
package sdkhttp

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Client sends requests with bodies that implement only Read.
type Client struct{ client aws.HTTPClient }

// New returns a client that sends requests with another client; nil means the SDK's default.
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
