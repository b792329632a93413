package command

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

// requestLog logs the requests of a command: method, path, status, duration and request ID, and no
// cell values. It is a http.RoundTripper.
type requestLog struct {
	next http.RoundTripper
	mu   sync.Mutex
	to   []io.Writer
}

// RoundTrip sends a request and logs it.
func (l *requestLog) RoundTrip(r *http.Request) (*http.Response, error) {
	begin := time.Now()
	resp, err := l.next.RoundTrip(r)
	line := fmt.Sprintf("%s %s %s ", begin.UTC().Format("15:04:05.000"), r.Method, r.URL.Host+safePath(r.URL.Path))
	if err != nil {
		line += "failed"
	} else {
		line += fmt.Sprint(resp.StatusCode)
		if id := resp.Header.Get("X-Request-ID"); id != "" {
			line += " request " + id
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, to := range l.to {
		_, _ = fmt.Fprintf(to, "%s (%d ms)\n", line, time.Since(begin).Milliseconds())
	}
	return resp, err
}

// keyPattern matches the paths that end with the key of an entity or a person.
var keyPattern = regexp.MustCompile(`^(/api/entities/[^/]+/|.*/persons/)[^/]+`)

// safePath removes keys, which are cell values, from a path.
func safePath(path string) string { return keyPattern.ReplaceAllString(path, "$1…") }

// transport returns how requests are sent, as the global flags say.
func (a *app) transport() (http.RoundTripper, error) {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport, nil
	}
	own := standard.Clone()
	own.ResponseHeaderTimeout = a.timeout
	log := &requestLog{next: own}
	if a.debug {
		log.to = append(log.to, a.streams.Err)
	}
	if a.logFile != "" {
		file, err := os.OpenFile(a.logFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, usageError{fmt.Errorf("--log-file: %w", err)}
		}
		_, _ = fmt.Fprintf(file, "%s loadbay %s\n", time.Now().UTC().Format(time.RFC3339), strings.Join(a.words, " "))
		log.to = append(log.to, file)
	}
	if len(log.to) == 0 {
		return own, nil
	}
	return log, nil
}
