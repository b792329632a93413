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

// callbackServer is where the browser comes back to.
type callbackServer struct {
	redirectURL string
	server      *http.Server
	results     chan callbackResult
}

// callbackResult is what it brings.
type callbackResult struct {
	code string
	err  error
}

// expectedCallback is what tells our answer from others'.
type expectedCallback struct{ state, issuer string }

// listenForCallback opens a desk at the first of the ports that is free.
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
		go func() { _ = d.server.Serve(listener) }() // until it is closed
		return d, nil
	}
	return nil, fmt.Errorf("wait for the browser: %w", errors.Join(faults...))
}

// handleCallback takes the first answer that is ours.
func (d *callbackServer) handleCallback(w http.ResponseWriter, r *http.Request, want expectedCallback) {
	q := r.URL.Query()
	if q.Get("state") != want.state || q.Has("iss") && q.Get("iss") != want.issuer {
		http.Error(w, "Nobody has asked for this.", http.StatusBadRequest)
		return
	}
	a := callbackResult{code: q.Get("code")}
	said := "You are signed in. This page can be closed."
	if refused := q.Get("error"); refused != "" || a.code == "" {
		a.err = fmt.Errorf("the issuer has refused: %s %s", refused, q.Get("error_description"))
		said = "You are not signed in. The terminal says why."
	}
	select {
	case d.results <- a:
	default: // there was one
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	_, _ = io.WriteString(w, said+"\n") // the browser may have gone
}

// wait returns the code.
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

// close lets the browser get its last page, and ends the desk.
func (d *callbackServer) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = d.server.Shutdown(ctx) // the process ends soon
}
