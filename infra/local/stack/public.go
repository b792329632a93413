package stack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/gateway"
)

// issuerTimeout limits a request to another issuer.
const issuerTimeout = 10 * time.Second

// openIssuer returns the verifier of tokens: of the issuer in the settings, or of the stack's own one.
func (s *Stack) openIssuer(ctx context.Context) (gateway.Verifier, error) {
	setting := func(name string) string { value, _ := s.config.Setting(name); return value }
	name := setting(blueprint.AuthIssuer)
	if name == "" {
		own, err := gateway.NewIssuer(s.APIURL+gateway.OpenIDPath, s.config.path("issuer.pem"))
		if err != nil {
			return nil, err
		}
		s.issuer = own.WithClaimNames(s.claimNames())
		return s.issuer, nil
	}
	for _, needed := range []string{blueprint.AuthAudience, blueprint.AuthClientID} {
		if setting(needed) == "" {
			return nil, fmt.Errorf("%s needs %s", blueprint.AuthIssuer, needed)
		}
	}
	remote, err := gateway.NewRemoteIssuer(ctx, gateway.RemoteConfig{
		Issuer: name, Audience: setting(blueprint.AuthAudience),
		Clients: []string{setting(blueprint.AuthClientID), setting(blueprint.AuthCommandClientID)},
		Client:  &http.Client{Timeout: issuerTimeout},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", blueprint.AuthIssuer, err)
	}
	s.issuerURLs = remote.Origins()
	return remote, nil
}

// anonymousClaims returns the claims of a caller without a token; nil if there is none.
func (s *Stack) anonymousClaims(scopes string) gateway.Claims {
	if s.issuer == nil {
		return nil
	}
	return s.issuer.RenameClaims(gateway.Claims{gateway.OrganisationClaim: "1", gateway.ScopeClaim: scopes, "sub": "local"})
}

// publicHost returns the host of PublicURL, with its port if it has one, or "".
func (s *Stack) publicHost() string {
	public, err := url.Parse(s.config.PublicURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(public.Host)
}

// withPublicFiles also serves presigned URLs at PublicURL, so that a proxy needs to forward to one
// address only. Nothing else of the AWS endpoint can be reached there.
func (s *Stack) withPublicFiles(site http.Handler) http.Handler {
	host := s.publicHost()
	if host == "" {
		return site
	}
	bucket := "/" + s.resources.Bucket.Name + "/"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !gateway.IsPublic(r, host) || !strings.HasPrefix(r.URL.Path, bucket) && !strings.HasPrefix(r.URL.Path, awsendpoint.FunctionURLPath) {
			site.ServeHTTP(w, r)
			return
		}
		switch {
		case !s.available.Load():
			gateway.WriteError(w, http.StatusServiceUnavailable, "Service Unavailable")
		case r.Method != http.MethodOptions && !isPresigned(r):
			gateway.WriteError(w, http.StatusForbidden, "Forbidden")
		default:
			// A client that follows a redirect to the same host sends its token there as well.
			r = r.Clone(r.Context())
			r.Header.Del("Authorization")
			s.aws.ServeHTTP(w, r)
		}
	})
}

// isPresigned reports whether a request has a presigned URL as functions create them. Everybody knows
// the administrator's key. Requests with the header X-Amz-Target are for services other than S3.
func isPresigned(r *http.Request) bool {
	query := r.URL.Query()
	credential := query["X-Amz-Credential"]
	return len(credential) == 1 && !strings.HasPrefix(credential[0], s3.AccessKey+"/") && query.Get("X-Amz-Signature") != "" && r.Header.Get("X-Amz-Target") == ""
}

// requireDirect serves only requests from this machine, not those that a proxy forwards. Without
// PublicURL, a proxy may be that of a developer.
func (s *Stack) requireDirect(serve http.HandlerFunc) http.HandlerFunc {
	host := s.publicHost()
	if host == "" {
		return serve
	}
	return func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"} {
			if r.Header.Get(name) != "" {
				http.NotFound(w, r)
				return
			}
		}
		if gateway.IsPublic(r, host) {
			http.NotFound(w, r)
			return
		}
		serve(w, r)
	}
}
