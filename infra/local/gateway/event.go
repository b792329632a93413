package gateway

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// Values that events contain about their API.
const (
	account = "000000000000"
	apiID   = "loadbay"
	stage   = "$default"
)

// clfTime is the format in which API Gateway writes a request's time.
const clfTime = "02/Jan/2006:15:04:05 -0700"

// newEvent returns the event of a request in payload format 2.0.
func newEvent(r *http.Request, from client, routeKey, id string, body []byte, who Claims) events.APIGatewayV2HTTPRequest {
	now := time.Now().UTC()
	domain, _, _ := strings.Cut(r.Host, ":")
	event := events.APIGatewayV2HTTPRequest{
		Version:               "2.0",
		RouteKey:              routeKey,
		RawPath:               r.URL.Path, // decoded, as in HTTP APIs
		RawQueryString:        r.URL.RawQuery,
		Cookies:               requestCookies(r.Header),
		Headers:               requestHeaders(r, from),
		QueryStringParameters: joinValues(r.URL.Query()),
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: routeKey, AccountID: account, Stage: stage, RequestID: id, APIID: apiID,
			DomainName: r.Host, DomainPrefix: domain,
			Time: now.Format(clfTime), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: r.URL.Path, Protocol: r.Proto, SourceIP: from.ip, UserAgent: r.UserAgent(),
			},
		},
	}
	if who != nil {
		event.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: who},
		}
	}
	event.Body, event.IsBase64Encoded = encodeBody(r.Header.Get("Content-Type"), body)
	return event
}

// requestHeaders returns the headers in lower case, with multiple values joined by a comma,
// with the headers that a proxy adds and without cookies.
func requestHeaders(r *http.Request, from client) map[string]string {
	all := joinValues(r.Header)
	lower := make(map[string]string, len(all)+4)
	for name, value := range all {
		lower[strings.ToLower(name)] = value
	}
	delete(lower, "cookie")
	lower["host"] = r.Host
	lower["x-forwarded-proto"] = from.scheme
	if from.port != "" {
		lower["x-forwarded-port"] = from.port
	}
	lower["x-forwarded-for"] = from.forwarded
	return lower
}

func requestCookies(h http.Header) []string {
	var all []string
	for _, line := range h["Cookie"] {
		for cookie := range strings.SplitSeq(line, ";") {
			all = append(all, strings.TrimSpace(cookie))
		}
	}
	return all
}

func joinValues(values map[string][]string) map[string]string {
	if len(values) == 0 {
		return nil
	}
	one := make(map[string]string, len(values))
	for name, several := range values {
		one[name] = strings.Join(several, ",")
	}
	return one
}

// encodeBody returns text unchanged and encodes everything else in base64.
func encodeBody(contentType string, body []byte) (text string, encoded bool) {
	if len(body) == 0 {
		return "", false
	}
	if isText(contentType) && utf8.Valid(body) {
		return string(body), false
	}
	return base64.StdEncoding.EncodeToString(body), true
}

// isText reports whether API Gateway passes on a content type without base64 encoding.
func isText(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch media {
	case "application/json", "application/xml", "application/javascript":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
}
