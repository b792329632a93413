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

// Pages walks a list from its first page to its end:
//
//	for job, err := range client.Pages[api.ImportJob](ctx, c)(c.API.ListImports(ctx, nil)) {
//
// It ends with the first error.
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

// readPage reads a page of a list, and where the next one is, if there is one.
func readPage[T any](resp *http.Response, err error) (entries []T, next string, _ error) {
	found, err := Read[[]T](resp, err)
	if err != nil {
		return nil, "", err
	}
	return *found, linkTarget(resp.Header.Get("Link"), "next"), nil
}

// Total is how many entries a list has, as its pages say; -1 where they do not.
func Total(resp *http.Response) int64 {
	n, err := strconv.ParseInt(resp.Header.Get("X-Total-Count"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// linkTarget is the address in a Link header (RFC 8288) with that relation, or "".
func linkTarget(header, relation string) string {
	for link := range strings.SplitSeq(header, ",") {
		target, parameters, _ := strings.Cut(link, ";")
		if strings.Contains(parameters, `rel="`+relation+`"`) {
			return strings.Trim(strings.TrimSpace(target), "<>")
		}
	}
	return ""
}

// get reads an address of the API that it gave itself.
func (c *Client) get(ctx context.Context, address string) (*http.Response, error) {
	at, err := c.resolveURL(address)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	return c.apiClient.Do(r)
}

// resolveURL is an address that the API gave of itself, as a path or in full. One of another
// origin is refused: it would get the token.
func (c *Client) resolveURL(address string) (*url.URL, error) {
	at, err := c.base.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("an address in a response: %w", err)
	}
	if at.Scheme != c.base.Scheme || at.Host != c.base.Host {
		return nil, fmt.Errorf("an address in a response is of %s, not of %s", at.Host, c.base.Host)
	}
	return at, nil
}
