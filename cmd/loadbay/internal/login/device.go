package login

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/oauth2"
)

// maxInterval is the longest polling interval that an issuer may request, in seconds.
const maxInterval = 300

// The messages for codes that were refused or expired, or are not offered.
var (
	errCodesUnsupported = errors.New("the issuer of this installation does not support device codes; sign in with a browser on this machine (loadbay login --no-browser), or set LOADBAY_TOKEN")
	errRefused          = errors.New("the code was rejected in the browser; you are not signed in")
	errExpired          = errors.New("the code expired; get a new one with: loadbay login --device")
)

// DeviceCode is confirmed in a browser on any device.
type DeviceCode struct {
	Text        string
	URL         string
	URLWithCode string // the address including the code, or empty
}

// OffersCodes reports whether the issuer supports device codes.
func (p *Provider) OffersCodes() bool { return p.endpoints.Device != "" }

// ByCode signs a person in with a browser on any device (RFC 8628). show receives the address
// and the code to confirm there.
func (p *Provider) ByCode(ctx context.Context, show func(DeviceCode)) (*Credential, error) {
	if !p.OffersCodes() {
		return nil, errCodesUnsupported
	}
	ctx = withTimeout(ctx)
	flow := p.oauthConfig()
	given, err := flow.DeviceAuth(ctx, p.authParams()...)
	if err != nil {
		return nil, fmt.Errorf("get a code: %w", err)
	}
	if !isPrivateURL(given.VerificationURI) || given.VerificationURIComplete != "" && !isPrivateURL(given.VerificationURIComplete) {
		return nil, fmt.Errorf("%s has a device code URL without https: %q", p.issuer.Address, given.VerificationURI)
	}
	given.Interval = min(max(given.Interval, 0), maxInterval)
	if given.Expiry.IsZero() {
		given.Expiry = time.Now().Add(signInTimeout)
	}
	show(DeviceCode{Text: given.UserCode, URL: given.VerificationURI, URLWithCode: given.VerificationURIComplete})
	token, err := flow.DeviceAccessToken(ctx, given)
	if err != nil {
		return nil, tokenError(ctx, given.Expiry, err)
	}
	return p.newCredential(token), nil
}

// tokenError explains why a code that is valid until expiry yielded no token.
func tokenError(ctx context.Context, expiry time.Time, err error) error {
	var refused *oauth2.RetrieveError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded) && time.Now().After(expiry):
		return errExpired
	case !errors.As(err, &refused):
	case refused.ErrorCode == "access_denied":
		return errRefused
	case refused.ErrorCode == "expired_token":
		return errExpired
	}
	return fmt.Errorf("get the token: %w", err)
}
