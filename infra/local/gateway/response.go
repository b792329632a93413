package gateway

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// response is a function's response in payload format 2.0.
type response struct {
	StatusCode        int                 `json:"statusCode"`
	Headers           map[string]string   `json:"headers"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
	Cookies           []string            `json:"cookies"`
	Body              string              `json:"body"`
	IsBase64Encoded   bool                `json:"isBase64Encoded"`

	content []byte // decoded body
}

// readResponse parses the result of a function. Any JSON value without a status code
// is itself the body of a 200 response, as in API Gateway.
func readResponse(output []byte) (*response, error) {
	if !json.Valid(output) {
		return nil, errors.New("the function's response is not JSON")
	}
	var r response
	if err := json.Unmarshal(output, &r); err != nil || r.StatusCode == 0 {
		return &response{
			StatusCode: http.StatusOK,
			Headers:    map[string]string{"content-type": "application/json"},
			content:    output,
		}, nil
	}
	if r.StatusCode < 200 || r.StatusCode > 599 {
		return nil, fmt.Errorf("the function's response has the status code %d", r.StatusCode)
	}
	r.content = []byte(r.Body)
	if r.IsBase64Encoded {
		var err error
		if r.content, err = base64.StdEncoding.DecodeString(r.Body); err != nil {
			return nil, fmt.Errorf("decode body of function response: %w", err)
		}
	}
	return &r, nil
}

func (r *response) write(w http.ResponseWriter) {
	header := w.Header()
	for name, values := range r.MultiValueHeaders {
		header.Set(name, strings.Join(values, ","))
	}
	for name, value := range r.Headers {
		header.Set(name, value)
	}
	for _, cookie := range r.Cookies {
		header.Add("Set-Cookie", cookie)
	}
	if header.Get("Content-Type") == "" && len(r.content) > 0 {
		header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	w.WriteHeader(r.StatusCode)
	_, _ = w.Write(r.content) // the client has disconnected
}
