package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
)

// apiFlags are the flags of the command api.
type apiFlags struct {
	method, input string
	fields        []string
	headers       []string
}

func (a *app) apiCommand() *cobra.Command {
	var f apiFlags
	c := &cobra.Command{
		Use: "api PATH", Short: "Send any request to the API and print its response", Args: exactUsage(cobra.ExactArgs(1)),
		Long: `Send any request to the API and print its response. The token and retries are those of the other
commands. The request is a GET, or with --field or --input a POST, unless --method says otherwise.`,
		Example: `  loadbay api /api/imports
  loadbay api /api/imports --jq '.[].identifier'
  loadbay api /api/settings --method PATCH --field undoDays=60
  loadbay api /api/profiles --input profile.json`,
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{"/api/imports", "/api/import-types", "/api/profiles", "/api/settings", "/api/me", "/openapi.yaml", "/health"}, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			r, err := a.apiRequest(c, caller, &f, given[0])
			if err != nil {
				return err
			}
			resp, err := caller.Send(r)
			if err != nil {
				return err
			}
			return a.printResponse(resp)
		},
	}
	c.Flags().StringVarP(&f.method, "method", "X", "", "GET, POST, PUT, PATCH or DELETE")
	c.Flags().StringArrayVarP(&f.fields, "field", "f", nil, "a member of the JSON body as NAME=VALUE; numbers, true, false, null and JSON keep their type")
	c.Flags().StringArrayVarP(&f.headers, "header", "H", nil, "a header as NAME: VALUE")
	c.Flags().StringVar(&f.input, "input", "", `a file with the body; "-" is standard input`)
	c.Flags().StringVar(&a.format.JQ, "jq", "", "filter the JSON response with a jq program")
	_ = c.RegisterFlagCompletionFunc("method", fixedCompletion("GET", "POST", "PUT", "PATCH", "DELETE")) // the flag is registered above
	_ = c.RegisterFlagCompletionFunc("field", cobra.NoFileCompletions)
	return c
}

// apiRequest returns the request that the flags describe.
func (a *app) apiRequest(c *cobra.Command, caller *client.Client, f *apiFlags, path string) (*http.Request, error) {
	body, err := a.apiBody(f)
	if err != nil {
		return nil, err
	}
	method := strings.ToUpper(f.method)
	if method == "" {
		if method = http.MethodGet; body != nil {
			method = http.MethodPost
		}
	}
	r, err := caller.NewRequest(c.Context(), method, path, body)
	if err != nil {
		return nil, usageError{err}
	}
	if body != nil {
		r.Header.Set("Content-Type", jsonBody)
	}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, usageError{fmt.Errorf("--header %s: use NAME: VALUE", h)}
		}
		r.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return r, nil
}

// maxRequestBytes is more than the service accepts, so that its own message is shown.
const maxRequestBytes = 16 << 20

// apiBody returns the body that the flags describe; nil means none.
func (a *app) apiBody(f *apiFlags) ([]byte, error) {
	switch {
	case f.input != "" && len(f.fields) > 0:
		return nil, usageError{errors.New("use only one of --field and --input")}
	case f.input != "":
		return a.readText(f.input, maxRequestBytes)
	case len(f.fields) == 0:
		return nil, nil
	}
	return parseMembers("--field ", f.fields, func(value string) any {
		if json.Valid([]byte(value)) {
			return json.RawMessage(value)
		}
		return value
	})
}

// printResponse prints the body of a response. An unsuccessful one is printed as well, with exit
// code 1.
func (a *app) printResponse(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 && a.format.JQ != "" {
		var value any
		if err := json.NewDecoder(resp.Body).Decode(&value); err != nil {
			return fmt.Errorf("--jq: the response is not JSON: %w", err)
		}
		return a.format.Write(a.streams.Out, value)
	}
	var last bytes.Buffer
	if _, err := io.Copy(io.MultiWriter(a.streams.Out, &lastByte{&last}), resp.Body); err != nil {
		return err
	}
	if last.String() != "\n" && last.Len() > 0 && a.streams.OutIsTerminal {
		fmt.Fprintln(a.streams.Out)
	}
	if resp.StatusCode/100 != 2 {
		a.report("The server responded with %s.", resp.Status)
		if id := resp.Header.Get("X-Request-ID"); id != "" {
			a.report("Request ID: %s", id)
		}
		return exitStatus(exitFailed)
	}
	return nil
}

// lastByte keeps the last byte that is written.
type lastByte struct{ to *bytes.Buffer }

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.to.Reset()
		l.to.WriteByte(p[len(p)-1])
	}
	return len(p), nil
}
