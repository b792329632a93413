package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// StreamSigner creates addresses of the function that streams exports.
type StreamSigner interface {
	// Sign returns an address with a query that cannot be modified.
	Sign(ctx context.Context, query url.Values) (string, error)
}

// streamTicket is the permission to read an organisation's rows for a limited time. It is part of
// the signed query of an address, together with the parameters of the export.
type streamTicket struct {
	organisation tenant.ID
	requestID    string
	expires      time.Time
}

// ticketLifetime is the validity of a ticket.
const ticketLifetime = 5 * time.Minute

func (p streamTicket) appendTo(query url.Values) {
	query.Set("organisation", p.organisation.String())
	query.Set("request_id", p.requestID)
	query.Set("until", strconv.FormatInt(p.expires.Unix(), 10))
}

func readTicket(query url.Values) (streamTicket, error) {
	organisation, err := tenant.Parse(query.Get("organisation"))
	if err != nil {
		return streamTicket{}, problem.New(problem.Unauthorized, "This link does not contain an organisation.")
	}
	expires, err := strconv.ParseInt(query.Get("until"), 10, 64)
	if err != nil || time.Now().Unix() > expires {
		return streamTicket{}, problem.New(problem.Unauthorized, "This link has expired. Request a new one with GET /v1/exports.")
	}
	return streamTicket{organisation, query.Get("request_id"), time.Unix(expires, 0)}, nil
}

// StreamSwitch is the setting STREAMS: "on", the default, or "off" where function URLs do not stream.
type StreamSwitch string

// UnmarshalText reads the setting.
func (s *StreamSwitch) UnmarshalText(text []byte) error {
	switch *s = StreamSwitch(text); *s {
	case "", "on", "off":
		return nil
	default:
		return fmt.Errorf("%q is neither on nor off", text)
	}
}

// redirectToStream redirects a request for a file to the address of its stream.
func (a *api) redirectToStream(w http.ResponseWriter, r *http.Request) error {
	if a.StreamSwitch == "off" {
		return problem.New(problem.ExportTooLarge, "This installation does not stream exports. Create the file with POST /v1/exports.")
	}
	query := r.URL.Query()
	query.Del(parameterRedirect)
	streamTicket{organisationOf(r), requestIDOf(r.Context()), time.Now().Add(ticketLifetime)}.appendTo(query)
	address, err := a.Streams.Sign(r.Context(), query)
	if err != nil {
		return err
	}
	return redirectTo(w, r, http.StatusTemporaryRedirect, address, map[string]any{
		"url": address, "expires_in": int(ticketLifetime.Seconds()),
		"detail": fmt.Sprintf("The export is too large for one response. Stream up to %d MB from the returned link, or create a file of any size with POST /v1/exports.", maxStream/1_000_000),
	})
}
