package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// callbackServer receives the browser's redirect.
type callbackServer struct {
	redirectURL string
	server      *http.Server
	results     chan callbackResult
}

// callbackResult is the result of the redirect.
type callbackResult struct {
	code string
	err  error
}

// expectedCallback identifies the response to our own request.
type expectedCallback struct{ state, issuer string }

// listenForCallback starts a server on the first free port of the list.
func listenForCallback(ctx context.Context, ports []int, want expectedCallback) (*callbackServer, error) {
	var faults []error
	for _, port := range ports {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		d := &callbackServer{redirectURL: signin.CommandRedirect(port), results: make(chan callbackResult, 1)}
		mux := http.NewServeMux()
		mux.HandleFunc("GET "+signin.Path, func(w http.ResponseWriter, r *http.Request) { d.handleCallback(w, r, want) })
		d.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = d.server.Serve(listener) }() // ends with close
		return d, nil
	}
	return nil, fmt.Errorf("wait for the browser: %w", errors.Join(faults...))
}

// handleCallback accepts the first matching redirect.
func (d *callbackServer) handleCallback(w http.ResponseWriter, r *http.Request, want expectedCallback) {
	q := r.URL.Query()
	if q.Get("state") != want.state || q.Has("iss") && q.Get("iss") != want.issuer {
		http.Error(w, "Unexpected request.", http.StatusBadRequest)
		return
	}
	a := callbackResult{code: q.Get("code")}
	message := "You are signed in. You can close this page."
	if refused := q.Get("error"); refused != "" || a.code == "" {
		a.err = fmt.Errorf("the issuer rejected the sign-in: %s %s", refused, q.Get("error_description"))
		message = "Sign-in failed. See the terminal for the reason."
	}
	select {
	case d.results <- a:
	default: // a redirect was already accepted
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	_, _ = io.WriteString(w, message+"\n") // the browser may have disconnected
}

// wait returns the authorization code.
func (d *callbackServer) wait(ctx context.Context) (string, error) {
	select {
	case a := <-d.results:
		return a.code, a.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", errSignInTimeout
		}
		return "", ctx.Err()
	}
}

// close lets the browser load its last page and stops the server.
func (d *callbackServer) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = d.server.Shutdown(ctx) // the process ends soon
}
