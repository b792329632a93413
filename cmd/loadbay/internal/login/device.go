package login

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/oauth2"
)

// maxInterval bounds how long an issuer may have us wait between two questions, in seconds.
const maxInterval = 300

// What a person is told whose code came to nothing, or who gets none.
var (
	errCodesUnsupported = errors.New("the issuer of this installation gives no codes for devices; sign in with a browser on this machine (loadbay login --no-browser says the address), or set LOADBAY_TOKEN")
	errRefused          = errors.New("the code was refused in the browser: nobody is signed in")
	errExpired          = errors.New("nobody has confirmed the code in time; get another one with: loadbay login --device")
)

// DeviceCode is what a person confirms in a browser of any device.
type DeviceCode struct {
	Text        string
	URL         string
	URLWithCode string // the address with the code in it, or empty
}

// OffersCodes reports whether the issuer signs in people whose browser is elsewhere.
func (p *Provider) OffersCodes() bool { return p.endpoints.Device != "" }

// ByCode signs a person in with a browser of any device (RFC 8628). show is told what they
// have to confirm there.
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
		return nil, fmt.Errorf("%s has an address for codes that is not https: %q", p.issuer.Address, given.VerificationURI)
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

// tokenError says why no token came for a code that works until expiry.
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
