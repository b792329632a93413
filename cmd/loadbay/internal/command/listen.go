package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// The intervals of loadbay listen. Events appear when their transactions end, so each poll repeats
// the time before the last one.
const (
	listenInterval = time.Second
	listenOverlap  = time.Minute
	// maxListened is the maximum number of messages of one poll.
	maxListened = 5000
	// forwardTimeout is how long a message waits for the response of the local server, as on AWS.
	forwardTimeout = 15 * time.Second
)

// webhookMessage is a message about an event, with the data as it came.
type webhookMessage struct {
	EventID   string          `json:"eventId"`
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// listener forwards messages to a local server.
type listener struct {
	*app
	to, secret string
	begin      time.Time            // messages about earlier events are not forwarded
	latest     time.Time            // of the events seen
	seen       map[string]time.Time // events by id
	fault      string               // the last reported error
}

func (a *app) listenCommand() *cobra.Command {
	l := &listener{app: a, seen: make(map[string]time.Time)}
	c := a.withFormatFlags(&cobra.Command{
		Use: "listen", Short: "Forward webhook messages about imports to a server on this machine", Args: exactUsage(cobra.NoArgs),
		Long: `Print the messages about imports that a webhook is sent, and forward them to a server on this
machine, until Ctrl-C. Neither a public address nor a registered webhook is needed. Messages are
signed as Standard Webhooks specifies; the secret is printed first.`,
		Example: `  loadbay listen --forward-to 3000/hooks/loadbay
  loadbay listen --jsonl | jq .type`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			err := l.run(ctx, caller)
			if errors.Is(err, context.Canceled) && ctx.Err() != nil {
				return nil // Ctrl-C is how it ends
			}
			return err
		}),
	})
	c.Flags().StringVar(&l.to, "forward-to", "", "the port, or the URL, of a server on this machine, such as 3000/hooks")
	c.Flags().StringVar(&l.secret, "secret", "", "the secret that signs the messages (default: a new one)")
	return c
}

// run polls for messages and forwards them.
func (l *listener) run(ctx context.Context, caller *client.Client) (err error) {
	if l.to != "" {
		if l.to, err = localURL(l.to); err != nil {
			return usageError{err}
		}
	}
	if l.secret == "" {
		l.secret = client.NewWebhookSecret()
	}
	if _, err := client.SignWebhook(l.secret, "", time.Time{}, nil); err != nil {
		return usageError{fmt.Errorf("--secret: %w", err)}
	}
	if err := l.start(ctx, caller); err != nil {
		return err
	}
	for {
		if err := l.poll(ctx, caller); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(listenInterval):
		}
	}
}

// start reads the clock of the installation, which may differ from that of this machine.
func (l *listener) start(ctx context.Context, caller *client.Client) error {
	resp, err := caller.API.ListWebhookEvents(ctx, &api.ListWebhookEventsParams{Size: new(1)})
	if err := client.Do(resp, err); err != nil {
		return err
	}
	if l.begin, err = http.ParseTime(resp.Header.Get("Date")); err != nil {
		l.begin = time.Now()
	}
	l.latest = l.begin
	// The header has no fractions: events of this second may be earlier.
	found, err := l.list(ctx, caller, l.begin)
	if err != nil {
		return err
	}
	for _, m := range found {
		l.seen[m.EventID] = m.Timestamp
	}
	l.notify("Waiting for messages. To stop, press Ctrl-C.")
	if l.to != "" {
		l.notify("Forwarding to %s. Signed with %s", l.to, l.secret)
	}
	return nil
}

// poll forwards the new messages in the order of their events. A failed poll is repeated, unless the
// installation refuses it.
func (l *listener) poll(ctx context.Context, caller *client.Client) error {
	found, err := l.list(ctx, caller, l.latest.Add(-listenOverlap))
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Status/100 == 4, ctx.Err() != nil:
		return errors.Join(ctx.Err(), err)
	case err != nil:
		l.reportOnce(l.describeError(err))
		return nil
	}
	l.fault = ""
	slices.Reverse(found)
	for i := range found {
		if err := l.take(ctx, &found[i]); err != nil {
			return err
		}
	}
	for id, at := range l.seen {
		if at.Before(l.latest.Add(-2 * listenOverlap)) {
			delete(l.seen, id)
		}
	}
	return nil
}

