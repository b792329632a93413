package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/notify/outbound"
	"github.com/loadbay/loadbay/shared/problem"
)

// Config limits sending.
type Config struct {
	Timeout time.Duration // from the connection to the end of the response
	outbound.Policy
}

// DefaultConfig returns the configuration of the service: public servers, over TLS.
func DefaultConfig() Config {
	return Config{Timeout: 15 * time.Second, Policy: outbound.Policy{Allows: outbound.Public, Schemes: []string{"https"}}}
}

// Check validates an address as far as possible without resolving its host.
func (c Config) Check(address string) error {
	_, err := c.Parse(address)
	return err
}

// Sender sends messages.
type Sender struct {
	config Config
	http   *http.Client
	now    func() time.Time
}

// NewSender returns a sender. It follows no redirects: a message signed for one address is
// not sent to another.
func NewSender(c Config) (*Sender, error) {
	if c.Timeout <= 0 || c.Allows == nil || len(c.Schemes) == 0 {
		return nil, errors.New("webhook: missing limit")
	}
	return &Sender{config: c, now: time.Now, http: &http.Client{
		Transport:     outbound.NewTransport(c.Allows, c.Timeout),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Message is a message to send. Its id is the same in every attempt.
type Message struct {
	URL     string
	Secrets []string // each signs the message
	ID      string
	Body    string // a JSON document
}

// maxResponse is the number of response bytes that are read, so that short responses complete.
const maxResponse = 4 << 10

// Send sends a message and returns the status of the response. An error reports why there was
// no response, without the address, which may contain a token.
func (s *Sender) Send(ctx context.Context, m Message) (status int, err error) {
	if err := s.config.Check(m.URL); err != nil {
		return 0, err
	}
	now := s.now()
	signed, err := signatures(m.Secrets, m.ID, now, m.Body)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, strings.NewReader(m.Body))
	if err != nil {
		return 0, fmt.Errorf("message %s: invalid address", m.ID) // err contains the address
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Loadbay",
		headerID: m.ID, headerTimestamp: strconv.FormatInt(now.Unix(), 10), headerSignature: signed,
	} {
		request.Header.Set(name, value)
	}
	resp, err := s.http.Do(request)
	if err != nil {
		return 0, sendError(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxResponse) // only the status matters
	return resp.StatusCode, nil
}

// sendError converts the error of a request without a response.
func sendError(err error) error {
	var known *problem.Error
	if errors.As(err, &known) {
		return known
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return problem.New(problem.FetchTimeout, "The server does not respond.")
	}
	return problem.Wrap(errors.Unwrap(err), problem.FetchFailed, "The server cannot be reached.") // the outer error contains the address
}
