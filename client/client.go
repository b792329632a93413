package client

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/loadbay/loadbay/client/api"
)

// Client calls one installation of Loadbay. It is safe for concurrent use.
type Client struct {
	// API has a method for each operation; Read, Pages and Do take their results.
	API *api.Client

	base       *url.URL
	apiClient  *http.Client          // calls the API
	fileClient *retryablehttp.Client // for addresses that the API hands out; never sends the token
}

// New returns a client for the installation at an address such as
// https://loadbay.example.org.
func New(address string, options ...Option) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the URL of an installation, such as https://loadbay.example.org", address)
	}
	s := settings{transport: http.DefaultTransport, agent: "loadbay-go", attempts: 5}
	for _, o := range options {
		o(&s)
	}
	s.base = base.Path
	c := &Client{base: base, fileClient: s.newRetryingClient(false)}
	c.apiClient = &http.Client{CheckRedirect: keepRedirect, Transport: &retryMarker{next: &retryablehttp.RoundTripper{Client: s.newRetryingClient(true)}}}
	if c.API, err = api.NewClient(base.String(), api.WithHTTPClient(c.apiClient)); err != nil {
		return nil, fmt.Errorf("API of %s: %w", base, err)
	}
	return c, nil
}