// list returns the events since a time, newest first.
func (l *listener) list(ctx context.Context, caller *client.Client, since time.Time) ([]webhookMessage, error) {
	params := &api.ListWebhookEventsParams{Size: new(listPageSize), CreatedFrom: new(since.UTC().Format(time.RFC3339))}
	found, _, err := collectEntries(client.Pages[webhookMessage](ctx, caller)(caller.API.ListWebhookEvents(ctx, params)), maxListened)
	return found, err
}

// reportOnce reports an error unless it was the last one reported.
func (l *listener) reportOnce(text string) {
	if text != l.fault {
		l.report("%s", text)
	}
	l.fault = text
}

// take forwards and prints a message, unless it is old or was seen before.
func (l *listener) take(ctx context.Context, m *webhookMessage) error {
	if _, known := l.seen[m.EventID]; known || m.Timestamp.Before(l.begin) {
		return nil
	}
	l.seen[m.EventID] = m.Timestamp
	if m.Timestamp.After(l.latest) {
		l.latest = m.Timestamp
	}
	outcome := ""
	if l.to != "" {
		outcome = l.forward(ctx, m)
	}
	if l.format.JSON() {
		l.format.Lines = l.format.JQ == "" && l.format.Template == ""
		return l.format.Write(l.streams.Out, m)
	}
	fields := []string{m.Timestamp.Local().Format(time.TimeOnly), m.Type, jobOf(m), outcome}
	separator := "\t"
	if l.streams.OutIsTerminal {
		separator = "  "
		fields[1] = fmt.Sprintf("%-16s", m.Type)
		if l.streams.Width() < wideListen {
			fields[2] = "…" + fields[2][max(0, len(fields[2])-12):]
		}
	}
	_, err := fmt.Fprintln(l.streams.Out, strings.TrimRight(strings.Join(fields, separator), " \t"))
	return err
}

// wideListen is the width of a terminal that has room for whole ids.
const wideListen = 80

// jobOf returns the import of a message.
func jobOf(m *webhookMessage) string {
	var data struct{ JobID string }
	_ = json.Unmarshal(m.Data, &data) // "" is printed for other messages
	return data.JobID
}

// forward sends a message to the local server, and describes its response.
func (l *listener) forward(ctx context.Context, m *webhookMessage) string {
	ctx, cancel := context.WithTimeout(ctx, forwardTimeout)
	defer cancel()
	body, err := json.Marshal(struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{m.Type, m.Timestamp, m.Data})
	if err != nil {
		return err.Error()
	}
	now := time.Now()
	signature, err := client.SignWebhook(l.secret, m.EventID, now, body)
	if err != nil {
		return err.Error()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.to, strings.NewReader(string(body)))
	if err != nil {
		return err.Error()
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Loadbay",
		"webhook-id": m.EventID, "webhook-timestamp": strconv.FormatInt(now.Unix(), 10), "webhook-signature": signature,
	} {
		r.Header.Set(name, value)
	}
	// Redirects are not followed, as on AWS.
	local := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := local.Do(r)
	if err != nil {
		var cause *url.Error
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return "not delivered: " + err.Error()
	}
	_ = resp.Body.Close()
	return resp.Status
}

// localURL returns the URL of a server on this machine, from a URL or from its part after the host:
// 3000/hooks. Other servers are refused: they belong into the registered webhook.
func localURL(text string) (string, error) {
	if port, _, _ := strings.Cut(text, "/"); port != "" && strings.Trim(port, "0123456789") == "" {
		text = "127.0.0.1:" + text
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("--forward-to: %q is neither a port nor a URL, such as 3000/hooks", text)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("--forward-to: %s is not on this machine; register another server with loadbay webhooks set", u.Host)
	}
	return u.String(), nil
}
