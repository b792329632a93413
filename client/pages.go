package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Pages iterates over a list from its first page to its end:
//
//	for job, err := range client.Pages[api.ImportJob](ctx, c)(c.API.ListImports(ctx, nil)) {
//
// It stops after the first error.
func Pages[T any](ctx context.Context, c *Client) func(*http.Response, error) iter.Seq2[T, error] {
	return func(resp *http.Response, err error) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			var none T
			for {
				page, next, failed := readPage[T](resp, err)
				if failed != nil {
					yield(none, failed)
					return
				}
				for _, entry := range page {
					if !yield(entry, nil) {
						return
					}
				}
				if next == "" {
					return
				}
				resp, err = c.get(ctx, next)
			}
		}
	}
}

// readPage reads a page of a list and returns the address of the next one, or "".
func readPage[T any](resp *http.Response, err error) (entries []T, next string, _ error) {
	found, err := Read[[]T](resp, err)
	if err != nil {
		return nil, "", err
	}
	return *found, linkTarget(resp.Header.Get("Link"), "next"), nil
}

// Total returns the number of entries in a list, from the headers of its page, or -1 if they do
// not contain it.
func Total(resp *http.Response) int64 {
	n, err := strconv.ParseInt(resp.Header.Get("X-Total-Count"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// linkTarget returns the address in a Link header (RFC 8288) with that relation, or "".
func linkTarget(header, relation string) string {
	for link := range strings.SplitSeq(header, ",") {
		target, parameters, _ := strings.Cut(link, ";")
		if strings.Contains(parameters, `rel="`+relation+`"`) {
			return strings.Trim(strings.TrimSpace(target), "<>")
		}
	}
	return ""
}

// get requests an address that the API itself returned.
func (c *Client) get(ctx context.Context, address string) (*http.Response, error) {
	r, err := c.NewRequest(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return c.Send(r)
}

// resolveURL resolves an address that the API returned, as a path or in full. It rejects other
// origins, because they would receive the token.
func (c *Client) resolveURL(address string) (*url.URL, error) {
	at, err := c.base.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("parse URL in response: %w", err)
	}
	if at.Scheme != c.base.Scheme || at.Host != c.base.Host {
		return nil, fmt.Errorf("URL in response is on %s, not on %s", at.Host, c.base.Host)
	}
	return at, nil
}
