package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Read decodes a response of c.API:
//
//	client.Read[api.ImportJob](c.API.GetImport(ctx, id, nil))
func Read[T any](resp *http.Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, responseError(resp)
	}
	defer resp.Body.Close()
	value := new(T)
	if err := json.NewDecoder(resp.Body).Decode(value); err != nil {
		if kind := resp.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
			return nil, fmt.Errorf("%s responded with a web page instead of data: check the URL of the installation, or sign in to the proxy in front of it", resp.Request.URL.Host)
		}
		return nil, fmt.Errorf("read the response to %s %s: %w", resp.Request.Method, resp.Request.URL.Path, err)
	}
	return value, nil
}

// Do returns the error of a response of c.API and discards its value.
func Do(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return responseError(resp)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return fmt.Errorf("read the response to %s %s: %w", resp.Request.Method, resp.Request.URL.Path, err)
	}
	return nil
}
