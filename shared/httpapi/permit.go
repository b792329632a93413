package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/tenant"
)

// Streams gives out addresses of the function that streams exports.
type Streams interface {
	// Sign returns an address that nobody can change the query of.
	Sign(ctx context.Context, query url.Values) (string, error)
}

// permit is what the API has allowed a caller: to read the rows of an
// organisation, for a while. It travels in the signed query of an address, beside
// the parameters of the export itself.
type permit struct {
	organisation tenant.ID
	requestID    string
	until        time.Time
}

// permitLifetime is how long after it was given out a permit is good.
const permitLifetime = 5 * time.Minute

func (p permit) write(query url.Values) {
	query.Set("organisation", p.organisation.String())
	query.Set("request_id", p.requestID)
	query.Set("until", strconv.FormatInt(p.until.Unix(), 10))
}

func readPermit(query url.Values) (permit, error) {
	organisation, err := tenant.Parse(query.Get("organisation"))
	if err != nil {
		return permit{}, problem.New(problem.Unauthorized, "This address names no organisation.")
	}
	until, err := strconv.ParseInt(query.Get("until"), 10, 64)
	if err != nil || time.Now().Unix() > until {
		return permit{}, problem.New(problem.Unauthorized, "This address is good no more. GET /v1/exports gives out a new one.")
	}
	return permit{organisation, query.Get("request_id"), time.Unix(until, 0)}, nil
}

// leadToStream answers a request for a file with the address of its stream.
func (a *api) leadToStream(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	permit{organisationOf(r), requestIDOf(r.Context()), time.Now().Add(permitLifetime)}.write(query)
	address, err := a.Streams.Sign(r.Context(), query)
	if err != nil {
		return err
	}
	w.Header().Set("Location", address)
	w.Header().Set("Cache-Control", "no-store")
	return writeJSON(w, http.StatusTemporaryRedirect, map[string]any{
		"url": address, "expires_in": int(permitLifetime.Seconds()),
		"detail": fmt.Sprintf("The export is too large for an answer of this API. The address streams up to %d MB of it; POST /v1/exports writes files of any size.", maxStream/1_000_000),
	})
}
